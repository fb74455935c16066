// Copies of the logs where the user wants them (`#SBATCH --output=%x-%j.out`), written with the user's rights.
#pragma once

#include "local/environment.hpp"
#include "local/posix.hpp"

#include <fairlead/base/result.hpp>

#include <map>
#include <string>
#include <string_view>

namespace fairlead::engine::local {

/// `%j %x %A %a %u %N %t %%` replaced; %j is the workload's id, %A that of its array, %t the rank. Other patterns stay
/// as they are.
[[nodiscard]] std::string expandPattern(std::string_view pattern, const LaunchOrder& order, std::int32_t rank);

class LogCopies {
 public:
  /// Opens the files of one rank; ranks and streams with the same name share one file. The error names the path.
  [[nodiscard]] Result<void> open(const LaunchOrder& order, const LaunchMember& member, const Identity& identity,
                                  const RankContext& context);
  /// Best effort: a full disk of the user's is the user's. `stream`: 0 output, 1 error.
  void append(std::int32_t rank, int stream, std::string_view bytes);

 private:
  std::map<std::string, Fd> files_;
  std::map<std::pair<std::int32_t, int>, int> targets_;
};

}  // namespace fairlead::engine::local
