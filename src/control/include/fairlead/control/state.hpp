// Live state: every row that matters now, in indexed tables. Changed only by the control thread, and only to what is
// durable.
#pragma once

#include <fairlead/control/ports/engine_port.hpp>
#include <fairlead/control/ports/store_port.hpp>
#include <fairlead/control/sequence_table.hpp>
#include <fairlead/model/inventory.hpp>
#include <fairlead/policy/plan.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fairlead::control {

/// Order of the queue: priority (higher first), age, id.
struct QueueKey {
  std::int32_t priority = 0;
  TimePoint queuedAt;
  model::WorkloadId workload;

  [[nodiscard]] bool operator<(const QueueKey& other) const {
    if (priority != other.priority) return priority > other.priority;
    if (queuedAt != other.queuedAt) return queuedAt < other.queuedAt;
    return workload < other.workload;
  }
};

/// Why a queued workload is not in the queue index yet.
enum class WaitKind : std::uint8_t { none, time, dependency };

/// A connected cluster: what may be done there, and what its engine can.
struct ClusterStanding {
  model::ClusterTerms terms;
  EngineAbilities abilities;
};

class State {
 public:
  State();
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // Reads. Under the shared lock of Control::read, or on the control thread.
  [[nodiscard]] const model::Workload* workload(model::WorkloadId id) const { return workloads_.find(id.value); }
  [[nodiscard]] const model::Attempt* attempt(model::AttemptId id) const;
  [[nodiscard]] std::size_t workloadCount() const { return workloads_.size(); }
  /// Rows with id < `before` (0: all), falling id, until `visit` returns false.
  void visitWorkloads(model::WorkloadId before, const std::function<bool(const model::Workload&)>& visit) const;
  /// Attempts that hold devices.
  [[nodiscard]] const std::set<model::AttemptId>& liveAttempts() const { return liveAttempts_; }
  [[nodiscard]] const std::map<model::IntentId, model::Intent>& openIntents() const { return openIntents_; }
  [[nodiscard]] const std::map<std::string, std::vector<model::Node>>& clusters() const { return clusters_; }
  /// Connected ones; null: not connected.
  [[nodiscard]] const ClusterStanding* standing(const std::string& cluster) const;
  [[nodiscard]] const std::vector<model::ModelVersion>& versions() const { return versions_; }
  /// `version` 0: the newest. Null when there is none.
  [[nodiscard]] const model::ModelVersion* findVersion(std::string_view project, std::string_view name,
                                                       std::int32_t version) const;
  [[nodiscard]] const model::IdempotencyRecord* idempotency(const model::Digest& key) const;
  /// 1-based place in the queue; 0 when it does not stand there (held, waiting for a time or a dependency, not queued).
  [[nodiscard]] std::size_t queuePosition(const model::Workload& workload) const;
  [[nodiscard]] std::size_t queueLength() const;
  [[nodiscard]] std::size_t countIn(model::WorkloadState state) const {
    return counts_[static_cast<std::size_t>(state)];
  }
  /// Elements of an array that have started and are not final.
  [[nodiscard]] const std::set<model::WorkloadId>& elementsAlive(model::WorkloadId array) const;
  /// Queued workloads with an open dependency on `id`.
  [[nodiscard]] std::vector<model::WorkloadId> dependentsOf(model::WorkloadId id) const;
  /// Key of the entry at a 0-based place of the queue.
  [[nodiscard]] std::optional<QueueKey> queueKeyAt(std::size_t place) const;
  [[nodiscard]] WaitKind waitKind(const model::Workload& workload, TimePoint now) const;
  /// The newest workload with this name on its own cluster; 0: none.
  [[nodiscard]] model::WorkloadId nativeWorkload(const std::string& cluster, const std::string& id) const;
  /// A spec document with this digest, when live state holds one.
  [[nodiscard]] model::SpecPtr spec(const model::Digest& digest) const;
  /// What policy reads: nodes with what is free, the first `depth` of the queue, what runs.
  [[nodiscard]] policy::Snapshot snapshot(std::size_t depth) const;

  // Writes. Control thread, under the unique lock (load: before anybody else can see the state).
  /// Takes over what a durable transaction has written.
  void apply(ChangeSet&& changes);
  void setInventory(const std::string& cluster, std::vector<model::Node> nodes);
  void setStanding(const std::string& cluster, ClusterStanding standing);
  /// Its nodes go with it.
  void dropCluster(const std::string& cluster);
  [[nodiscard]] LoadSink loadSink();
  /// Moves workloads whose begin time or back-off is over into the queue index. True when any moved.
  bool promote(TimePoint now);
  /// The next moment at which `promote` would move something; 0: none.
  [[nodiscard]] TimePoint nextPromotion() const;

 private:
  struct Index;  // queue with order statistics; in the .cpp because its library header is heavy

  void put(model::Workload workload);
  void enter(const model::Workload& workload);
  void leave(const model::Workload& workload);
  void put(model::Attempt attempt);
  void put(model::Intent intent);
  void forget(model::AttemptId id);
  [[nodiscard]] policy::QueueEntry queueEntry(const model::Workload& row) const;

  SequenceTable<model::Workload> workloads_;
  std::unordered_map<model::AttemptId, model::Attempt> attempts_;  ///< live ones, and the newest of each workload
  std::set<model::AttemptId> liveAttempts_;
  std::map<model::IntentId, model::Intent> openIntents_;
  std::map<std::string, std::vector<model::Node>> clusters_;
  std::map<std::string, ClusterStanding> standings_;
  std::vector<model::ModelVersion> versions_;
  std::map<model::Digest, model::IdempotencyRecord> idempotency_;
  std::map<model::Digest, std::weak_ptr<const model::SpecDocument>> specs_;
  std::unordered_map<model::WorkloadId, std::set<model::WorkloadId>> elementsAlive_;
  std::map<std::pair<std::string, std::string>, model::WorkloadId, std::less<>> natives_;  ///< cluster and id there
  std::multimap<model::WorkloadId, model::WorkloadId> dependents_;  ///< of what -> who waits in vain or still
  std::array<std::size_t, kEnumNames<model::WorkloadState>.size()> counts_{};
  std::unique_ptr<Index> index_;
};

}  // namespace fairlead::control
