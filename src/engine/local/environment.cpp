#include "local/environment.hpp"

#include "ranks/rank_environment.hpp"

#include <fmt/format.h>

namespace fairlead::engine::local {
namespace {

void addBase(Environment& env, const Identity& identity) {
  env["PATH"] = identity.uid == 0 ? "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
                                  : "/usr/local/bin:/usr/bin:/bin";
  env["HOME"] = identity.home;
  env["USER"] = identity.name;
  env["LOGNAME"] = identity.name;
  env["SHELL"] = identity.shell;
  env["LANG"] = "C.UTF-8";
  env["TMPDIR"] = "/tmp";
}

struct Position {
  std::size_t rank, world, roleRank, roleWorld;
};

Position positionOf(const LaunchOrder& order, std::size_t index) {
  Position position{index, order.members.size(), 0, 0};
  for (std::size_t i = 0; i < order.members.size(); ++i) {
    if (order.members[i].role != order.members[index].role) continue;
    if (i < index) ++position.roleRank;
    ++position.roleWorld;
  }
  return position;
}

/// All ranks are on this host.
void addRank(Environment& env, const Position& at, const RankContext& context) {
  const auto rank = std::to_string(at.rank);
  const auto world = std::to_string(at.world);
  addRankVariables(env, {rank, world, rank, world, "0", "1", std::to_string(at.roleRank), std::to_string(at.roleWorld),
                         "127.0.0.1", std::to_string(context.masterPort)});
}

RunFacts factsOf(const LaunchOrder& order) {
  return {order.workload, order.name,   order.project,     order.cluster,   order.attempt,
          order.intent,   order.number, order.arrayParent, order.arrayIndex};
}

/// For scripts written for sbatch. SLURM_JOBID and the node list forms that make mpirun look for srun are left out.
void addSlurm(Environment& env, const LaunchOrder& order, const LaunchMember& member, const Position& at,
              const std::string& folder) {
  env["SLURM_JOB_ID"] = order.workload;
  env["SLURM_JOB_NAME"] = order.name;
  env["SLURM_JOB_USER"] = env["USER"];
  env["SLURM_JOB_ACCOUNT"] = order.project;
  env["SLURM_SUBMIT_DIR"] = folder;
  env["SLURM_PROCID"] = env["SLURM_LOCALID"] = std::to_string(at.rank);
  env["SLURM_NTASKS"] = env["SLURM_NPROCS"] = std::to_string(at.world);
  env["SLURM_NODEID"] = "0";
  env["SLURM_NNODES"] = env["SLURM_JOB_NUM_NODES"] = "1";
  env["SLURMD_NODENAME"] = order.node;
  env["SLURM_RESTART_COUNT"] = std::to_string(order.number - 1);
  if (member.cpusMilli > 0) env["SLURM_CPUS_PER_TASK"] = std::to_string((member.cpusMilli + 999) / 1000);
}

void addOurs(Environment& env, const LaunchOrder& order, const LaunchMember& member, const RankContext& context) {
  addRunVariables(env, factsOf(order));
  env["FAIRLEAD_NODE"] = order.node;
  env["FAIRLEAD_ROLE"] = order.roles[static_cast<std::size_t>(member.role)].name;
  env["FAIRLEAD_MEMBER"] = std::to_string(member.rank);
  if (member.cpusMilli > 0) env["FAIRLEAD_CPUS_MILLI"] = std::to_string(member.cpusMilli);
  if (member.memory > 0) env["FAIRLEAD_MEMORY_BYTES"] = std::to_string(member.memory);
  if (member.deviceMilli > 0) env["FAIRLEAD_DEVICE_SHARE_MILLI"] = std::to_string(member.deviceMilli);
  if (!context.checkpoint.empty()) env["FAIRLEAD_CHECKPOINT"] = context.checkpoint;
  if (!context.modelPath.empty()) env["FAIRLEAD_MODEL_PATH"] = context.modelPath;
}

}  // namespace

std::string workingDirectory(const LaunchOrder& order, const LaunchMember& member, const RankContext& context) {
  const auto& asked = order.roles[static_cast<std::size_t>(member.role)].workingDirectory;
  return asked.empty() ? context.workFolder : asked;
}

std::vector<std::string> rankEnvironment(const LaunchOrder& order, std::size_t memberIndex, const Identity& identity,
                                         const RankContext& context) {
  const auto& member = order.members[memberIndex];
  const auto& role = order.roles[static_cast<std::size_t>(member.role)];
  const auto folder = workingDirectory(order, member, context);
  const auto position = positionOf(order, memberIndex);
  Environment env;
  addBase(env, identity);
  addRank(env, position, context);
  if (!role.script.empty()) addSlurm(env, order, member, position, folder);
  for (const auto& [name, value] : role.env)
    if (!isOurs(name)) env[name] = value;
  addArrayVariables(env, factsOf(order));
  env["PWD"] = folder;
  addOurs(env, order, member, context);
  for (const auto& [name, value] : member.deviceEnv) env[name] = value;
  std::vector<std::string> texts;
  texts.reserve(env.size());
  for (const auto& [name, value] : env) texts.push_back(name + "=" + value);
  return texts;
}

}  // namespace fairlead::engine::local
