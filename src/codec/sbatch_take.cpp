#include "sbatch_take.hpp"

#include "spec_rules.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/errors.hpp>
#include <fairlead/codec/signals.hpp>
#include <fairlead/model/ids.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::codec::sbatch_take {
namespace {

constexpr std::string_view kSlurmOnly = "heeded on Slurm clusters only; elsewhere devices, cpus and memory decide";

constexpr std::string_view kMemoryForms = "write it such as 4000M, 64G or 1T";
constexpr std::string_view kGpuForms = "write it such as 2, h100:2 or h100";

void bad(SbatchWork& work, const SbatchGiven& given, std::string_view what, std::string_view remedy) {
  work.fault(given, kBadValue, fmt::format("`{}` is not {}", printable(given.value, 80), what), std::string(remedy));
}

void count(SbatchWork& work, const SbatchGiven& given, SbatchOption<std::int64_t>& into,
           std::int64_t most = 1'000'000) {
  if (const auto value = slurmCount(given.value, 1, most))
    into.set(given, *value);
  else
    bad(work, given, "a count", fmt::format("use 1 to {}", most));
}

void gpuList(SbatchWork& work, const SbatchGiven& given, SbatchOption<GresList>& into) {
  if (auto list = slurmGpus(given.value))
    into.set(given, std::move(*list));
  else
    bad(work, given, "a request for GPUs", kGpuForms);
}

void size(SbatchWork& work, const SbatchGiven& given, SbatchOption<Bytes>& into) {
  if (const auto bytes = slurmMemory(given.value))
    into.set(given, *bytes);
  else
    bad(work, given, "an amount of memory", kMemoryForms);
}

void label(SbatchWork& work, const SbatchGiven& given, SbatchOption<std::string>& into) {
  if (auto fault = labelValueFault(given.value))
    work.notMap(given, fmt::format("becomes a label, and as one {}", fault->message));
  else
    into.set(given, given.value);
}

/// What only Slurm clusters heed; the answer says so.
void slurmWord(SbatchWork& work, const SbatchGiven& given, SbatchOption<std::string>& into) {
  if (auto fault = slurmWordFault(given.value)) {
    work.fault(given, kBadValue, std::move(fault->message), std::move(fault->remedy));
    return;
  }
  into.set(given, given.value);
  work.notMap(given, std::string(kSlurmOnly));
}

std::optional<model::Dependency::Condition> conditionOf(std::string_view type) {
  using enum model::Dependency::Condition;
  if (type == "afterok") return succeeded;
  if (type == "afternotok") return failed;
  if (type == "afterany") return finished;
  if (type == "after") return started;
  return {};
}

/// `afterok:w-7k3f9:w-2c8d1`
void oneDependency(SbatchWork& work, const SbatchGiven& given, std::string_view text,
                   std::vector<model::Dependency>& into) {
  const auto colon = text.find(':');
  const auto condition = conditionOf(text.substr(0, colon));
  if (!condition || colon == std::string_view::npos)
    return work.fault(given, kNotOffered, fmt::format("dependency `{}` is not offered", printable(text, 60)),
                      "use after, afterok, afternotok or afterany with workload ids, such as afterok:w-7k3f9");
  auto rest = text.substr(colon + 1);
  for (;;) {
    const auto end = std::min(rest.find(':'), rest.size());
    const auto id = rest.substr(0, end);
    if (!parseId<model::WorkloadTag>(id))
      return work.fault(given, kBadValue, fmt::format("`{}` is not a workload's id", printable(id, 40)),
                        "job numbers of Slurm are not known here; use an id such as w-7k3f9, without a delay");
    into.push_back({std::string(id), *condition});
    if (end == rest.size()) return;
    rest.remove_prefix(end + 1);
  }
}

}  // namespace

void account(SbatchWork& work, const SbatchGiven& given) {
  if (auto fault = nameFault(given.value))
    work.fault(given, kBadValue, "the account names the project: " + fault->message, std::move(fault->remedy));
  else
    work.request.account.set(given, given.value);
}

void constraint(SbatchWork& work, const SbatchGiven& given) { slurmWord(work, given, work.request.constraint); }
void licenses(SbatchWork& work, const SbatchGiven& given) { slurmWord(work, given, work.request.licenses); }
void partition(SbatchWork& work, const SbatchGiven& given) { slurmWord(work, given, work.request.partition); }
void qos(SbatchWork& work, const SbatchGiven& given) { slurmWord(work, given, work.request.qos); }
void reservation(SbatchWork& work, const SbatchGiven& given) { slurmWord(work, given, work.request.reservation); }

void exclusive(SbatchWork& work, const SbatchGiven& given) {
  work.request.exclusive = given.value.empty() || given.value == "exclusive";
  work.notMap(given, work.request.exclusive ? std::string(kSlurmOnly)
                                            : "other work may share the node; only --exclusive alone is carried");
}

void switches(SbatchWork& work, const SbatchGiven& given) {
  const auto count = slurmCount(std::string_view(given.value).substr(0, given.value.find('@')), 1, 10'000);
  if (!count) return bad(work, given, "a number of switches", "write it such as 1, or 1@30:00");
  work.request.switches.set(given, *count);
  work.notMap(given, std::string(kSlurmOnly));
}

void array(SbatchWork& work, const SbatchGiven& given) { work.request.array.set(given, given.value); }

void begin(SbatchWork& work, const SbatchGiven& given) {
  if (const auto moment = slurmInstant(given.value, work.context.now, work.context.zoneOffsetMinutes))
    work.request.begin.set(given, *moment);
  else
    bad(work, given, "a time", "write it such as now+2hours, 16:00, tomorrow or 2026-12-01T08:00");
}

void chdir(SbatchWork& work, const SbatchGiven& given) { work.request.chdir.set(given, given.value); }
void comment(SbatchWork& work, const SbatchGiven& given) { label(work, given, work.request.comment); }
void wckey(SbatchWork& work, const SbatchGiven& given) { label(work, given, work.request.wckey); }
void cpusPerGpu(SbatchWork& work, const SbatchGiven& given) { count(work, given, work.request.cpusPerGpu, 100'000); }
void cpusPerTask(SbatchWork& work, const SbatchGiven& given) { count(work, given, work.request.cpusPerTask, 100'000); }
void leastCpus(SbatchWork& work, const SbatchGiven& given) { count(work, given, work.request.leastCpus, 100'000); }
void socketsPerNode(SbatchWork& work, const SbatchGiven& given) {
  count(work, given, work.request.socketsPerNode, 1024);
}
void tasks(SbatchWork& work, const SbatchGiven& given) { count(work, given, work.request.tasks); }
void tasksPerGpu(SbatchWork& work, const SbatchGiven& given) { count(work, given, work.request.tasksPerGpu); }
void tasksPerNode(SbatchWork& work, const SbatchGiven& given) { count(work, given, work.request.tasksPerNode); }
void gpus(SbatchWork& work, const SbatchGiven& given) { gpuList(work, given, work.request.gpus); }
void gpusPerNode(SbatchWork& work, const SbatchGiven& given) { gpuList(work, given, work.request.gpusPerNode); }
void gpusPerSocket(SbatchWork& work, const SbatchGiven& given) { gpuList(work, given, work.request.gpusPerSocket); }
void gpusPerTask(SbatchWork& work, const SbatchGiven& given) { gpuList(work, given, work.request.gpusPerTask); }
void memoryPerCpu(SbatchWork& work, const SbatchGiven& given) { size(work, given, work.request.memoryPerCpu); }
void memoryPerGpu(SbatchWork& work, const SbatchGiven& given) { size(work, given, work.request.memoryPerGpu); }
void hold(SbatchWork& work, const SbatchGiven& /*given*/) { work.request.hold = true; }
void jobName(SbatchWork& work, const SbatchGiven& given) { work.request.jobName.set(given, given.value); }
void noRequeue(SbatchWork& work, const SbatchGiven& given) { work.request.requeue.set(given, false); }
void exportList(SbatchWork& work, const SbatchGiven& given) { work.request.exportList.set(given, given.value); }
void outputFile(SbatchWork& work, const SbatchGiven& given) { work.request.output.set(given, given.value); }
void errorFile(SbatchWork& work, const SbatchGiven& given) { work.request.error.set(given, given.value); }

void dependency(SbatchWork& work, const SbatchGiven& given) {
  if (given.value.find('?') != std::string::npos)
    return work.fault(given, kNotOffered, "dependencies joined by `?` (any of them) are not offered",
                      "join them by commas: all of them");
  std::vector<model::Dependency> list;
  std::string_view rest = given.value;
  for (;;) {
    const auto end = std::min(rest.find(','), rest.size());
    oneDependency(work, given, rest.substr(0, end), list);
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  if (list.size() > model::SpecLimits::dependencies)
    return work.fault(given, kOutOfRange, fmt::format("more than {} dependencies", model::SpecLimits::dependencies),
                      "shorten the list");
  work.request.dependencies.set(given, std::move(list));
}

void gres(SbatchWork& work, const SbatchGiven& given) {
  if (auto list = slurmGres(given.value))
    work.request.gres.set(given, std::move(*list));
  else
    bad(work, given, "a request for generic resources", "write it such as gpu:2, gpu:h100:8 or none");
}

void memory(SbatchWork& work, const SbatchGiven& given) {
  const auto bytes = slurmMemory(given.value);
  if (bytes && bytes->count == 0) {
    work.request.memory = {};
    return work.notMap(given, "0 means all memory of the node in Slurm; here the memory is not limited instead");
  }
  size(work, given, work.request.memory);
}

void nice(SbatchWork& work, const SbatchGiven& given) {
  const bool negative = given.value.starts_with('-');
  const auto text = std::string_view(given.value).substr(negative ? 1 : 0);
  const auto amount = !given.hasValue ? std::optional<std::int64_t>(100) : slurmCount(text, 0, 2'147'483'645);
  if (!amount) return bad(work, given, "an adjustment", "use an integer; larger is later");
  const auto bounded = static_cast<std::int32_t>(std::min<std::int64_t>(*amount, model::SpecLimits::priority));
  work.request.priority.set(given, negative ? bounded : -bounded);
}

void nodes(SbatchWork& work, const SbatchGiven& given) {
  if (const auto counts = slurmNodes(given.value))
    work.request.nodes.set(given, *counts);
  else
    bad(work, given, "a number of nodes", "write 4 or 2-4; lists of sizes are not offered");
}

void openMode(SbatchWork& work, const SbatchGiven& given) {
  if (given.value == "append" || given.value == "truncate")
    work.request.append.set(given, given.value == "append");
  else
    bad(work, given, "a mode", "use append or truncate");
}

void refuseHelp(SbatchWork& work, const SbatchGiven& given) {
  work.fault(given, kNotOffered, "prints a text and submits nothing", "remove it from the script");
}

void refuseTestOnly(SbatchWork& work, const SbatchGiven& given) {
  work.fault(given, kNotOffered, "submits nothing", "remove it, and use `fairlead submit --dry-run`");
}

void refuseWrap(SbatchWork& work, const SbatchGiven& given) {
  work.fault(given, kNotOffered, "stands for a script, and this is one", "remove it, or use `fairlead run -- COMMAND`");
}

void requeue(SbatchWork& work, const SbatchGiven& given) {
  if (given.hasValue && given.value != "expedite") return bad(work, given, "a way to requeue", "write --requeue");
  if (given.hasValue) work.notMap(given, "a requeued workload keeps its place by age; it is not moved to the top");
  work.request.requeue.set(given, true);
}

void signal(SbatchWork& work, const SbatchGiven& given) {
  std::string_view rest = given.value;
  if (const auto colon = rest.find(':'); colon != std::string_view::npos) {
    const auto who = rest.substr(0, colon);
    if (who.empty() || who.find_first_not_of("RB") != std::string_view::npos)
      return bad(work, given, "a signal", "write it such as USR1@90 or B:USR1@90");
    rest.remove_prefix(colon + 1);
  }
  const auto at = std::min(rest.find('@'), rest.size());
  const auto number = parseSignal(rest.substr(0, at));
  const auto seconds = at == rest.size() ? std::optional<std::int64_t>(60) : slurmCount(rest.substr(at + 1), 0, 65'535);
  if (!number || *number == 9 || *number == 19 || !seconds)
    return bad(work, given, "a signal that a program can catch, with seconds up to 65535", "write it such as USR1@90");
  model::CheckpointRule rule;
  rule.signal = *number;
  rule.grace = Milliseconds{*seconds * 1000};
  work.request.signal.set(given, std::move(rule));
}

void timeLimit(SbatchWork& work, const SbatchGiven& given) {
  if (const auto span = slurmTime(given.value))
    work.request.timeLimit.set(given, *span);
  else
    bad(work, given, "a time", "write minutes, hours:minutes:seconds, days-hours, or UNLIMITED");
}

void tresPerTask(SbatchWork& work, const SbatchGiven& given) {
  const auto list = slurmGres(given.value);
  if (!list) return bad(work, given, "a request per task", "write it such as cpu:4,gres/gpu:1");
  GresList gpuRequests;
  for (const auto& entry : *list) {
    if (entry.name == "cpu" && entry.count > 0 && entry.count <= 100'000)
      work.request.cpusPerTask.set(given, entry.count);
    else if (entry.name == "gpu")
      gpuRequests.push_back(entry);
    else
      work.notMap(given, fmt::format("`{}` is not counted here", printable(entry.name, 40)));
  }
  if (!gpuRequests.empty()) work.request.gpusPerTask.set(given, std::move(gpuRequests));
}

}  // namespace fairlead::codec::sbatch_take
