// scontrol show job -d.
#include "job_ids.hpp"
#include "key_values.hpp"

#include <fairlead/codec/slurm/hostlist.hpp>

#include <array>

namespace fairlead::codec::slurm {
namespace {

using namespace column;
using J = SlurmJob;

/// `alice(3001)`.
template <auto Name, auto Id>
bool named(std::string_view value, J& job, const TextContext&) {
  const auto open = value.rfind('(');
  if (open == std::string_view::npos || !value.ends_with(')')) return false;
  const auto number = parseId(value.substr(open + 1, value.size() - open - 2));
  job.*Id = number;
  if constexpr (!std::is_same_v<decltype(Name), std::nullptr_t>) {
    const auto name = value.substr(0, open);
    job.*Name = name == "nobody" && number != 65'534U ? std::string_view{} : name;
  }
  return number.has_value();
}
bool state(std::string_view value, J& job, const TextContext&) {
  job.stateText = value;
  readStateText(value, job.state, job.flags, job.unknownStates, nullptr);
  return !value.empty();
}
bool nodes(std::string_view value, J& job, const TextContext&) {
  readHostSet(value, job.nodes);
  return !job.nodes.tooMany;
}
bool yes(std::string_view value, bool& out) {
  out = value == "1" || value == "YES";
  return true;
}
bool tasks(std::string_view value, J& job, const TextContext&) {
  if (const auto task = parseId(value)) {
    job.arrayTaskId = task;
    return true;
  }
  job.arrayTaskText = value;
  job.pendingTasks = parseTasks(value);
  return job.pendingTasks.has_value();
}
/// `2` or `2-2`.
bool nodeCount(std::string_view value, J& job, const TextContext&) {
  job.nodeCount = parseCount(value.substr(0, value.find('-')));
  return job.nodeCount.has_value();
}
bool cpuCount(std::string_view value, J& job, const TextContext&) {
  job.cpus = parseCount(value.substr(0, value.find('-')));
  return job.cpus.has_value();
}
template <auto Member>
bool memory(std::string_view value, J& job, const TextContext&) {
  Tres amount;
  if (value == "0") return true;
  if (!readTres(fmt::format("mem={}", value), amount) || amount.size() != 1) return false;
  job.*Member = Bytes{amount[0].count};
  return true;
}

constexpr std::array kRows = std::to_array<KeyRow<J>>({
    {"JobId", id<&J::id>},
    {"ArrayJobId", id<&J::arrayJobId>},
    {"ArrayTaskId", tasks},
    {"HetJobId", id<&J::hetJobId>},
    {"HetJobOffset", id<&J::hetOffset>},
    {"HetJobIdSet", text<&J::hetJobIdSet>},
    {"SLUID", text<&J::sluid>},
    {"JobName", text<&J::name>},
    {"UserId", named<&J::user, &J::uid>},
    {"GroupId", named<nullptr, &J::gid>},
    {"Account", text<&J::account>},
    {"QOS", text<&J::qos>},
    {"WCKey", text<&J::wckey>},
    {"Priority", count<&J::priority>},
    {"Nice", count<&J::nice>},
    {"JobState", state},
    {"Reason", text<&J::reason>},
    {"Dependency", text<&J::dependency>},
    {"Requeue", [](std::string_view v, J& j, const TextContext&) { return yes(v, j.requeueAllowed); }},
    {"Restarts", id<&J::restarts>},
    {"BatchFlag", [](std::string_view v, J& j, const TextContext&) { return yes(v, j.batch); }},
    {"ExitCode", column::exit<&J::exit>},
    {"DerivedExitCode", column::exit<&J::derivedExit>},
    {"TimeLimit", limit<&J::limit>},
    {"SubmitTime", moment<&J::submitTime>},
    {"EligibleTime", moment<&J::eligibleTime>},
    {"StartTime", moment<&J::startTime>},
    {"EndTime", moment<&J::endTime>},
    {"Deadline", moment<&J::deadline>},
    {"PreemptTime", moment<&J::preemptTime>},
    {"SuspendTime", moment<&J::suspendTime>},
    {"SecsPreSuspend", seconds<&J::runTimeBeforeSuspend>},
    {"Partition", text<&J::partition>},
    {"ReqNodeList", text<&J::requiredNodes>},
    {"ExcNodeList", text<&J::excludedNodes>},
    {"SchedNodeList", text<&J::scheduledNodes>},
    {"FailedNode", text<&J::failedNode>},
    {"NodeList", nodes},
    {"BatchHost", text<&J::batchHost>},
    {"NumNodes", nodeCount},
    {"NumCPUs", cpuCount},
    {"NumTasks", count<&J::tasks>},
    {"ReqTRES", tres<&J::requested>},
    {"AllocTRES", tres<&J::allocated>},
    {"MinMemoryNode", memory<&J::memoryPerNode>},
    {"MinMemoryCPU", memory<&J::memoryPerCpu>},
    {"Features", text<&J::features>},
    {"Reservation", text<&J::reservation>},
    {"OverSubscribe",
     [](std::string_view v, J& j, const TextContext&) { return yes(v == "NO" ? "1" : "0", j.exclusive); }},
    {"Exclusive", [](std::string_view v, J& j, const TextContext&) { return yes(v == "NO" ? "0" : "1", j.exclusive); }},
    {"Licenses", text<&J::licenses>},
    {"LicensesAlloc", text<&J::licensesAllocated>},
    {"Command", text<&J::command>},
    {"SubmitLine", text<&J::submitLine>},
    {"WorkDir", text<&J::workDir>},
    {"Comment", text<&J::comment>},
    {"AdminComment", text<&J::adminComment>},
    {"SystemComment", text<&J::systemComment>},
    {"StdErr", text<&J::stderrExpanded>},
    {"StdOut", text<&J::stdoutExpanded>},
    {"Container", text<&J::container>},
    {"TresPerNode", text<&J::tresPerNode>},
    {"TresPerJob", text<&J::tresPerJob>},
    {"TresPerTask", text<&J::tresPerTask>},
    {"TresPerSocket", text<&J::tresPerSocket>},
    {"FedOrigin", text<&J::federationOrigin>},
    {"FedViableSiblings", text<&J::federationSiblings>},
});

constexpr std::array<std::string_view, 13> kFreeText = {
    "JobName", "Command", "SubmitLine", "WorkDir",   "Comment", "AdminComment", "SystemComment",
    "StdErr",  "StdIn",   "StdOut",     "Container", "Extra",   "MailUser"};
constexpr std::array<std::string_view, 5> kRepeated = {"Nodes", "CPU_IDs", "Mem", "GRES", "JOB_GRES"};
constexpr KeyValueShape kShape{"JobId", kFreeText, kRepeated};

constexpr std::size_t kMostDetail = 65'536;

/// `Nodes=n[1-2] CPU_IDs=... GRES=gpu:h100:8(IDX:0-7)`: the same devices on each of the nodes.
bool readDetail(J& job, const KeyValueRecord& record) {
  std::string_view hosts;
  for (const auto& [key, value] : record.pairs) {
    if (key == "Nodes") hosts = value;
    if (key != "GRES" || hosts.empty()) continue;
    NodeGres detail;
    const auto names = expandHosts(hosts);
    if (!names || !readGres(value, detail.gres) || job.gresDetail.size() + names->size() > kMostDetail) return false;
    for (const auto& name : *names) {
      detail.node = name;
      job.gresDetail.push_back(detail);
    }
  }
  return true;
}

bool finish(J& job, const KeyValueRecord& record, const TextContext& context) {
  if (!readDetail(job, record)) job.damaged = true;
  for (const auto& [key, value] : record.pairs) {
    if (key != "TRES") continue;  // 22.05: allocated while there is an allocation, else asked for
    const bool has = !job.nodes.names.empty() || job.nodes.tooMany;
    if (!readTres(value, has ? job.allocated : job.requested)) job.damaged = true;
  }
  (void)context;
  if (!job.hetJobId) job.hetOffset = 0;
  job.held = job.state == JobState::pending && job.priority == 0;
  return job.id != 0 && !job.stateText.empty();
}

}  // namespace

SlurmCommand showCommand(std::string_view what, bool detail) {
  SlurmCommand command{{"scontrol"}, {}};
  if (detail) command.argv.emplace_back("--details");
  command.argv.emplace_back("--all");
  command.argv.emplace_back("show");
  command.argv.emplace_back(what);
  return command;
}

SlurmList<SlurmJob> decodeShowJobs(std::string_view text, const TextContext& context) {
  return readKeyValues<J>(text, context, kShape, kRows, finish);
}

}  // namespace fairlead::codec::slurm
