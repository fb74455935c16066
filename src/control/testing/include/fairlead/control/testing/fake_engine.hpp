// An engine whose attempts a test moves by hand. For faults and orders of events that a real one cannot be made to
// show.
#pragma once

#include <fairlead/control/ports/engine_port.hpp>

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace fairlead::control::testing {

/// Thread-safe. Takes every order at once (unless told to refuse or to be down) and starts nothing by itself.
class FakeEngine final : public EnginePort {
 public:
  explicit FakeEngine(std::vector<model::Node> nodes, std::string cluster = "local", EngineAbilities abilities = {})
      : cluster_(std::move(cluster)), nodes_(std::move(nodes)), abilities_(abilities) {
    for (auto& node : nodes_) node.cluster = cluster_;
  }

  const std::string& cluster() const override { return cluster_; }
  Result<void> start(EngineSink& sink, std::vector<KnownAttempt> known) override {
    {
      const std::lock_guard lock(mutex_);
      sink_ = &sink;
      known_ = std::move(known);
    }
    sink.inventory(cluster_, nodes_);
    return {};
  }
  void shutdown() override {
    const std::lock_guard lock(mutex_);
    sink_ = nullptr;
  }
  void dispatchStart(StartOrder order) override {
    const auto id = order.intent.id;
    if (!taken(id)) return;
    {
      const std::lock_guard lock(mutex_);
      orders_.insert_or_assign(id.attempt, std::move(order));
      ++starts_[id.attempt];
    }
    changed_.notify_all();
    answer(id, DispatchOutcome::done);
  }
  void dispatchStop(model::Intent intent) override { record(std::move(intent)); }
  void dispatchSignal(model::Intent intent) override { record(std::move(intent)); }
  Result<LogChunk> readLog(const LogQuery&) override { return LogChunk{"log of the fake engine\n", 0, 23, true}; }
  EngineAbilities abilities() const override { return abilities_; }
  Result<void> adjust(const Adjustment& adjustment) override {
    const std::lock_guard lock(mutex_);
    if (down_) return fail(kEngineCannot, "down");
    adjustments_.push_back(adjustment);
    return {};
  }
  void settled(model::AttemptId attempt) override {
    {
      const std::lock_guard lock(mutex_);
      settled_.push_back(attempt);
    }
    changed_.notify_all();
  }

  /// The cluster's nodes are others from now on.
  void changeNodes(std::vector<model::Node> nodes) {
    EngineSink* sink = nullptr;
    {
      const std::lock_guard lock(mutex_);
      sink = sink_;
    }
    if (sink != nullptr) sink->inventory(cluster_, std::move(nodes));
  }
  /// Tells of native jobs.
  void tellNative(std::vector<model::NativeJob> jobs) {
    EngineSink* sink = nullptr;
    {
      const std::lock_guard lock(mutex_);
      sink = sink_;
    }
    if (sink != nullptr) sink->native(std::move(jobs));
  }
  /// While down, every intent is answered with "retry".
  void setDown(bool down) {
    const std::lock_guard lock(mutex_);
    down_ = down;
  }
  /// Reports one fact; its sequence is the next of its attempt unless set.
  void report(model::Observation fact) {
    EngineSink* sink = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (fact.sequence == 0) fact.sequence = ++sequence_[fact.attempt];
      sink = sink_;
    }
    if (sink != nullptr) sink->observe({std::move(fact)});
  }
  void started(model::AttemptId attempt, TimePoint at) {
    model::Observation fact;
    fact.attempt = attempt;
    fact.kind = model::ObservationKind::started;
    fact.at = at;
    report(std::move(fact));
  }
  void ended(model::AttemptId attempt, TimePoint at, model::FailureCategory category = model::FailureCategory::none,
             int exitCode = 0) {
    model::Observation fact;
    fact.attempt = attempt;
    fact.kind = model::ObservationKind::ended;
    fact.at = at;
    fact.category = category;
    fact.ends = {{0, exitCode, 0, false, at}};
    report(std::move(fact));
  }

  [[nodiscard]] std::vector<StartOrder> orders() const {
    const std::lock_guard lock(mutex_);
    std::vector<StartOrder> all;
    for (const auto& [id, order] : orders_) all.push_back(order);
    return all;
  }
  [[nodiscard]] std::vector<model::Intent> otherIntents() const {
    const std::lock_guard lock(mutex_);
    return intents_;
  }
  [[nodiscard]] int startsOf(model::AttemptId attempt) const {
    const std::lock_guard lock(mutex_);
    const auto found = starts_.find(attempt);
    return found == starts_.end() ? 0 : found->second;
  }
  [[nodiscard]] std::vector<KnownAttempt> known() const {
    const std::lock_guard lock(mutex_);
    return known_;
  }
  [[nodiscard]] std::vector<Adjustment> adjustments() const {
    const std::lock_guard lock(mutex_);
    return adjustments_;
  }
  [[nodiscard]] std::vector<model::AttemptId> settledAttempts() const {
    const std::lock_guard lock(mutex_);
    return settled_;
  }

 private:
  /// False when down: the answer "retry" is given.
  bool taken(model::IntentId id) {
    bool down = false;
    {
      const std::lock_guard lock(mutex_);
      down = down_;
    }
    if (down) answer(id, DispatchOutcome::retry);
    return !down;
  }
  void record(model::Intent intent) {
    const auto id = intent.id;
    if (!taken(id)) return;
    {
      const std::lock_guard lock(mutex_);
      if (std::none_of(intents_.begin(), intents_.end(), [&](const auto& known) { return known.id == id; }))
        intents_.push_back(std::move(intent));
    }
    changed_.notify_all();
    answer(id, DispatchOutcome::done);
  }
  void answer(model::IntentId id, DispatchOutcome outcome) {
    EngineSink* sink = nullptr;
    {
      const std::lock_guard lock(mutex_);
      sink = sink_;
    }
    if (sink != nullptr) sink->dispatched(id, outcome, outcome == DispatchOutcome::retry ? "down" : "");
  }

  const std::string cluster_;
  std::vector<model::Node> nodes_;
  const EngineAbilities abilities_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  EngineSink* sink_ = nullptr;
  bool down_ = false;
  std::map<model::AttemptId, StartOrder> orders_;
  std::map<model::AttemptId, int> starts_;
  std::map<model::AttemptId, std::uint64_t> sequence_;
  std::vector<model::Intent> intents_;
  std::vector<Adjustment> adjustments_;
  std::vector<KnownAttempt> known_;
  std::vector<model::AttemptId> settled_;
};

/// A node `name` with so many whole devices of one model.
inline model::Node fakeNode(const std::string& name, int devices, const std::string& deviceModel = "h100-sxm5-80gb") {
  model::Node node;
  node.cluster = "local";
  node.name = name;
  node.cpus = {64'000};
  node.memory = {256LL << 30};
  for (int i = 0; i < devices; ++i) {
    model::Device device;
    device.index = i;
    device.vendor = "nvidia";
    device.model = deviceModel;
    device.memory = {80LL << 30};
    device.declared = true;
    node.devices.push_back(device);
  }
  return node;
}

}  // namespace fairlead::control::testing
