#include "slurm/native_form.hpp"

#include "slurm/fate.hpp"
#include "slurm/script.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/spec_codec.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace fairlead::engine::slurm {
namespace {

using model::FailureCategory;
using model::NativeJob;
using model::WorkloadState;

constexpr std::size_t kMostSpecs = 4096;
constexpr std::size_t kNameBytes = 63;
constexpr std::size_t kWordBytes = 200;
constexpr auto kNoProject = "unassigned";

bool isNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

std::string fitName(const std::string& text) {
  std::string name;
  for (char c : text.substr(0, kNameBytes)) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    name += isNameCharacter(c) ? c : '-';
  }
  const auto isEdge = [](char c) { return c != '-' && c != '.' && c != '_'; };
  name.erase(name.begin(), std::find_if(name.begin(), name.end(), isEdge));
  name.erase(std::find_if(name.rbegin(), name.rend(), isEdge).base(), name.end());
  return name;
}

template <class Job>
std::string nameOf(const Job& job, bool pendingPart) {
  if (job.hetJobId) return fmt::format("{}+{}", *job.hetJobId, job.hetOffset);
  if (!job.arrayJobId) return std::to_string(job.id);
  if (job.arrayTaskId && !pendingPart) return fmt::format("{}_{}", *job.arrayJobId, *job.arrayTaskId);
  return std::to_string(*job.arrayJobId);
}

std::string userOf(const std::string& name, const std::optional<std::uint32_t>& uid) {
  if (!name.empty()) return printable(name, kWordBytes);
  return uid ? std::to_string(*uid) : "unknown";
}

std::string wordOf(const std::string& reason) {
  return reason.empty() || reason == "None" ? std::string() : printable(reason, kWordBytes);
}

/// More of anything is no number that a cluster has; sums and thousandfolds of it stay within 64 bits.
constexpr std::int64_t kMost = std::int64_t{1} << 50;
std::int64_t countOf(const std::optional<std::int64_t>& given, std::int64_t otherwise = 0) {
  return std::clamp<std::int64_t>(given.value_or(otherwise), 0, kMost);
}

std::int64_t perNode(std::int64_t total, std::int64_t nodes) { return (total + nodes - 1) / nodes; }

template <class Job>
NativeAsk askOf(const Job& job, bool interactive) {
  NativeAsk ask;
  if (interactive) ask.taskClass = model::TaskClass::interactive;
  const auto& tres = job.requested.empty() ? job.allocated : job.requested;
  const auto nodes = wire::tresCount(tres, "node").value_or(job.nodeCount.value_or(1));
  ask.members = std::clamp<std::int64_t>(nodes, 1, model::SpecLimits::membersPerRole);
  ask.cpus = perNode(countOf(wire::tresCount(tres, "cpu"), job.cpus.value_or(0)), ask.members);
  ask.memory = perNode(countOf(wire::tresCount(tres, "mem")), ask.members);
  // One member asks for one kind: of several, the one that it wants most of.
  const auto wanted = deviceCounts(tres);
  const auto most =
      std::max_element(wanted.begin(), wanted.end(), [](const auto& a, const auto& b) { return a.count < b.count; });
  if (most != wanted.end()) {
    const auto kind = deviceKindOf(*most);
    ask.devices =
        std::clamp<std::int64_t>(perNode(countOf(most->count), ask.members), 1, model::SpecLimits::devicesPerMember);
    if (!most->type.empty()) ask.model = kind->model;
    if (!most->type.empty() || most->name != "gpu") ask.vendor = kind->vendor;
  }
  if (job.limit.span) ask.limit = countOf(job.limit.span->count);
  return ask;
}

/// slurmdbd knows a batch job by its batch step, and the rest by other steps.
bool isInteractive(const wire::SlurmAccountedJob& run) {
  if (run.steps.empty() || run.hetOffset > 0) return false;
  return std::none_of(run.steps.begin(), run.steps.end(), [](const auto& step) { return step.id.ends_with("batch"); });
}

WorkloadState endStateOf(FailureCategory failure) {
  if (failure == FailureCategory::none) return WorkloadState::succeeded;
  return failure == FailureCategory::cancelled ? WorkloadState::cancelled : WorkloadState::failed;
}

void takeEnd(NativeJob& out, const JobFacts& facts, std::size_t nodes) {
  const auto end = endOf(facts, {}, false, {}, static_cast<std::int32_t>(std::max<std::size_t>(nodes, 1)));
  out.endedAt = facts.ended;
  out.failure = end.category;
  // Exit codes that mean something for our own scripts are only numbers in those of others.
  const bool ours = facts.exit && facts.exit->code == kNoRunFolder && !facts.launchFailed;
  if (out.failure == FailureCategory::startFailed && ours && facts.reason != "JobLaunchFailure")
    out.failure = FailureCategory::applicationExit;
  if (facts.exit && out.startedAt) out.ends = end.ends;
  out.state = endStateOf(out.failure);
}

}  // namespace

std::string nativeName(const wire::SlurmJob& job) { return nameOf(job, !job.arrayTaskText.empty()); }
std::string nativeName(const wire::SlurmAccountedJob& job) { return nameOf(job, false); }

std::string projectOf(const std::string& account, const std::vector<std::pair<std::string, std::string>>& configured) {
  for (const auto& [name, project] : configured)
    if (name == account) return project;
  auto name = fitName(account);
  return name.empty() ? std::string(kNoProject) : name;
}

model::SpecPtr NativeForm::specOf(const NativeAsk& ask) {
  const auto found = specs_.find(ask);
  if (found != specs_.end()) return found->second;
  if (specs_.size() >= kMostSpecs) specs_.clear();  // control keeps what is in use, by its digest
  model::Spec spec;
  spec.taskClass = ask.taskClass;
  spec.timeLimit = {ask.limit};
  model::Role role;
  role.name = "main";
  role.count = role.minimum = static_cast<std::int32_t>(ask.members);
  role.cpus = {ask.cpus * 1000};
  role.memory = {ask.memory};
  role.command = {"slurm-job"};  // a spec names one; this one is never started by us
  if (ask.devices > 0) role.devices.push_back({ask.vendor, ask.model, {}, static_cast<std::int32_t>(ask.devices), {}});
  spec.roles.push_back(std::move(role));
  return specs_.emplace(ask, codec::makeSpecDocument(std::move(spec))).first->second;
}

template <class Job>
NativeJob NativeForm::fill(const Job& job, bool interactive) {
  NativeJob out;
  out.origin.cluster = cluster_;
  out.origin.id = nativeName(job);
  out.origin.account = printable(job.account, kWordBytes);
  out.origin.queue = printable(job.partition, kWordBytes);
  out.origin.qos = printable(job.qos, kWordBytes);
  out.origin.state = printable(job.stateText, kWordBytes);
  out.origin.reason = wordOf(job.reason);
  out.name = job.name.empty() ? out.origin.id : printable(job.name, kNameBytes);
  out.user = userOf(job.user, job.uid);
  out.project = projectOf(job.account, projects_);
  out.spec = specOf(askOf(job, interactive));
  return out;
}

NativeJob NativeForm::ofJob(const wire::SlurmJob& job, TimePoint submitted, bool interactive,
                            const ClusterDevices& devices) {
  auto out = fill(job, interactive);
  const auto facts = factsOf(job);
  out.submittedAt = submitted;
  out.run = job.restarts + 1;
  if (job.pendingTasks)
    out.origin.jobs = static_cast<std::int32_t>(
        std::clamp<std::uint64_t>(job.pendingTasks->count(), 1, std::numeric_limits<std::int32_t>::max()));
  const bool hasNodes = !job.nodes.text.empty();
  if (facts.phase != JobPhase::waiting && hasNodes) {
    out.startedAt = facts.started;
    out.placement = placementOf(facts.components.front(), devices);
  }
  if (facts.phase == JobPhase::ended) {
    takeEnd(out, facts, job.nodes.names.size());
  } else if (facts.phase == JobPhase::running) {
    out.state = job.flags.has(wire::JobFlag::completing) ? WorkloadState::stopping : WorkloadState::running;
  } else {
    out.state = job.held ? WorkloadState::held : WorkloadState::queued;
    if (job.restarts > 0 && !job.failedNode.empty()) out.failure = FailureCategory::nodeLost;
  }
  return out;
}

NativeJob NativeForm::ofRun(const wire::SlurmAccountedJob& run, std::uint32_t number, TimePoint submitted,
                            const ClusterDevices& devices) {
  auto out = fill(run, isInteractive(run));
  const auto facts = factsOf(run);
  out.submittedAt = submitted;
  out.run = number;
  if (!run.nodes.text.empty()) {
    out.startedAt = facts.started;
    out.placement = placementOf(facts.components.front(), devices);
  }
  // A run that went back to the queue has no end state of its own there but this.
  if (wire::isFinal(run.state))
    takeEnd(out, facts, run.nodes.names.size());
  else
    out.endedAt = facts.ended;
  return out;
}

std::vector<NativeJob> NativeForm::ofRuns(std::span<const wire::SlurmAccountedJob* const> runs, bool goesOn,
                                          const ClusterDevices& devices) {
  std::vector<NativeJob> told;
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto submitted = runs.front()->submitTime.value_or(TimePoint{});
    number = std::max(number + 1, runs[i]->restarts + 1);
    auto ended = ofRun(*runs[i], number, submitted, devices);
    const bool last = i + 1 == runs.size() && !goesOn;
    if (last && runs.size() == 1) return {std::move(ended)};
    auto running = ended;  // as it was before it ended
    running.state = WorkloadState::running;
    running.endedAt = {};
    running.failure = FailureCategory::none;
    running.ends.clear();
    if (running.startedAt) told.push_back(std::move(running));
    if (!last) {
      ended.state = WorkloadState::queued;
      ended.run = number + 1;
      ended.startedAt = {};
      ended.placement.clear();
      ended.ends.clear();
    }
    told.push_back(std::move(ended));
  }
  return told;
}

template <class Job>
NativeJob NativeForm::ofSpentArray(const Job& element, TimePoint submitted) {
  auto out = fill(element, false);
  out.origin.id = std::to_string(element.arrayJobId.value_or(element.id));
  out.origin.state = "STARTED";
  out.origin.reason = "all its elements are jobs of their own";
  out.submittedAt = submitted;
  out.state = WorkloadState::succeeded;
  return out;
}
template NativeJob NativeForm::ofSpentArray(const wire::SlurmJob&, TimePoint);
template NativeJob NativeForm::ofSpentArray(const wire::SlurmAccountedJob&, TimePoint);

}  // namespace fairlead::engine::slurm
