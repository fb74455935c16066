// The variables that every rank finds, whichever engine starts it. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::engine {

using Environment = std::map<std::string, std::string>;

/// A rank's place. Texts, since an engine may know only at start what they are: the local engine gives numbers, a batch
/// script expressions of its shell.
struct RankTexts {
  std::string rank, world;
  std::string localRank, localWorld;  ///< among the ranks of its node
  std::string node, nodes;            ///< which of how many nodes
  std::string roleRank, roleWorld;
  std::string masterAddress, masterPort;
};
/// RANK, WORLD_SIZE and what torchrun, Open MPI and PMI call them.
void addRankVariables(Environment& env, const RankTexts& at);

/// What a rank is told about its run.
struct RunFacts {
  std::string workload, name, project, cluster;
  std::string attempt, intent;
  std::int64_t number = 1;       ///< of the attempt
  std::string arrayParent;       ///< empty: no element of an array
  std::int64_t arrayIndex = -1;  ///< -1: no element of an array
};
/// FAIRLEAD_WORKLOAD and its like.
void addRunVariables(Environment& env, const RunFacts& facts);
/// FAIRLEAD_ARRAY_INDEX, and what scripts for sbatch look for.
void addArrayVariables(Environment& env, const RunFacts& facts);

/// Variables that only engines may set: a user's own value is left out.
[[nodiscard]] bool isOurs(std::string_view name);
/// What tells a vendor's runtime that no device is visible. CUDA and ROCr take an empty list for none; the others
/// document an index that cannot exist.
[[nodiscard]] std::string_view noDevice(std::string_view vendor);

}  // namespace fairlead::engine
