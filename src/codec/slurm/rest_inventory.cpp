// Nodes, partitions, reservations, licences and pings.
#include "rest_list.hpp"

namespace fairlead::codec::slurm {
namespace {

using namespace field;
using enum ApiVersion;
using N = SlurmNode;
using P = SlurmPartition;
using R = SlurmReservation;
using L = SlurmLicense;

void nodeState(FieldReader& in, N& node) {
  readNodeState(in, node.state, node.flags, node.stateText, node.unknownStates);
}

constexpr std::array kNodeRows = std::to_array<FieldRow<N>>({
    {"name", text<&N::name>},
    {"address", text<&N::address>},
    {"hostname", text<&N::hostname>},
    {"state", nodeState},
    {"state_flags", nodeState, v38, v38},
    {"reason", text<&N::reason>},
    {"reason_set_by_user", text<&N::reasonUser>},
    {"reason_changed_at", moment<&N::reasonSince>},
    {"cpus", count<&N::cpus>},
    {"alloc_cpus", count<&N::cpusAllocated>},
    {"effective_cpus", count<&N::cpusEffective>, v39},
    {"boards", count<&N::boards>},
    {"sockets", count<&N::sockets>},
    {"cores", count<&N::coresPerSocket>},
    {"threads", count<&N::threadsPerCore>},
    {"real_memory", mib<&N::memory>},
    {"alloc_memory", mib<&N::memoryAllocated>},
    {"free_memory", mib<&N::memoryFree>, v38, v38},
    {"free_mem", mib<&N::memoryFree>, v39},
    {"weight", count<&N::weight>},
    {"features", words<&N::features>},
    {"active_features", words<&N::activeFeatures>},
    {"gres", gres<&N::gres>},
    {"gres_used", gres<&N::gresUsed>},
    {"tres", tres<&N::tres>},
    {"tres_used", tres<&N::tresUsed>},
    {"partitions", words<&N::partitions>},
    {"slurmd_version", text<&N::version>, v38, v38},
    {"version", text<&N::version>, v39},
    {"architecture", text<&N::architecture>},
    {"operating_system", text<&N::os>},
    {"owner", text<&N::owner>},
    {"comment", text<&N::comment>},
    {"extra", text<&N::extra>},
    {"instance_id", text<&N::instanceId>, v39},
    {"instance_type", text<&N::instanceType>, v39},
    {"reservation", text<&N::reservation>, v39},
    {"topology", text<&N::topologyAddress>, v43},
    {"boot_time", moment<&N::bootTime>},
    {"slurmd_start_time", moment<&N::slurmdStartTime>},
    {"last_busy", moment<&N::lastBusy>},
    {"resume_after", moment<&N::resumeAfter>, v39},
});

bool completeNode(FieldReader& in, N& node) {
  if (node.name.empty()) {
    in.path = "name";
    in.wrong("no name");
    return false;
  }
  if (in.version == v38) node.cpusEffective = node.cpus;  // not told there
  return true;
}

void upperFlags(FieldReader& in, P& partition) {
  readWords(in, partition.flags);
  for (auto& word : partition.flags) {
    for (auto& c : word)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    partition.isDefault |= word == "DEFAULT";
    partition.hidden |= word == "HIDDEN";
    partition.rootOnly |= word == "ROOT_ONLY";
    partition.exclusiveUser |= word == "EXCLUSIVE_USER";
  }
}

void partitionState(FieldReader& in, P& partition) {
  Words found;
  readWords(in, found);
  partition.state = found.empty() ? "" : found.front();
}

/// Zero says "no limit of its own" in these.
void memoryLimit(FieldReader& in, std::optional<Bytes>& out) {
  readMiB(in, out);
  if (out && out->count == 0) out.reset();
}
template <auto Member>
void limit(FieldReader& in, P& partition) {
  memoryLimit(in, partition.*Member);
}

void overSubscribe(FieldReader& in, P& partition) {
  std::optional<std::int64_t> jobs;
  readCount(in, jobs);
  if (jobs.value_or(0) > 1) partition.overSubscribe = "YES:" + std::to_string(*jobs);
}

constexpr std::array kPartitionRows = std::to_array<FieldRow<P>>({
    {"name", text<&P::name>},
    // v0.0.38 is flat
    {"state", partitionState, v38, v38},
    {"flags", upperFlags, v38, v38},
    {"nodes", hosts<&P::nodes>, v38, v38},
    {"total_nodes", count<&P::totalNodes>, v38, v38},
    {"total_cpus", count<&P::totalCpus>, v38, v38},
    {"tres", tres<&P::tres>, v38, v38},
    {"allowed_accounts", words<&P::allowAccounts>, v38, v38},
    {"denied_accounts", words<&P::denyAccounts>, v38, v38},
    {"allowed_groups", words<&P::allowGroups>, v38, v38},
    {"allowed_qos", words<&P::allowQos>, v38, v38},
    {"denied_qos", words<&P::denyQos>, v38, v38},
    {"qos", text<&P::qos>, v38, v38},
    {"default_time_limit", minutes<&P::defaultTime>, v38, v38},
    {"max_time_limit", minutes<&P::maxTime>, v38, v38},
    {"min nodes per job", count<&P::minNodes>, v38, v38},
    {"maximum_nodes_per_job", count<&P::maxNodes>, v38, v38},
    {"maximum_cpus_per_node", count<&P::maxCpusPerNode>, v38, v38},
    {"default_memory_per_node", limit<&P::defaultMemoryPerNode>, v38, v38},
    {"default_memory_per_cpu", limit<&P::defaultMemoryPerCpu>, v38, v38},
    {"maximum_memory_per_node", limit<&P::maxMemoryPerNode>, v38, v38},
    {"maximum_memory_per_cpu", limit<&P::maxMemoryPerCpu>, v38, v38},
    {"priority_tier", count<&P::priorityTier>, v38, v38},
    {"priority_job_factor", count<&P::priorityFactor>, v38, v38},
    {"preemption_mode", words<&P::preemptModes>, v38, v38},
    {"preemption_grace_time", seconds<&P::graceTime>, v38, v38},
    {"billing_weights", text<&P::billingWeights>, v38, v38},
    // later ones are nested
    {"partition.state", partitionState, v39},
    {"partition.oversubscribe", text<&P::overSubscribe>, v45},
    {"flags", upperFlags, v43},
    {"nodes.configured", hosts<&P::nodes>, v39},
    {"nodes.total", count<&P::totalNodes>, v39},
    {"cpus.total", count<&P::totalCpus>, v39},
    {"tres.configured", tres<&P::tres>, v39},
    {"tres.billing_weights", text<&P::billingWeights>, v39},
    {"accounts.allowed", words<&P::allowAccounts>, v39},
    {"accounts.deny", words<&P::denyAccounts>, v39},
    {"groups.allowed", words<&P::allowGroups>, v39},
    {"qos.allowed", words<&P::allowQos>, v39},
    {"qos.deny", words<&P::denyQos>, v39},
    {"qos.assigned", text<&P::qos>, v39},
    {"defaults.time", minutes<&P::defaultTime>, v39},
    {"maximums.time", minutes<&P::maxTime>, v39},
    {"minimums.nodes", count<&P::minNodes>, v39},
    {"maximums.nodes", count<&P::maxNodes>, v39},
    {"maximums.cpus_per_node", count<&P::maxCpusPerNode>, v39},
    {"maximums.oversubscribe.jobs", overSubscribe, v39, v44},
    {"defaults.partition_memory_per_node", limit<&P::defaultMemoryPerNode>, v39},
    {"defaults.partition_memory_per_cpu", limit<&P::defaultMemoryPerCpu>, v39},
    {"maximums.partition_memory_per_node", limit<&P::maxMemoryPerNode>, v39},
    {"maximums.partition_memory_per_cpu", limit<&P::maxMemoryPerCpu>, v39},
    {"priority.tier", count<&P::priorityTier>, v39},
    {"priority.job_factor", count<&P::priorityFactor>, v39},
    {"preempt_mode", words<&P::preemptModes>, v43},
    {"grace_time", seconds<&P::graceTime>, v39},
});

/// Allow lists that name everybody are empty here.
void dropAll(Words& list) {
  if (list.size() == 1 && (list[0] == "ALL" || list[0] == "all")) list.clear();
}

bool completePartition(FieldReader& in, P& partition) {
  dropAll(partition.allowAccounts);
  dropAll(partition.allowGroups);
  dropAll(partition.allowQos);
  if (!partition.name.empty()) return true;
  in.path = "name";
  in.wrong("no name");
  return false;
}

constexpr std::array kReservationRows = std::to_array<FieldRow<R>>({
    {"name", text<&R::name>},
    {"start_time", moment<&R::start>},
    {"end_time", moment<&R::end>},
    {"node_list", hosts<&R::nodes>},
    {"node_count", count<&R::nodeCount>},
    {"core_count", count<&R::coreCount>},
    {"partition", text<&R::partition>},
    {"features", text<&R::features>},
    {"licenses", text<&R::licenses>},
    {"burst_buffer", text<&R::burstBuffer>},
    {"users", words<&R::users>},
    {"groups", words<&R::groups>},
    {"accounts", words<&R::accounts>},
    {"flags", words<&R::flags>},
    {"tres", tres<&R::tres>},
});

bool completeReservation(FieldReader& in, R& reservation) {
  if (!reservation.name.empty()) return true;
  in.path = "name";
  in.wrong("no name");
  return false;
}

constexpr std::array kLicenseRows = std::to_array<FieldRow<L>>({
    {"LicenseName", text<&L::name>},
    {"Total", count<&L::total>},
    {"Used", count<&L::used>},
    {"Free", count<&L::free>},
    {"Reserved", count<&L::reserved>},
    {"Remote", flag<&L::remote>},
});

using G = SlurmPing;

void pinged(FieldReader& in, G& ping) {
  std::string word;
  readText(in, word);
  ping.responding = word == "UP";
}
void mode(FieldReader& in, G& ping) {
  std::string word;
  readText(in, word);
  ping.primary = word == "primary";
}

constexpr std::array kPingRows = std::to_array<FieldRow<G>>({
    {"hostname", text<&G::host>},
    {"ping", pinged, v38, v39},
    {"mode", mode, v38, v41},
    {"pinged", pinged, v39, v41},
    {"responding", flag<&G::responding>, v42},
    {"primary", flag<&G::primary>, v42},
    {"latency", count<&G::latencyMicroseconds>, v39},
});

constexpr std::array<std::string_view, 1> kNodes = {"nodes"};
constexpr std::array<std::string_view, 1> kPartitions = {"partitions"};
constexpr std::array<std::string_view, 1> kReservations = {"reservations"};
constexpr std::array<std::string_view, 1> kLicenses = {"licenses"};
constexpr std::array<std::string_view, 1> kPings = {"pings"};

const ListShape<N> kNodeShape{kNodeRows, kNodes, completeNode, [](N& node) { node.damaged = true; }};
const ListShape<P> kPartitionShape{kPartitionRows, kPartitions, completePartition, nullptr};
const ListShape<R> kReservationShape{kReservationRows, kReservations, completeReservation, nullptr};
const ListShape<L> kLicenseShape{kLicenseRows, kLicenses, keepAll<L>, nullptr};
const ListShape<G> kPingShape{kPingRows, kPings, keepAll<G>, nullptr};

}  // namespace

SlurmList<SlurmNode> decodeNodes(ApiVersion version, const RestAnswer& answer) {
  return readList(kNodeShape, version, answer);
}
SlurmList<SlurmPartition> decodePartitions(ApiVersion version, const RestAnswer& answer) {
  return readList(kPartitionShape, version, answer);
}
SlurmList<SlurmReservation> decodeReservations(ApiVersion version, const RestAnswer& answer) {
  return readList(kReservationShape, version, answer);
}
SlurmList<SlurmLicense> decodeLicenses(ApiVersion version, const RestAnswer& answer) {
  return readList(kLicenseShape, version, answer);
}
SlurmList<SlurmPing> decodePings(ApiVersion version, const RestAnswer& answer) {
  return readList(kPingShape, version, answer);
}

}  // namespace fairlead::codec::slurm
