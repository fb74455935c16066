#include <fairlead/control/dependency.hpp>
#include <fairlead/control/state.hpp>
#include <fairlead/policy/free.hpp>

#include <algorithm>
#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>

namespace fairlead::control {

using model::Workload;
using model::WorkloadId;
using model::WorkloadState;

/// The queue: a tree that also answers "which place" in logarithmic time; and those whose time has not come.
struct State::Index {
  using Tree = __gnu_pbds::tree<QueueKey, __gnu_pbds::null_type, std::less<>, __gnu_pbds::rb_tree_tag,
                                __gnu_pbds::tree_order_statistics_node_update>;
  Tree queue;
  std::set<std::pair<TimePoint, WorkloadId>> delayed;
};

namespace {

QueueKey keyOf(const Workload& workload) { return {workload.priority, workload.queuedAt, workload.id}; }

/// Nothing is free that the engine says is in use, whoever uses it.
void heedUse(policy::NodeView& view) {
  const auto& used = view.node.used;
  if (used.devices.empty()) return;
  for (std::size_t i = 0; i < std::min(used.devices.size(), view.deviceFree.size()); ++i)
    view.deviceFree[i] =
        std::max(MilliDevices{}, std::min(view.deviceFree[i], view.node.devices[i].capacity - used.devices[i]));
  view.cpusFree = std::max(MilliCpus{}, std::min(view.cpusFree, view.node.cpus - used.cpus));
  view.memoryFree = std::max(Bytes{}, std::min(view.memoryFree, view.node.memory - used.memory));
}

bool isArrayRecord(const Workload& workload) { return workload.spec->spec.array && !workload.arrayParent; }

}  // namespace

State::State() : index_(std::make_unique<Index>()) {}
State::~State() = default;

const model::Attempt* State::attempt(model::AttemptId id) const {
  const auto found = attempts_.find(id);
  return found == attempts_.end() ? nullptr : &found->second;
}

void State::visitWorkloads(WorkloadId before, const std::function<bool(const Workload&)>& visit) const {
  workloads_.visitDown(before.value, visit);
}

const model::ModelVersion* State::findVersion(std::string_view project, std::string_view name,
                                              std::int32_t version) const {
  const model::ModelVersion* found = nullptr;
  for (const auto& candidate : versions_) {
    if (candidate.project != project || candidate.model != name) continue;
    if (version == 0 ? found == nullptr || candidate.version > found->version : candidate.version == version)
      found = &candidate;
  }
  return found;
}

const model::IdempotencyRecord* State::idempotency(const model::Digest& key) const {
  const auto found = idempotency_.find(key);
  return found == idempotency_.end() ? nullptr : &found->second;
}

std::size_t State::queuePosition(const Workload& workload) const {
  const auto key = keyOf(workload);
  const auto found = index_->queue.find(key);
  return found == index_->queue.end() ? 0 : index_->queue.order_of_key(key) + 1;
}

std::size_t State::queueLength() const { return index_->queue.size(); }

const std::set<WorkloadId>& State::elementsAlive(WorkloadId array) const {
  static const std::set<WorkloadId> kNone;
  const auto found = elementsAlive_.find(array);
  return found == elementsAlive_.end() ? kNone : found->second;
}

WaitKind State::waitKind(const Workload& workload, TimePoint now) const {
  for (const auto& dependency : workload.spec->spec.dependencies)
    if (dependencyState(*this, dependency) != DependencyState::fulfilled) return WaitKind::dependency;
  return workload.notBefore > now ? WaitKind::time : WaitKind::none;
}

WorkloadId State::nativeWorkload(const std::string& cluster, const std::string& id) const {
  const auto found = natives_.find(std::make_pair(cluster, id));
  return found == natives_.end() ? WorkloadId{} : found->second;
}

std::vector<WorkloadId> State::dependentsOf(WorkloadId id) const {
  std::vector<WorkloadId> ids;
  const auto [first, last] = dependents_.equal_range(id);
  for (auto it = first; it != last; ++it) ids.push_back(it->second);
  return ids;
}

model::SpecPtr State::spec(const model::Digest& digest) const {
  const auto found = specs_.find(digest);
  return found == specs_.end() ? nullptr : found->second.lock();
}

policy::Snapshot State::snapshot(std::size_t depth) const {
  policy::Snapshot snapshot;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> at;
  std::map<std::string_view, std::int32_t> waiting;
  for (const auto& [cluster, nodes] : clusters_) {
    for (const auto& node : nodes) {
      policy::NodeView view{node, {}, node.cpus, node.memory};
      for (const auto& device : node.devices)
        view.deviceFree.push_back(device.healthy ? device.capacity : MilliDevices{});
      at.emplace(std::make_pair(std::string_view(cluster), std::string_view(node.name)), snapshot.nodes.size());
      snapshot.nodes.push_back(std::move(view));
    }
  }
  for (const auto id : liveAttempts_) {
    const auto& live = attempts_.at(id);
    const auto* owner = workload(live.workload);
    const auto& spec = owner->spec->spec;
    const TimePoint endsBy =
        spec.timeLimit.count == 0 ? TimePoint{} : (live.startedAt ? live.startedAt : live.plannedAt) + spec.timeLimit;
    snapshot.running.push_back({live.workload, owner->project, live.cluster, live.placement, endsBy});
    const bool started = live.state != model::AttemptState::planned && live.state != model::AttemptState::accepted;
    if (!started && !owner->native) ++waiting[live.cluster];
    for (const auto& member : live.placement) {
      const auto found = at.find({live.cluster, member.node});
      if (found == at.end()) continue;
      auto& view = snapshot.nodes[found->second];
      policy::adjustFree(view.node, view.deviceFree, view.cpusFree, view.memoryFree, member, -1);
    }
  }
  for (auto& view : snapshot.nodes) heedUse(view);
  snapshot.queueLength = index_->queue.size();
  for (const auto& key : index_->queue) {
    if (snapshot.queue.size() == depth) break;
    snapshot.queue.push_back(queueEntry(*workload(key.workload)));
  }
  for (const auto& [name, standing] : standings_) {
    const auto waits = waiting.find(name);
    snapshot.clusters.push_back({name, standing.terms, waits == waiting.end() ? 0 : waits->second});
  }
  return snapshot;
}

policy::QueueEntry State::queueEntry(const Workload& row) const {
  policy::QueueEntry entry{row.id, row.project, row.priority, row.queuedAt, row.spec, row.avoidNodes, 1, 0};
  if (isArrayRecord(row)) {
    entry.elementsWaiting = model::elementCount(row.spec->spec) - row.elementsStarted;
    entry.elementsRunning = static_cast<std::int32_t>(elementsAlive(row.id).size());
  }
  return entry;
}

// --- writes ---

void State::enter(const Workload& row) {
  ++counts_[static_cast<std::size_t>(row.state)];
  if (row.native) {  // its own cluster queues it
    auto& newest = natives_[{row.native->cluster, row.native->id}];
    newest = std::max(newest, row.id);
    return;
  }
  if (row.arrayParent && !model::isFinal(row.state)) elementsAlive_[row.arrayParent].insert(row.id);
  if (row.state != WorkloadState::queued) return;
  bool open = false;
  for (const auto& dependency : row.spec->spec.dependencies) {
    if (dependencyState(*this, dependency) == DependencyState::fulfilled) continue;
    open = true;
    if (const auto on = parseId<model::WorkloadTag>(dependency.workload)) dependents_.emplace(*on, row.id);
  }
  if (open) return;
  if (row.notBefore)
    index_->delayed.emplace(row.notBefore, row.id);
  else
    index_->queue.insert(keyOf(row));
}

void State::leave(const Workload& row) {
  --counts_[static_cast<std::size_t>(row.state)];
  if (row.native) return;
  if (row.arrayParent) {
    if (const auto alive = elementsAlive_.find(row.arrayParent); alive != elementsAlive_.end()) {
      alive->second.erase(row.id);
      if (alive->second.empty()) elementsAlive_.erase(alive);
    }
  }
  if (row.state != WorkloadState::queued) return;
  index_->queue.erase(keyOf(row));
  index_->delayed.erase({row.notBefore, row.id});
  for (const auto& dependency : row.spec->spec.dependencies) {
    const auto on = parseId<model::WorkloadTag>(dependency.workload);
    if (!on) continue;
    const auto [first, last] = dependents_.equal_range(*on);
    for (auto it = first; it != last; ++it)
      if (it->second == row.id) {
        dependents_.erase(it);
        break;
      }
  }
}

void State::put(Workload row) {
  const auto id = row.id;
  if (const auto* old = workloads_.find(id.value)) {
    leave(*old);
    if (old->currentAttempt != row.currentAttempt) forget(old->currentAttempt);
  }
  if (!row.spec->json.empty()) specs_[row.spec->digest] = row.spec;
  workloads_.put(id.value, std::move(row));
  enter(*workloads_.find(id.value));
  for (const auto waiting : dependentsOf(id)) {
    const auto& dependent = *workloads_.find(waiting.value);
    leave(dependent);
    enter(dependent);
  }
}

/// An ended attempt that is not the newest any more is only in the store.
void State::forget(model::AttemptId id) {
  if (!liveAttempts_.contains(id)) attempts_.erase(id);
}

void State::put(model::Attempt row) {
  if (model::holdsDevices(row.state))
    liveAttempts_.insert(row.id);
  else
    liveAttempts_.erase(row.id);
  const auto id = row.id;
  attempts_.insert_or_assign(id, std::move(row));
}

void State::put(model::Intent row) {
  if (row.state == model::IntentState::open)
    openIntents_.insert_or_assign(row.id, std::move(row));
  else
    openIntents_.erase(row.id);
}

void State::apply(ChangeSet&& changes) {
  for (auto& row : changes.attempts) put(std::move(row));
  for (auto& row : changes.workloads) put(std::move(row));
  for (auto& row : changes.intents) put(std::move(row));
  for (auto& row : changes.versions) versions_.push_back(std::move(row));
  for (auto& row : changes.idempotency) idempotency_.insert_or_assign(row.key, row);
  if (changes.dropIdempotencyBefore)
    std::erase_if(idempotency_, [&](const auto& entry) { return entry.second.at < changes.dropIdempotencyBefore; });
}

const ClusterStanding* State::standing(const std::string& cluster) const {
  const auto found = standings_.find(cluster);
  return found == standings_.end() ? nullptr : &found->second;
}

void State::setStanding(const std::string& cluster, ClusterStanding standing) {
  standings_[cluster] = std::move(standing);
}

void State::dropCluster(const std::string& cluster) {
  standings_.erase(cluster);
  clusters_.erase(cluster);
}

void State::setInventory(const std::string& cluster, std::vector<model::Node> nodes) {
  clusters_[cluster] = std::move(nodes);
}

LoadSink State::loadSink() {
  LoadSink sink;
  sink.spec = [this](model::SpecPtr spec) { specs_[spec->digest] = spec; };
  sink.workload = [this](Workload row) { put(std::move(row)); };
  sink.attempt = [this](model::Attempt row) { put(std::move(row)); };
  sink.intent = [this](model::Intent row) { put(std::move(row)); };
  sink.version = [this](model::ModelVersion row) { versions_.push_back(std::move(row)); };
  sink.idempotency = [this](model::IdempotencyRecord row) { idempotency_.insert_or_assign(row.key, row); };
  return sink;
}

bool State::promote(TimePoint now) {
  bool moved = false;
  while (!index_->delayed.empty() && index_->delayed.begin()->first <= now) {
    const auto id = index_->delayed.begin()->second;
    index_->delayed.erase(index_->delayed.begin());
    index_->queue.insert(keyOf(*workload(id)));
    moved = true;
  }
  return moved;
}

TimePoint State::nextPromotion() const {
  return index_->delayed.empty() ? TimePoint{} : index_->delayed.begin()->first;
}

std::optional<QueueKey> State::queueKeyAt(std::size_t place) const {
  const auto found = index_->queue.find_by_order(place);
  if (found == index_->queue.end()) return {};
  return *found;
}

}  // namespace fairlead::control
