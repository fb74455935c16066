// What of an attempt must outlive the daemon: one small file each. Help, not truth: see README.md.
#pragma once

#include "data/file_work.hpp"
#include "local/posix.hpp"
#include "slurm/submission.hpp"

#include <fairlead/base/result.hpp>
#include <fairlead/model/workload.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fairlead::engine::slurm {

struct StopOrder {
  bool asked = false;
  TimePoint at;
  int signal = 15, firstSignal = 0;
  Milliseconds firstGrace, grace;
  std::string reason;
};

struct AttemptMemory {
  model::AttemptId attempt;
  std::string user;     ///< whom the job runs as
  std::string jobName;  ///< whole
  std::string folder;   ///< of the attempt on the cluster
  bool batchStyle = false;
  std::int32_t members = 1;
  std::vector<RoleShape> roles;             ///< parallel to the job's components; empty: not known
  TimePoint firstTry, lastTry;              ///< of submissions whose answer may be unknown; 0: none
  std::uint32_t job = 0;                    ///< 0: not known
  TimePoint submitted;                      ///< by Slurm's clock; 0: not known yet
  std::string outputPattern, errorPattern;  ///< `%j` the job, `%t` the rank
  std::string resumedFrom;                  ///< checkpoint that it was handed; empty: none
  data::AttemptFiles files;                 ///< what is looked for at its end
  StopOrder stop;
  bool over = false;     ///< its end was told
  bool settled = false;  ///< control knows its end for good
};

[[nodiscard]] std::string encodeMemory(const AttemptMemory& memory);
[[nodiscard]] std::optional<AttemptMemory> decodeMemory(std::string_view text);

/// What a loss of power may take: the last seconds, or nothing. The end of the daemon alone takes nothing of either.
enum class Keep : std::uint8_t { lazily, durably };

/// The folder of these files. Any thread; two writers of one attempt are the caller's affair.
class MemoryFolder {
 public:
  [[nodiscard]] static Result<MemoryFolder> open(const std::string& stateDir);
  /// The file is the old one or the new one, never half of it.
  [[nodiscard]] Result<void> save(const AttemptMemory& memory, Keep keep) const;
  /// Nothing when there is none. Error: it is there and cannot be read: then nothing may be submitted.
  [[nodiscard]] Result<std::optional<AttemptMemory>> load(model::AttemptId attempt) const;
  /// Removes those of attempts that are over and were written so long ago.
  void forgetOld(Milliseconds retention) const;

 private:
  explicit MemoryFolder(local::Fd folder) : folder_(std::move(folder)) {}
  local::Fd folder_;
};

}  // namespace fairlead::engine::slurm
