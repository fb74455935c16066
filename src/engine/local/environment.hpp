// The environment of a rank. Pure: nothing of the daemon's own environment enters.
#pragma once

#include "local/identity.hpp"
#include "local/launch_order.hpp"

#include <string>
#include <vector>

namespace fairlead::engine::local {

/// What is known only when the supervisor runs.
struct RankContext {
  int masterPort = 0;
  std::string workFolder;  ///< of the attempt, for ranks that name none
  std::string checkpoint;  ///< newest valid one; empty: none
  std::string modelPath;   ///< verified; empty: none
};

/// The folder that the rank starts in.
[[nodiscard]] std::string workingDirectory(const LaunchOrder& order, const LaunchMember& member,
                                           const RankContext& context);

/// `NAME=value` texts, each name once. Later layers win: base, rank, the user's own, and last what the user may not
/// change (FAIRLEAD_* and the visible devices). Ranks are numbered without gaps here also where an elastic role left
/// some out.
[[nodiscard]] std::vector<std::string> rankEnvironment(const LaunchOrder& order, std::size_t memberIndex,
                                                       const Identity& identity, const RankContext& context);

}  // namespace fairlead::engine::local
