#include "slurm/submission.hpp"

#include "local/posix.hpp"
#include "slurm/shell_text.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/digest.hpp>
#include <fairlead/engine/errors.hpp>
#include <fairlead/model/accelerators.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace fairlead::engine::slurm {
namespace {

constexpr std::string_view kFileScheme = "file://";
constexpr Milliseconds kMinute{60'000};

std::string filled(std::string text, const std::vector<std::pair<std::string, std::string>>& values) {
  for (const auto& [mark, value] : values)
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  return text;
}

const DeviceKind* kindOf(const model::MemberPlacement& placed, const std::vector<DeviceKind>& kinds) {
  for (const auto& kind : kinds)
    if (kind.vendor == placed.vendor && kind.model == placed.model) return &kind;
  return nullptr;
}

/// As many of a role's members on a node as the plan put there, and as divide evenly.
std::int64_t membersPerNode(const std::vector<const model::MemberPlacement*>& members) {
  std::map<std::string, std::int64_t> onNode;
  for (const auto* member : members) ++onNode[member->node];
  std::int64_t most = 1;
  for (const auto& [node, count] : onNode) most = std::max(most, count);
  const auto all = static_cast<std::int64_t>(members.size());
  while (all % most != 0) --most;
  return most;
}

class Planner {
 public:
  Planner(const control::StartOrder& order, const SlurmOptions& options, const JobUser& user,
          const std::vector<DeviceKind>& kinds, const StartFiles& found)
      : order_(order), spec_(order.workload.spec->spec), options_(options), user_(user), kinds_(kinds), found_(found) {}

  Result<JobPlan> plan() {
    script_.user = user_.name;
    script_.logs = spec_.logs;
    script_.container = options_.container;
    takeFacts();
    script_.checkpoint = found_.checkpoint;
    plan_.folder = script_.folder =
        filled(options_.runFolder, {{"%h", user_.home}, {"%u", user_.name}}) + "/" + script_.facts.intent;
    if (auto taken = takeModel(); !taken) return tl::unexpected(taken.error());
    for (std::size_t i = 0; i < spec_.roles.size(); ++i)
      if (auto taken = takeRole(i); !taken) return tl::unexpected(taken.error());
    if (script_.roles.empty()) return refuse("the order places no member");
    fill();
    return std::move(plan_);
  }

 private:
  static tl::unexpected<Error> refuse(std::string message, std::string remedy = {}) {
    return fail(kOrderRefused, std::move(message), std::move(remedy));
  }

  void takeFacts() {
    const auto& workload = order_.workload;
    script_.facts = {toText(workload.id),       workload.name,
                     workload.project,          options_.cluster,
                     toText(order_.attempt.id), model::toText(order_.intent.id),
                     order_.attempt.number,     workload.arrayParent ? toText(workload.arrayParent) : std::string(),
                     workload.arrayIndex};
  }

  Result<void> takeModel() {
    if (order_.modelUri.empty()) return {};
    if (!order_.modelUri.starts_with(kFileScheme))
      return refuse("this engine hands over models from file:// only, not from " + printable(order_.modelUri));
    script_.modelPath = order_.modelUri.substr(kFileScheme.size());
    plan_.files.modelPath = script_.modelPath;
    plan_.files.modelDigest = codec::toHex(order_.modelDigest);
    if (found_.modelUnseen) script_.modelDigest = plan_.files.modelDigest;
    return {};
  }

  Result<void> takeRole(std::size_t index) {
    std::vector<const model::MemberPlacement*> members;
    for (const auto& placed : order_.attempt.placement)
      if (placed.role == static_cast<std::int32_t>(index)) members.push_back(&placed);
    if (members.empty()) return {};  // an elastic role that got nothing
    const auto& role = spec_.roles[index];
    if (role.command.empty() && role.script.empty())
      return refuse(fmt::format("role {} has neither command nor script", role.name));
    ScriptRole out;
    out.role = &role;
    out.members = static_cast<std::int64_t>(members.size());
    out.tasksPerNode = membersPerNode(members);
    out.nodes = out.members / out.tasksPerNode;
    for (const auto& before : script_.roles) {
      out.rankOffset += before.members;
      out.nodeOffset += before.nodes;
    }
    const auto& first = *members.front();
    out.cpus = (first.cpus.count + 999) / 1000;
    wire::SlurmComponent component;
    if (auto taken = takeDevices(role, first, out, component); !taken) return taken;
    if (auto taken = takeImage(role, first, out); !taken) return taken;
    takeShape(first, out, component);
    plan_.roles.push_back({static_cast<std::int32_t>(index), out.members, out.tasksPerNode, out.devices});
    script_.roles.push_back(std::move(out));
    plan_.submit.components.push_back(std::move(component));
    return {};
  }

  Result<void> takeDevices(const model::Role& role, const model::MemberPlacement& placed, ScriptRole& out,
                           wire::SlurmComponent& component) {
    std::set<std::string> hidden;
    for (const auto& kind : kinds_) hidden.insert(kind.vendor);
    for (const auto& slice : placed.devices)
      if (slice.milli.count < 1000)
        return refuse(fmt::format("role {} asks for {} of a device; Slurm hands out whole ones here", role.name,
                                  thousandthsToText(slice.milli.count)),
                      "ask for whole devices, or for a slice that is a model of its own (MIG)");
    out.devices = static_cast<std::int64_t>(placed.devices.size());
    if (out.devices > 0) {
      const auto* kind = kindOf(placed, kinds_);
      if (kind == nullptr)
        return refuse(
            fmt::format("role {}: no node of {} has {} {}", role.name, options_.cluster, placed.vendor, placed.model));
      out.gresName = kind->gresName;
      out.deviceVariable = std::string(model::visibleVariable(kind->vendor));
      out.usesNvidia = kind->vendor == "nvidia";
      hidden.erase(kind->vendor);
      wire::GresEntry gres;
      gres.name = kind->gresName;
      gres.type = kind->gresType;
      gres.count = out.devices * out.tasksPerNode;
      component.gresPerNode.push_back(std::move(gres));
      for (const auto& [name, feature] : options_.constraints)
        if (model::modelMatches(name, kind->model)) component.constraint = feature;
      const auto& asked = spec_.slurm.constraint;
      if (!asked.empty())
        component.constraint = component.constraint.empty() ? asked : component.constraint + "&(" + asked + ")";
    }
    for (const auto& vendor : hidden)
      if (const auto variable = model::visibleVariable(vendor); !variable.empty() && variable != out.deviceVariable)
        out.otherDevices.emplace_back(variable, noDevice(vendor));
    return {};
  }

  Result<void> takeImage(const model::Role& role, const model::MemberPlacement& placed, ScriptRole& out) {
    if (role.images.empty()) return {};
    if (options_.container == SlurmContainer::none)
      return refuse(fmt::format("role {} has a container image, and cluster {} is told no way to run one", role.name,
                                options_.cluster),
                    "set the cluster's option `container` to pyxis, apptainer or oci, or leave `images` out");
    const auto* row = placed.model.empty() ? nullptr : model::findAccelerator(placed.model);
    for (const auto& [stack, image] : role.images)
      if (row == nullptr || stack == row->stack) out.image = image;
    if (out.image.empty())
      return refuse(fmt::format("role {} has no image for {} ({})", role.name, placed.model,
                                row != nullptr ? row->stack : std::string_view("no stack")));
    return {};
  }

  void takeShape(const model::MemberPlacement& placed, const ScriptRole& out, wire::SlurmComponent& component) {
    component.nodes = out.nodes;
    component.tasksPerNode = out.tasksPerNode;
    component.cpusPerTask = out.cpus;
    if (placed.memory.count > 0) component.memoryPerNode = placed.memory * out.tasksPerNode;
    const auto& asked = spec_.slurm;
    component.partition = asked.partition.empty() ? options_.partition : asked.partition;
    component.account = account();
    component.qos = asked.qos.empty() ? options_.qos : asked.qos;
    component.reservation = asked.reservation;
    component.licenses = asked.licenses;
    component.exclusive = asked.exclusive;
    if (asked.switches > 0) component.switches = asked.switches;
    if (component.constraint.empty()) component.constraint = asked.constraint;
    for (const auto& node : order_.workload.avoidNodes)
      component.excludedNodes += (component.excludedNodes.empty() ? "" : ",") + node;
  }

  /// The account that the project is mapped to, else as the cluster's document says.
  std::string account() const {
    for (const auto& [account, project] : options_.projects)
      if (project == order_.workload.project) return account;
    return filled(options_.account, {{"%p", order_.workload.project}, {"%u", user_.name}});
  }

  void fill() {
    auto& submit = plan_.submit;
    const auto& role = *script_.roles.front().role;
    plan_.batchStyle = script_.roles.size() == 1 && hasDirectives(role.script);
    submit.script = plan_.batchStyle ? batchScript(script_) : rankScript(script_);
    submit.name = jobName(order_.intent.id, order_.workload.name);
    submit.comment = jobComment(order_.intent.id);
    submit.workDir = role.workingDirectory.empty() || !plan_.batchStyle ? user_.home : role.workingDirectory;
    submit.requeue = options_.requeue;
    submit.openMode = "append";
    submit.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"},
                          {"HOME", user_.home},
                          {"USER", user_.name},
                          {"LOGNAME", user_.name},
                          {"SHELL", "/bin/bash"},
                          {"LANG", "C.UTF-8"},
                          {"TMPDIR", "/tmp"}};
    if (spec_.timeLimit.count > 0) submit.timeLimit = spec_.timeLimit;
    if (spec_.checkpoint && spec_.checkpoint->signal != 0 && spec_.timeLimit > kMinute) {
      submit.signal = spec_.checkpoint->signal;
      submit.signalSeconds = std::min(spec_.checkpoint->grace.count, spec_.timeLimit.count / 2) / 1000;
      submit.signalBatchShell = plan_.batchStyle;
    }
    fillLogs();
    fillFiles();
  }

  void fillFiles() {
    auto& files = plan_.files;
    files.intent = script_.facts.intent;
    files.user = user_.name;
    files.workingDirectory = workingDirectory();
    files.checkpoint = spec_.checkpoint;
    files.outputs = spec_.outputs;
    files.artifacts = options_.stateDir + "/artifacts";
    files.artifactLimit = options_.artifactLimit.count;
  }

  void fillLogs() {
    auto& submit = plan_.submit;
    if (!plan_.batchStyle) {
      submit.stdoutPattern = plan_.folder + "/" + kBatchLog;
      std::int64_t world = 0;
      for (const auto& role : script_.roles) world += role.members;
      const bool merged = !spec_.logs.standardOutput.empty() && spec_.logs.standardError.empty();
      for (std::int64_t rank = 0; rank < world; ++rank) {
        plan_.outputs.push_back(absolute(rankLog(script_, rank, false)));
        plan_.errors.push_back(merged ? plan_.outputs.back() : absolute(rankLog(script_, rank, true)));
      }
      return;
    }
    const auto pattern = [&](bool errors) { return absolute(rankLog(script_, 0, errors)); };
    const bool named = !spec_.logs.standardOutput.empty();
    plan_.outputs.push_back(named ? pattern(false) : plan_.folder + "/" + kBatchLog);
    plan_.errors.push_back(spec_.logs.standardError.empty() ? plan_.outputs[0] : pattern(true));
    submit.stdoutPattern = plan_.outputs[0];
    if (plan_.errors[0] != plan_.outputs[0]) submit.stderrPattern = plan_.errors[0];
    if (!spec_.logs.append) submit.openMode = "truncate";
  }

  /// A relative name counts from where the role runs.
  std::string absolute(std::string path) const {
    return path.starts_with('/') ? path : workingDirectory() + "/" + path;
  }

  /// Of the first role.
  std::string workingDirectory() const {
    const auto& asked = script_.roles.front().role->workingDirectory;
    if (!asked.empty()) return asked;
    return plan_.batchStyle ? plan_.submit.workDir : plan_.folder + "/work";
  }

  const control::StartOrder& order_;
  const model::Spec& spec_;
  const SlurmOptions& options_;
  const JobUser& user_;
  const std::vector<DeviceKind>& kinds_;
  const StartFiles& found_;
  ScriptOrder script_;
  JobPlan plan_;
};

}  // namespace

std::string jobName(const model::IntentId& intent, const std::string& workloadName) {
  std::string name;
  for (const char c : workloadName.substr(0, model::SpecLimits::nameBytes)) {
    const bool kept =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    name += kept ? c : '_';
  }
  return name.empty() ? model::toText(intent) : model::toText(intent) + "." + name;
}

std::string jobComment(const model::IntentId& intent) { return "fairlead " + model::toText(intent); }

std::optional<model::IntentId> intentOf(const std::string& name) {
  const auto first = name.find('.');
  const auto second = first == std::string::npos ? first : name.find('.', first + 1);
  auto intent = model::parseIntentId(std::string_view(name).substr(0, second));
  if (intent && intent->kind != model::IntentKind::start) intent.reset();
  return intent;
}

std::optional<model::IntentId> intentOf(const std::string& name, const std::string& comment) {
  auto intent = intentOf(name);
  if (intent && comment != jobComment(*intent)) intent.reset();
  return intent;
}

Result<JobPlan> planJob(const control::StartOrder& order, const SlurmOptions& options, const JobUser& user,
                        const std::vector<DeviceKind>& kinds, const StartFiles& found) {
  if (order.intent.id.kind != model::IntentKind::start || order.intent.id.attempt != order.attempt.id)
    return fail(kOrderRefused, "the intent is not a start of this attempt");
  if (!order.workload.spec) return fail(kOrderRefused, "the order has no spec");
  return Planner(order, options, user, kinds, found).plan();
}

}  // namespace fairlead::engine::slurm
