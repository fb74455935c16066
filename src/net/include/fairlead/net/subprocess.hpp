// Runs one program to its end, bounded in time and output. Never a shell.
#pragma once

#include <fairlead/base/units.hpp>
#include <fairlead/net/errors.hpp>

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace fairlead::net {

struct UnixUser {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups;  ///< supplementary groups
};

struct ProcessSpec {
  std::vector<std::string>
      argv;  ///< argv[0] with a `/` is taken as a path, else looked up in PATH of `env` (or the usual folders)
  std::vector<std::string> env;  ///< `NAME=value`: the whole environment of the program
  std::string cwd;               ///< empty: ours
  std::string input;             ///< its standard input; then end of file
  Milliseconds timeout{30'000};
  Milliseconds grace{2'000};     ///< between SIGTERM and SIGKILL to the whole process group
  Bytes maxOutput{1 << 20};      ///< per stream; the rest is read and dropped
  std::optional<UnixUser> user;  ///< run as; needs root
  std::stop_token stop;          ///< ends the program as the time-out does
};

struct ProcessResult {
  int exitCode = 0;        ///< valid when signal is 0
  int signal = 0;          ///< that ended it, or 0
  std::string output;      ///< standard output
  std::string errors;      ///< standard error
  bool truncated = false;  ///< either stream was over maxOutput
  bool timedOut = false;
  bool stopped = false;  ///< by `stop`

  [[nodiscard]] bool succeeded() const { return signal == 0 && exitCode == 0 && !timedOut && !stopped; }
};

/// Blocks until the program has ended and nothing of its process group is left. Thread-safe; usable in a program with
/// threads. The child has none of our descriptors, default signal actions and an empty signal mask. Error kSpawnFailed
/// names the step that failed.
[[nodiscard]] Result<ProcessResult> runProcess(const ProcessSpec& spec);

}  // namespace fairlead::net
