#include "data/model_input.hpp"

#include "data/file_tree.hpp"

#include <fairlead/codec/digest.hpp>

namespace fairlead::engine::data {

local::Fields verifyModel(const ModelInput& model, const local::Identity& identity) {
  if (!local::becomeForGood(identity)) return {{"problem", "cannot become the workload's user"}};
  auto root = openBelow("/", model.path);
  if (!root) return {{"problem", "model " + root.error().message}, {"absent", "1"}};
  TreeBudget budget{model.limit, 10'000'000, "the model"};
  const auto digest = digestTree(*root, budget);
  if (!digest) return {{"problem", "model " + model.path + ": " + digest.error().message}};
  if (codec::toHex(digest->digest) == model.digest) return {{"verified", "1"}};
  return {{"problem", "the model at " + model.path + " has digest " + codec::toHex(digest->digest) +
                          ", its version says " + model.digest}};
}

}  // namespace fairlead::engine::data
