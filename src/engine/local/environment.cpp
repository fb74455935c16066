#include "local/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fairlead::engine::local {
namespace {

using Environment = std::map<std::string, std::string>;

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

void addRank(Environment& env, const Position& at, const RankContext& context) {
  const auto rank = std::to_string(at.rank);
  const auto world = std::to_string(at.world);
  for (const auto* name : {"RANK", "LOCAL_RANK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "PMI_RANK"})
    env[name] = rank;
  for (const auto* name :
       {"WORLD_SIZE", "LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "PMI_SIZE"})
    env[name] = world;
  env["NODE_RANK"] = env["GROUP_RANK"] = env["OMPI_COMM_WORLD_NODE_RANK"] = "0";
  env["GROUP_WORLD_SIZE"] = "1";
  env["ROLE_RANK"] = std::to_string(at.roleRank);
  env["ROLE_WORLD_SIZE"] = std::to_string(at.roleWorld);
  env["MASTER_ADDR"] = "127.0.0.1";
  env["MASTER_PORT"] = std::to_string(context.masterPort);
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

void addArray(Environment& env, const LaunchOrder& order) {
  if (order.arrayIndex < 0) return;
  env["FAIRLEAD_ARRAY_INDEX"] = env["SLURM_ARRAY_TASK_ID"] = std::to_string(order.arrayIndex);
  env["FAIRLEAD_ARRAY"] = env["SLURM_ARRAY_JOB_ID"] = order.arrayParent;
}

void addOurs(Environment& env, const LaunchOrder& order, const LaunchMember& member, const RankContext& context) {
  env["FAIRLEAD_WORKLOAD"] = order.workload;
  env["FAIRLEAD_NAME"] = order.name;
  env["FAIRLEAD_PROJECT"] = order.project;
  env["FAIRLEAD_CLUSTER"] = order.cluster;
  env["FAIRLEAD_NODE"] = order.node;
  env["FAIRLEAD_ATTEMPT"] = std::to_string(order.number);
  env["FAIRLEAD_ATTEMPT_ID"] = order.attempt;
  env["FAIRLEAD_INTENT"] = order.intent;
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
    if (!name.starts_with("FAIRLEAD_")) env[name] = value;
  addArray(env, order);
  env["PWD"] = folder;
  addOurs(env, order, member, context);
  for (const auto& [name, value] : member.deviceEnv) env[name] = value;
  std::vector<std::string> texts;
  texts.reserve(env.size());
  for (const auto& [name, value] : env) texts.push_back(name + "=" + value);
  return texts;
}

}  // namespace fairlead::engine::local
