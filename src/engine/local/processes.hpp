// Finding and ending processes that belong to an attempt.
#pragma once

#include <fairlead/base/units.hpp>

#include <string>
#include <sys/types.h>
#include <vector>

namespace fairlead::engine::local {

/// Children, grandchildren and so on of `ancestor`, without itself.
[[nodiscard]] std::vector<pid_t> descendantsOf(pid_t ancestor);

/// Names the processes of one launch for ever: the intent and the supervisor's identity, both in each rank's
/// environment.
struct LaunchMark {
  std::string intent;
  std::string supervisor;  ///< `pid.start`
};
inline const std::string kSupervisorVariable = "FAIRLEAD_SUPERVISOR";
[[nodiscard]] std::string supervisorMark(pid_t pid, std::uint64_t start);

/// Processes whose environment carries the mark, as far as we may read environments.
[[nodiscard]] std::vector<pid_t> processesMarked(const LaunchMark& mark);
/// Kills them again and again until none is found. False when some are left after `limit`.
bool killMarked(const LaunchMark& mark, Milliseconds limit);

}  // namespace fairlead::engine::local
