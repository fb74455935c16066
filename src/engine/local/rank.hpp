// One rank's process: how it is started.
#pragma once

#include "local/identity.hpp"
#include "local/posix.hpp"

#include <fairlead/base/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace fairlead::engine::local {

struct RankCommand {
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::string folder;
  int cgroup = -1;              ///< open cgroup.procs, or -1
  std::uint64_t openFiles = 0;  ///< soft limit of open files; 0: ours
};

struct StartedRank {
  pid_t pid = 0;  ///< leads a session and a process group of its own
  Fd output;
  Fd error;
  Fd status;  ///< end of file: the program runs; else a StartFailure
};

/// Forks and executes. The child dies with us. For single-threaded processes.
[[nodiscard]] Result<StartedRank> startRank(const RankCommand& command, const Identity& identity);

/// What a child could not do before its program ran.
struct StartFailure {
  enum class Stage : int { group, identity, folder, program, orphaned };
  Stage stage = Stage::program;
  int error = 0;
};
/// Reads a status that is ready. Nothing: the program runs.
[[nodiscard]] std::optional<StartFailure> readStatus(const Fd& status);
[[nodiscard]] std::string describe(const StartFailure& failure, const RankCommand& command);

}  // namespace fairlead::engine::local
