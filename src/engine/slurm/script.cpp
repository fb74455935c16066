#include "slurm/script.hpp"

#include "slurm/shell_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::engine::slurm {
namespace {

std::string exportLine(const std::string& name, const std::string& value) {
  return "export " + name + "=" + shellWord(value) + "\n";
}

bool setByUser(const model::Role& role, std::string_view name) {
  return std::any_of(role.env.begin(), role.env.end(), [&](const auto& e) { return e.first == name; });
}

/// The user's own variables. Slurm's stay Slurm's: srun reads them.
std::string userLines(const model::Role& role) {
  std::string out;
  for (const auto& [name, value] : role.env)
    if (!isOurs(name) && !name.starts_with("SLURM_") && isVariableName(name)) out += "  " + exportLine(name, value);
  return out;
}

std::string firstLines(const ScriptOrder& order) {
  return fmt::format("#!/bin/bash\n# Fairlead {}\n", order.facts.intent);
}

/// What a signal does to our batch shell. It must not end by one: one for the ranks may come here as well. By number:
/// HUP INT QUIT, USR1 USR2, ALRM TERM, CONT, URG to PWR.
std::string trapLines() {
  return fmt::format(
      "fl_hit=\n"
      "for fl_i in 1 2 3 10 12 14 15 18 {{23..30}}; do trap \"fl_hit+=' $((128 + fl_i)) '\" \"$fl_i\"; done\n"
      "for ((fl_i = 1; fl_i <= {0}; fl_i++)); do\n"
      "  trap \"fl_hit+=' $(({1} + 128 + fl_i)) '; scancel --signal=$fl_i \\\"\\$SLURM_JOB_ID\\\"\" $(({1} + fl_i))\n"
      "done\n",
      kHighestPassedSignal, passingSignal(0));
}

/// A program of the user's in the attempt's folder. By the shell itself: a short job feels every process that is begun.
std::string fileLines(const std::string& name, std::string_view text) {
  return fmt::format("printf %s {1} >\"$fl_dir/{0}\"\nchmod 700 -- \"$fl_dir/{0}\"\n", name, shellWord(text));
}

std::string headLines(const ScriptOrder& order) {
  Environment env;
  addRunVariables(env, order.facts);
  if (order.facts.arrayIndex >= 0) addArrayVariables(env, order.facts);
  if (!order.checkpoint.empty()) env["FAIRLEAD_CHECKPOINT"] = order.checkpoint;
  if (!order.modelPath.empty()) env["FAIRLEAD_MODEL_PATH"] = order.modelPath;
  env["FAIRLEAD_RUN_FOLDER"] = order.folder;
  std::string out;
  for (const auto& [name, value] : env) out += exportLine(name, value);
  out += fmt::format(
      "fl_dir=$FAIRLEAD_RUN_FOLDER\n"
      "if ! (umask 077; exec mkdir -p -- \"$fl_dir/{0}\" \"$fl_dir/work\"); then\n"
      "  printf '%s\\n' \"fairlead: the folder $fl_dir cannot be made on $(hostname)\" >&2\n"
      "  exit {1}\n"
      "fi\n",
      kEndsFolder, kNoRunFolder);
  if (!order.modelDigest.empty())
    out += fmt::format(
        "if [ ! -d \"$FAIRLEAD_MODEL_PATH\" ] && ! printf '%s  %s\\n' {} \"$FAIRLEAD_MODEL_PATH\" | sha256sum --check "
        "--status --strict; then\n"
        "  printf '%s\\n' \"fairlead: $FAIRLEAD_MODEL_PATH is not what its digest says\" >&2\n  exit {}\nfi\n",
        shellWord(order.modelDigest), kModelDiffers);
  // Ports below the range that the kernel hands out; the same on all nodes, other for neighbouring jobs.
  return out +
         "{ read -r MASTER_ADDR </proc/sys/kernel/hostname || MASTER_ADDR=$(hostname); } 2>/dev/null\n"
         "export MASTER_ADDR\n"
         "export MASTER_PORT=$((20000 + SLURM_JOB_ID % 12000))\n";
}

std::string devicePart(const ScriptRole& role) {
  std::string out;
  for (const auto& [name, value] : role.otherDevices) out += exportLine(name, value);
  if (role.devices == 0 || role.deviceVariable.empty()) return out;
  if (role.gresName == "gpu") {
    out += "fl_all=${CUDA_VISIBLE_DEVICES-${ROCR_VISIBLE_DEVICES-${GPU_DEVICE_ORDINAL-}}}\n";
  } else {
    // Slurm tells a job no indices of other resources: they stand in the job's details, one line per set of nodes.
    out +=
        "fl_all=\n"
        "while IFS= read -r fl_line; do\n"
        "  [[ $fl_line =~ Nodes=([^ ]+).*GRES=.*" +
        role.gresName +
        "[^(]*\\(IDX:([0-9,-]+)\\) ]] || continue\n"
        "  fl_set=${BASH_REMATCH[1]} fl_index=${BASH_REMATCH[2]}\n"
        "  scontrol show hostnames \"$fl_set\" | grep -qxF -- \"$SLURMD_NODENAME\" || continue\n"
        "  IFS=, read -ra fl_parts <<<\"$fl_index\"\n"
        "  for fl_part in \"${fl_parts[@]}\"; do\n"
        "    for ((fl_i = ${fl_part%-*}; fl_i <= ${fl_part#*-}; fl_i++)); do fl_all+=${fl_all:+,}$fl_i; done\n"
        "  done\n"
        "done < <(scontrol show job -d \"$SLURM_JOB_ID\")\n";
  }
  out += fmt::format(
      "IFS=, read -ra fl_devices <<<\"$fl_all\"\n"
      "fl_mine=(\"${{fl_devices[@]:SLURM_LOCALID * {0}:{0}}}\")\n"
      "export {1}=$(IFS=,; printf %s \"${{fl_mine[*]}}\")\n",
      role.devices, role.deviceVariable);
  if (role.usesNvidia) out += "export CUDA_DEVICE_ORDER=PCI_BUS_ID\n";
  return out;
}

std::string rankVariableLines(const ScriptOrder& order, const ScriptRole& role) {
  std::int64_t world = 0, nodes = 0;
  for (const auto& each : order.roles) {
    world += each.members;
    nodes += each.nodes;
  }
  Environment env;
  addRankVariables(env, {"$fl_rank", std::to_string(world), "$SLURM_LOCALID", std::to_string(role.tasksPerNode),
                         fmt::format("$(({} + SLURM_NODEID))", role.nodeOffset), std::to_string(nodes), "$SLURM_PROCID",
                         std::to_string(role.members), "$MASTER_ADDR", "$MASTER_PORT"});
  std::string out;
  for (const auto& [name, value] : env)
    if (!setByUser(*role.role, name) && !name.starts_with("MASTER_")) out += "export " + name + "=" + value + "\n";
  out += exportLine("FAIRLEAD_ROLE", role.role->name);
  out += "export FAIRLEAD_MEMBER=$fl_rank FAIRLEAD_NODE=${SLURMD_NODENAME:-$HOSTNAME}\n";
  if (role.cpus > 0) out += exportLine("FAIRLEAD_CPUS_MILLI", std::to_string(role.cpus * 1000));
  return out;
}

std::string logExpression(const ScriptOrder& order, bool errors) {
  const auto& asked =
      errors && !order.logs.standardError.empty() ? order.logs.standardError : order.logs.standardOutput;
  if (asked.empty()) return fmt::format("\"$FAIRLEAD_RUN_FOLDER/$fl_rank.{}\"", errors ? "err" : "out");
  NameFields fields{"$SLURM_JOB_ID", "$fl_rank", "$HOSTNAME", order.facts.name, order.user, {}, {}};
  if (order.facts.arrayIndex >= 0) {
    fields.arrayParent = order.facts.arrayParent;
    fields.arrayIndex = std::to_string(order.facts.arrayIndex);
  }
  return nameExpression(asked, fields);
}

/// What each rank runs before it becomes the user's command; its arguments are that command.
std::string rankProgram(const ScriptOrder& order, const ScriptRole& role) {
  const auto& logs = order.logs;
  const bool oneFile = !logs.standardOutput.empty() && logs.standardError.empty();
  const auto folder = role.role->workingDirectory.empty() ? std::string("\"$FAIRLEAD_RUN_FOLDER/work\"")
                                                          : shellWord(role.role->workingDirectory);
  std::string out = fmt::format("fl_rank=$(({} + SLURM_PROCID))\n", role.rankOffset);
  out += fmt::format(
      "cd -- {0} || fl_gone=1\nexec {1}>{2} {3} || exit 1\n", folder,
      logs.standardOutput.empty() || logs.append ? ">" : "", logExpression(order, false),
      oneFile ? "2>&1" : (logs.standardError.empty() || logs.append ? "2>>" : "2>") + logExpression(order, true));
  out += fmt::format(
      "fl_end() {{\n"
      "  printf '%s\\n' \"$1 $2\" >\"$FAIRLEAD_RUN_FOLDER/{0}/$fl_rank\"\n"
      "  (( $3 == 0 )) || (set -C; printf '%s %s\\n' \"$fl_rank\" \"$3\" >\"$FAIRLEAD_RUN_FOLDER/{1}\") 2>/dev/null\n"
      "  exit \"$3\"\n"
      "}}\n",
      kEndsFolder, kFirstFile);
  out += rankVariableLines(order, role) + devicePart(role);
  out += fmt::format(
      "[[ -z $fl_gone ]] || fl_end start \"working directory \"{}\" cannot be entered\" {}\n"
      "type -P -- \"$1\" >/dev/null || {{\n"
      "  printf 'fairlead: command %s: No such file or directory\\n' \"$1\" >&2\n"
      "  fl_end start \"command $1: No such file or directory\" {}\n"
      "}}\n"
      "trap : HUP INT QUIT TERM USR1 USR2 ALRM CONT XCPU XFSZ VTALRM PROF IO PWR WINCH URG\n"
      "\"$@\"\n"
      "fl_code=$?\n"
      "fl_end exit $fl_code $fl_code\n",
      folder, kNoWorkingDirectory, kNoCommand);
  return out;
}

std::string commandWords(const ScriptOrder& order, const ScriptRole& role, std::size_t index) {
  auto command =
      role.role->script.empty() ? shellWords(role.role->command) : fmt::format("\"$fl_dir/script.{}\"", index);
  if (role.image.empty() || order.container != SlurmContainer::apptainer) return command;
  return fmt::format("apptainer exec {}{} {}", role.usesNvidia ? "--nv " : "", shellWord(role.image), command);
}

std::string srunLine(const ScriptOrder& order, const ScriptRole& role, std::size_t index) {
  std::string line = "\"$fl_srun\"";
  if (order.roles.size() > 1) line += fmt::format(" --het-group={}", index);
  line += fmt::format(" --nodes={} --ntasks={} --ntasks-per-node={}", role.nodes, role.members, role.tasksPerNode);
  if (role.cpus > 0) line += fmt::format(" --cpus-per-task={}", role.cpus);
  line += " --distribution=block --kill-on-bad-exit=1 --input=none --export=ALL";
  if (!role.image.empty() && order.container == SlurmContainer::pyxis)
    line += " --container-image=" + shellWord(role.image);
  if (!role.image.empty() && order.container == SlurmContainer::oci) line += " --container=" + shellWord(role.image);
  return line + fmt::format(" /bin/bash -c \"$fl_program_{}\" fairlead-rank ", index) +
         commandWords(order, role, index);
}

std::string roleLines(const ScriptOrder& order, std::size_t index) {
  const auto& role = order.roles[index];
  std::string out;
  if (!role.role->script.empty()) out += fileLines(fmt::format("script.{}", index), role.role->script);
  out += fmt::format("fl_program_{}={}\n", index, shellWord(rankProgram(order, role)));
  return out + "(\n" + userLines(*role.role) + "  exec " + srunLine(order, role, index) + "\n) & fl_roles+=($!)\n";
}

}  // namespace

bool hasDirectives(std::string_view script) {
  for (std::size_t at = 0; at != std::string_view::npos && at < script.size();) {
    const auto line = script.substr(at, script.find('\n', at) - at);
    if (line.starts_with("#SBATCH")) return true;
    const auto first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') return false;
    at = script.find('\n', at);
    if (at != std::string_view::npos) ++at;
  }
  return false;
}

std::string rankScript(const ScriptOrder& order) {
  std::string out = firstLines(order) + trapLines() + headLines(order);
  out += fmt::format(
      "exec >>\"$fl_dir/{}\" 2>&1\n"
      "fl_old=$(wc -l <\"$fl_dir/{}\")\n"
      "rm -f -- \"$fl_dir/{}\" \"$fl_dir/{}\" \"$fl_dir/{}\"/*\n"
      "fl_srun=$(type -P srun) || {{ echo 'fairlead: there is no srun on this node'; exit {}; }}\n"
      "fl_roles=()\n"
      "set -m\n",
      kBatchLog, kBatchLog, kFirstFile, kResultFile, kEndsFolder, kNoCommand);
  std::int64_t world = 0;
  for (const auto& role : order.roles) world += role.members;
  for (std::size_t i = 0; i < order.roles.size(); ++i) out += roleLines(order, i);
  out += fmt::format(
      "fl_code=0 fl_left=${{#fl_roles[@]}}\n"
      "while (( fl_left > 0 )); do\n"
      "  fl_hit=\n"
      "  wait -n\n"
      "  fl_one=$?\n"
      "  [[ $fl_hit != *\" $fl_one \"* ]] || continue\n"  // a signal broke the wait; nobody ended
      "  (( fl_left-- ))\n"
      "  if (( fl_one != 0 && fl_code == 0 )); then\n"
      "    fl_code=$fl_one\n"
      "    kill -TERM \"${{fl_roles[@]}}\" 2>/dev/null\n"
      "  fi\n"
      "done\n"
      "for fl_end in \"$fl_dir/{0}\"/*; do\n"
      "  [[ -f $fl_end ]] && read -r fl_line <\"$fl_end\" && printf '%s %s\\n' \"${{fl_end##*/}}\" \"$fl_line\"\n"
      "done >\"$fl_dir/{1}\"\n"
      "fl_rank={3}\n"
      "if (( fl_code != 0 )) && read -r fl_rank fl_first <\"$fl_dir/{2}\"; then\n"
      "  fl_code=$fl_first\n"
      "  printf '%s first %s\\n' \"$fl_rank\" \"$fl_first\" >>\"$fl_dir/{1}\"\n"
      "fi\n"
      // Where Slurm itself watches memory it kills a step by signal 9, and says why to srun's standard error alone.
      "if (( fl_code != 0 )) && tail -n \"+$((fl_old + 1))\" \"$fl_dir/{4}\" |\n"
      "  grep -qE 'xceeded .*memory limit|oom.kill event|Out Of Memory'; then\n"
      "  printf '%s memory\\n' \"$fl_rank\" >>\"$fl_dir/{1}\"\n"
      "fi\n"
      "exit $fl_code\n",
      kEndsFolder, kResultFile, kFirstFile, world == 1 ? "0" : "-", kBatchLog);
  return out;
}

std::string batchScript(const ScriptOrder& order) {
  const auto& role = order.roles.front();
  std::string out = firstLines(order) + headLines(order);
  out += fileLines("script", role.role->script);
  out += userLines(*role.role);
  if (role.usesNvidia) out += "export CUDA_DEVICE_ORDER=PCI_BUS_ID\n";
  return out + exportLine("FAIRLEAD_ROLE", role.role->name) + "unset fl_dir\nexec \"$FAIRLEAD_RUN_FOLDER/script\"\n";
}

std::string rankLog(const ScriptOrder& order, std::int64_t rank, bool errors) {
  const auto& asked =
      errors && !order.logs.standardError.empty() ? order.logs.standardError : order.logs.standardOutput;
  if (asked.empty()) return fmt::format("{}/{}.{}", order.folder, rank, errors ? "err" : "out");
  std::string out;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    if (asked[i] != '%' || i + 1 == asked.size()) {
      out += asked[i];
      continue;
    }
    switch (asked[++i]) {
      case 't':
        out += std::to_string(rank);
        break;
      case 'x':
        out += order.facts.name;
        break;
      case 'u':
        out += order.user;
        break;
      case 'a':
        out += std::to_string(std::max<std::int64_t>(order.facts.arrayIndex, 0));
        break;
      case 'A':
        out += order.facts.arrayIndex >= 0 ? order.facts.arrayParent : "%j";
        break;
      default:
        out += std::string("%") + asked[i];
    }
  }
  return out;
}

}  // namespace fairlead::engine::slurm
