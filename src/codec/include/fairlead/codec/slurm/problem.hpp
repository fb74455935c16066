// What Slurm says is wrong, normalised, and what of an answer could not be read.
#pragma once

#include <fairlead/base/units.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::codec::slurm {

/// What a refusal asks of the caller. `unknown`: only the texts help.
enum class ProblemKind : std::uint8_t {
  unknown,
  authentication,  ///< token wrong, expired, or of another user
  denied,          ///< understood, not allowed for this user
  notFound,        ///< no such job, node, partition ...
  alreadyEnded,    ///< the job is completing or completed
  badPartition,
  badAccount,
  badQos,
  badGres,
  badTime,
  badDependency,
  badNode,
  badReservation,
  badLicense,
  badArray,
  badFeature,
  badWorkDir,
  badScript,
  badMemory,
  badRequest,     ///< the body or another value is wrong
  impossible,     ///< no such node configuration
  limit,          ///< an accounting or partition limit refuses it
  notAllowedNow,  ///< disabled, or the wrong state for it
  heldInfo,       ///< no failure: the job was accepted and is held
  warningInfo,    ///< no failure: accepted with a remark
  unavailable,    ///< controller, database or network: try later
};

/// One entry of errors[], warnings[] or status[], or a text answer.
struct SlurmProblem {
  std::int64_t number = 0;  ///< Slurm's own; 0 where it gives none, -1 where it says "unspecified"
  ProblemKind kind = ProblemKind::unknown;
  std::string error;        ///< Slurm's text for the number
  std::string description;  ///< what it was doing
  std::string source;
  std::uint32_t jobId = 0;  ///< of status[] entries; 0: none
  bool warning = false;

  bool operator==(const SlurmProblem&) const = default;
};

/// A record or value that was set aside, or a word nobody declared. Never the end of a batch.
struct SlurmReport {
  std::string where;  ///< `jobs[17]`, `jobs[17].job_state`, `line 4`
  std::string value;  ///< as given, cut, printable
  std::string why;

  bool operator==(const SlurmReport&) const = default;
};

/// What an answer says besides its records. Ask `isWhole` before anything is concluded from what is not in it.
struct SlurmAnswer {
  bool complete = false;               ///< read to its proper end
  std::vector<SlurmProblem> problems;  ///< refusals, whatever the status was
  std::vector<SlurmProblem> warnings;
  std::vector<SlurmReport> reports;  ///< at most kMaxReports; then `reportsLeftOut` counts
  std::size_t reportsLeftOut = 0;
  std::size_t setAside = 0;  ///< records that could not be read
  std::string release;       ///< `26.05.5`, where the answer tells it
  std::string cluster;
  std::optional<TimePoint> lastUpdate;  ///< of what is listed, by the controller's clock

  /// True when a record that is not listed is not there.
  [[nodiscard]] bool isWhole() const { return complete && problems.empty() && setAside == 0; }
  void report(std::string where, std::string_view value, std::string why);
};
inline constexpr std::size_t kMaxReports = 100;

template <class Record>
struct SlurmList {
  std::vector<Record> records;
  SlurmAnswer answer;
};

}  // namespace fairlead::codec::slurm
