#include "local/model_input.hpp"

#include "local/file_tree.hpp"

#include <fairlead/codec/digest.hpp>

namespace fairlead::engine::local {

Fields verifyModel(const LaunchOrder& order, const Identity& identity) {
  if (!becomeForGood(identity)) return {{"problem", "cannot become the workload's user"}};
  auto root = openBelow("/", order.modelPath);
  if (!root) return {{"problem", "model " + root.error().message}};
  TreeBudget budget{order.artifactLimit, 10'000'000, "the model"};
  const auto digest = digestTree(*root, budget);
  if (!digest) return {{"problem", "model " + order.modelPath + ": " + digest.error().message}};
  if (codec::toHex(digest->digest) == order.modelDigest) return {{"verified", "1"}};
  return {{"problem", "the model at " + order.modelPath + " has digest " + codec::toHex(digest->digest) +
                          ", its version says " + order.modelDigest}};
}

}  // namespace fairlead::engine::local
