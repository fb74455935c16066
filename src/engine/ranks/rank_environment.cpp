#include "ranks/rank_environment.hpp"

namespace fairlead::engine {

void addRankVariables(Environment& env, const RankTexts& at) {
  for (const auto* name : {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK"}) env[name] = at.rank;
  for (const auto* name : {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) env[name] = at.world;
  for (const auto* name : {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"}) env[name] = at.localRank;
  for (const auto* name : {"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"}) env[name] = at.localWorld;
  for (const auto* name : {"NODE_RANK", "GROUP_RANK", "OMPI_COMM_WORLD_NODE_RANK"}) env[name] = at.node;
  env["GROUP_WORLD_SIZE"] = at.nodes;
  env["ROLE_RANK"] = at.roleRank;
  env["ROLE_WORLD_SIZE"] = at.roleWorld;
  env["MASTER_ADDR"] = at.masterAddress;
  env["MASTER_PORT"] = at.masterPort;
}

void addRunVariables(Environment& env, const RunFacts& facts) {
  env["FAIRLEAD_WORKLOAD"] = facts.workload;
  env["FAIRLEAD_NAME"] = facts.name;
  env["FAIRLEAD_PROJECT"] = facts.project;
  env["FAIRLEAD_CLUSTER"] = facts.cluster;
  env["FAIRLEAD_ATTEMPT"] = std::to_string(facts.number);
  env["FAIRLEAD_ATTEMPT_ID"] = facts.attempt;
  env["FAIRLEAD_INTENT"] = facts.intent;
}

void addArrayVariables(Environment& env, const RunFacts& facts) {
  if (facts.arrayIndex < 0) return;
  env["FAIRLEAD_ARRAY_INDEX"] = env["SLURM_ARRAY_TASK_ID"] = std::to_string(facts.arrayIndex);
  env["FAIRLEAD_ARRAY"] = env["SLURM_ARRAY_JOB_ID"] = facts.arrayParent;
}

bool isOurs(std::string_view name) { return name.starts_with("FAIRLEAD_"); }

std::string_view noDevice(std::string_view vendor) { return vendor == "nvidia" || vendor == "amd" ? "" : "-1"; }

}  // namespace fairlead::engine
