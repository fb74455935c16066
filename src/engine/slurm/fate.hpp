// What a job's state means for its attempt. Pure.
#pragma once

#include "slurm/allocation.hpp"

#include <fairlead/codec/slurm/types.hpp>
#include <fairlead/model/observation.hpp>

#include <optional>
#include <string>
#include <vector>

namespace fairlead::engine::slurm {

namespace wire = codec::slurm;

/// A job's life in the few steps that control tells apart. `unsaid`: the source says nothing that can be relied on.
enum class JobPhase : std::uint8_t { unsaid, waiting, running, ended };

/// What is known of one run of a job, from either source.
struct JobFacts {
  std::uint32_t id = 0;
  TimePoint submitted;
  JobPhase phase = JobPhase::unsaid;
  wire::JobState state = wire::JobState::unknown;
  bool launchFailed = false;
  std::string stateText, reason, failedNode;
  std::uint32_t restarts = 0;
  TimePoint started, ended;
  std::optional<wire::ExitCode> exit;
  std::vector<Allocation> components;  ///< one, but of heterogeneous jobs as JobMirror tells them
  std::string stdoutPath, stderrPath;  ///< expanded where Slurm tells them
};
[[nodiscard]] Allocation allocationOf(const wire::SlurmJob& job);
[[nodiscard]] Allocation allocationOf(const wire::SlurmAccountedJob& job);
[[nodiscard]] JobFacts factsOf(const wire::SlurmJob& job);
[[nodiscard]] JobFacts factsOf(const wire::SlurmAccountedJob& job);

/// `4711@1796050701`: how observations name a job. Read back by parseNativeId.
[[nodiscard]] std::string nativeId(const JobFacts& facts);

/// What the wrapper left of a rank's end; see script.hpp.
struct RankEnd {
  std::int32_t rank = 0;
  std::int32_t code = 0;
  std::string startProblem;  ///< it never became the user's command: why
  bool first = false;        ///< the first to fail; the others were ended for it
  bool memory = false;       ///< Slurm ended it for its memory; rank -1: one of them
};
/// Reads `result`, `RANK exit CODE`, `RANK start TEXT`, `RANK first CODE` or `RANK memory` a line; lines of any other
/// form are left out. Ordered by rank.
[[nodiscard]] std::vector<RankEnd> readRankEnds(std::string_view text);

/// The observation of an ended job. `stopReason`: not empty when it was told to stop. `ends` may be empty: not all
/// ranks could be asked.
[[nodiscard]] model::Observation endOf(const JobFacts& facts, const std::vector<RankEnd>& ends, bool stopped,
                                       const std::string& stopReason, std::int32_t members);

}  // namespace fairlead::engine::slurm
