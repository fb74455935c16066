// scontrol show node, partition, reservation, topology, config; scontrol ping.
#include "key_values.hpp"

#include <fairlead/codec/slurm/hostlist.hpp>

#include <array>

namespace fairlead::codec::slurm {
namespace {

using namespace column;
using N = SlurmNode;
using P = SlurmPartition;
using R = SlurmReservation;

template <auto Member, class Record>
bool mib(std::string_view value, Record& r, const TextContext&) {
  r.*Member = {};
  if (isUnsetText(value) || value == "UNLIMITED") return true;
  const auto number = parseCount(value);
  if (number && *number < std::int64_t{1} << 40) r.*Member = Bytes{*number << 20};
  return number.has_value();
}
template <auto Member, class Record>
bool gres(std::string_view value, Record& r, const TextContext&) {
  return readGres(value, r.*Member);
}
template <auto Member, class Record>
bool hosts(std::string_view value, Record& r, const TextContext&) {
  readHostSet(value, r.*Member);
  return !(r.*Member).tooMany;
}
template <auto Member, class Record>
bool yes(std::string_view value, Record& r, const TextContext&) {
  r.*Member = value == "YES";
  return true;
}
/// Everybody is an empty list.
template <auto Member, class Record>
bool allowed(std::string_view value, Record& r, const TextContext& context) {
  return words<Member>(value == "ALL" ? "" : value, r, context);
}

bool nodeState(std::string_view value, N& node, const TextContext&) {
  node.stateText = value;
  while (!value.empty()) {
    auto word = takeUntil(value, '+');
    if (word.ends_with('*')) {  // older ones: `IDLE*`
      node.flags.add(NodeFlag::notResponding);
      word.remove_suffix(1);
    }
    const auto* row = findNodeState(word);
    if (row == nullptr)
      node.unknownStates.emplace_back(word);
    else if (row->flag >= 0)
      node.flags.add(static_cast<NodeFlag>(row->flag));
    else
      node.state = row->state;
  }
  return !node.stateText.empty();
}
/// `Not responding [slurm@1796050635]`.
bool nodeReason(std::string_view value, N& node, const TextContext& context) {
  const auto open = value.rfind(" [");
  const auto at = value.rfind('@');
  if (open == std::string_view::npos || at == std::string_view::npos || at < open || !value.ends_with(']')) {
    node.reason = value;
    return true;
  }
  node.reason = value.substr(0, open);
  node.reasonUser = value.substr(open + 2, at - open - 2);
  return readInstant(value.substr(at + 1, value.size() - at - 2), node.reasonSince, context.utcOffsetMinutes);
}

constexpr std::array kNodeRows = std::to_array<KeyRow<N>>({
    {"NodeName", text<&N::name>},
    {"Arch", text<&N::architecture>},
    {"CoresPerSocket", count<&N::coresPerSocket>},
    {"CPUAlloc", count<&N::cpusAllocated>},
    {"CPUEfctv", count<&N::cpusEffective>},
    {"CPUTot", count<&N::cpus>},
    {"AvailableFeatures", words<&N::features>},
    {"ActiveFeatures", words<&N::activeFeatures>},
    {"Gres", gres<&N::gres>},
    {"GresUsed", gres<&N::gresUsed>},
    {"NodeAddr", text<&N::address>},
    {"NodeHostName", text<&N::hostname>},
    {"Version", text<&N::version>},
    {"OS", text<&N::os>},
    {"RealMemory", mib<&N::memory>},
    {"AllocMem", mib<&N::memoryAllocated>},
    {"FreeMem", mib<&N::memoryFree>},
    {"Sockets", count<&N::sockets>},
    {"Boards", count<&N::boards>},
    {"State", nodeState},
    {"ThreadsPerCore", count<&N::threadsPerCore>},
    {"Weight", count<&N::weight>},
    {"Owner", text<&N::owner>},
    {"Partitions", words<&N::partitions>},
    {"BootTime", moment<&N::bootTime>},
    {"SlurmdStartTime", moment<&N::slurmdStartTime>},
    {"LastBusyTime", moment<&N::lastBusy>},
    {"ResumeAfterTime", moment<&N::resumeAfter>},
    {"CfgTRES", tres<&N::tres>},
    {"AllocTRES", tres<&N::tresUsed>},
    {"Reason", nodeReason},
    {"Comment", text<&N::comment>},
    {"Extra", text<&N::extra>},
    {"InstanceId", text<&N::instanceId>},
    {"InstanceType", text<&N::instanceType>},
    {"ReservationName", text<&N::reservation>},
    {"Topology", text<&N::topologyAddress>},
});
constexpr std::array<std::string_view, 5> kNodeFreeText = {"OS", "Reason", "Comment", "Extra", "Partitions"};
constexpr KeyValueShape kNodeShape{"NodeName", kNodeFreeText, {}};

constexpr std::array kPartitionRows = std::to_array<KeyRow<P>>({
    {"PartitionName", text<&P::name>},
    {"AllowGroups", allowed<&P::allowGroups>},
    {"AllowAccounts", allowed<&P::allowAccounts>},
    {"DenyAccounts", words<&P::denyAccounts>},
    {"AllowQos", allowed<&P::allowQos>},
    {"DenyQos", words<&P::denyQos>},
    {"Default", yes<&P::isDefault>},
    {"QoS", text<&P::qos>},
    {"DefaultTime", limit<&P::defaultTime>},
    {"ExclusiveUser", yes<&P::exclusiveUser>},
    {"GraceTime", seconds<&P::graceTime>},
    {"Hidden", yes<&P::hidden>},
    {"MaxNodes", count<&P::maxNodes>},
    {"MaxTime", limit<&P::maxTime>},
    {"MinNodes", count<&P::minNodes>},
    {"MaxCPUsPerNode", count<&P::maxCpusPerNode>},
    {"Nodes", hosts<&P::nodes>},
    {"PriorityJobFactor", count<&P::priorityFactor>},
    {"PriorityTier", count<&P::priorityTier>},
    {"RootOnly", yes<&P::rootOnly>},
    {"OverSubscribe", text<&P::overSubscribe>},
    {"PreemptMode", words<&P::preemptModes>},
    {"State", text<&P::state>},
    {"TotalCPUs", count<&P::totalCpus>},
    {"TotalNodes", count<&P::totalNodes>},
    {"DefMemPerNode", mib<&P::defaultMemoryPerNode>},
    {"DefMemPerCPU", mib<&P::defaultMemoryPerCpu>},
    {"MaxMemPerNode", mib<&P::maxMemoryPerNode>},
    {"MaxMemPerCPU", mib<&P::maxMemoryPerCpu>},
    {"TRES", tres<&P::tres>},
    {"TRESBillingWeights", text<&P::billingWeights>},
});
constexpr KeyValueShape kPartitionShape{"PartitionName", {}, {}};

bool active(std::string_view value, R& reservation, const TextContext&) {
  reservation.active = value == "ACTIVE";
  return true;
}

constexpr std::array kReservationRows = std::to_array<KeyRow<R>>({
    {"ReservationName", text<&R::name>},
    {"StartTime", moment<&R::start>},
    {"EndTime", moment<&R::end>},
    {"Nodes", hosts<&R::nodes>},
    {"NodeCnt", count<&R::nodeCount>},
    {"CoreCnt", count<&R::coreCount>},
    {"PartitionName", text<&R::partition>},
    {"Features", text<&R::features>},
    {"Licenses", text<&R::licenses>},
    {"BurstBuffer", text<&R::burstBuffer>},
    {"Users", words<&R::users>},
    {"Groups", words<&R::groups>},
    {"Accounts", words<&R::accounts>},
    {"Flags", words<&R::flags>},
    {"TRES", tres<&R::tres>},
    {"State", active},
});
constexpr std::array<std::string_view, 1> kReservationFreeText = {"Comment"};
constexpr std::array<std::string_view, 2> kReservationRepeated = {"NodeName", "CoreIDs"};
constexpr KeyValueShape kReservationShape{"ReservationName", kReservationFreeText, kReservationRepeated};

std::optional<SlurmSwitch> readSwitch(std::string_view line) {
  SlurmSwitch out;
  while (!line.empty()) {
    auto value = takeUntil(line, ' ');
    const auto key = takeUntil(value, '=');
    if (key == "SwitchName" || key == "BlockName") {
      out.block = key == "BlockName";
      out.name = value;
    } else if (key == "Level") {
      const auto level = parseCount(value);
      if (!level || *level > 1000) return {};
      out.level = static_cast<std::int32_t>(*level);
    } else if (key == "Nodes") {
      readHostSet(value, out.nodes);
    } else if (key == "Switches") {
      auto children = expandHosts(value);
      if (!children) return {};
      out.children = std::move(*children);
    }
  }
  return out.name.empty() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace

SlurmList<SlurmNode> decodeShowNodes(std::string_view text, const TextContext& context) {
  return readKeyValues<N>(text, context, kNodeShape, kNodeRows, [](N& n, const KeyValueRecord&, const TextContext&) {
    if (n.cpusEffective == 0) n.cpusEffective = n.cpus;
    return !n.name.empty() && !n.stateText.empty();
  });
}

SlurmList<SlurmPartition> decodeShowPartitions(std::string_view text, const TextContext& context) {
  return readKeyValues<P>(text, context, kPartitionShape, kPartitionRows,
                          [](P& p, const KeyValueRecord&, const TextContext&) { return !p.name.empty(); });
}

SlurmList<SlurmReservation> decodeShowReservations(std::string_view text, const TextContext& context) {
  return readKeyValues<R>(text, context, kReservationShape, kReservationRows,
                          [](R& r, const KeyValueRecord&, const TextContext&) { return !r.name.empty(); });
}

SlurmList<SlurmSwitch> decodeShowTopology(std::string_view text) {
  SlurmList<SlurmSwitch> list;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto line = trim(takeUntil(text, '\n'));
    if (!line.starts_with("SwitchName=") && !line.starts_with("BlockName=")) continue;
    if (auto found = readSwitch(line)) {
      list.records.push_back(std::move(*found));
    } else {
      ++list.answer.setAside;
      list.answer.report(fmt::format("line {}", number), line, "cannot be read");
    }
  }
  list.answer.complete = true;
  return list;
}

std::vector<std::pair<std::string, std::string>> decodeShowConfig(std::string_view text) {
  constexpr std::size_t kMostSettings = 4096;
  std::vector<std::pair<std::string, std::string>> settings;
  while (!text.empty() && settings.size() < kMostSettings) {
    auto value = takeUntil(text, '\n');
    if (value.find(" = ") == std::string_view::npos) continue;
    const auto key = trim(takeUntil(value, '='));
    if (key.find(' ') == std::string_view::npos && !key.empty()) settings.emplace_back(key, trim(value));
  }
  return settings;
}

SlurmList<SlurmPing> decodePingText(std::string_view text) {
  SlurmList<SlurmPing> list;
  while (!text.empty()) {
    auto line = trim(takeUntil(text, '\n'));  // Slurmctld(primary) at vm is UP
    if (!line.starts_with("Slurmctld(")) continue;
    SlurmPing ping;
    ping.primary = line.starts_with("Slurmctld(primary)");
    const auto at = line.find(" at "), is = line.rfind(" is ");
    if (at == std::string_view::npos || is == std::string_view::npos || is < at + 4) continue;
    ping.host = line.substr(at + 4, is - at - 4);
    ping.responding = line.substr(is + 4) == "UP";
    list.records.push_back(std::move(ping));
  }
  list.answer.complete = !list.records.empty();
  return list;
}

}  // namespace fairlead::codec::slurm
