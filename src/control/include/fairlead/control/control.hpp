// The control core: one writer thread that owns live state, commits each decision before it has any effect, and talks
// to engines.
#pragma once

#include <fairlead/base/clock.hpp>
#include <fairlead/base/result.hpp>
#include <fairlead/control/commands.hpp>
#include <fairlead/control/event_hub.hpp>
#include <fairlead/control/ports/engine_port.hpp>
#include <fairlead/control/ports/store_port.hpp>
#include <fairlead/control/state.hpp>
#include <fairlead/obs/log.hpp>
#include <fairlead/policy/plan.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

namespace fairlead::audit {
class Signer;
}

namespace fairlead::control {

struct ControlOptions {
  policy::PolicyConfig policy;
  Milliseconds planInterval{5};     ///< at least so long between two plannings
  Milliseconds engineRetry{1'000};  ///< before an intent is given again to an engine that could not take it
  std::size_t eventsInMemory = 65'536;
  std::uint64_t eventsKept = 1'000'000;  ///< retention in the store, in events
  Milliseconds idempotencyKept{86'400'000};
  std::uint64_t auditCheckpointEvery = 10'000;  ///< records between two kept checkpoints
  std::size_t inboxLimit = 100'000;             ///< commands waiting; over it a command is answered `unavailable`
  /// Makes what lives while the answers and events of one commit are given out, so that a server can hand them over
  /// together.
  std::function<std::shared_ptr<void>()> answerScope = {};
};

/// Figures for /metrics; all since start.
struct ControlStats {
  std::uint64_t commands = 0;
  std::uint64_t commits = 0;
  std::uint64_t commitFailures = 0;
  std::uint64_t plans = 0;
  std::int64_t lastPlanMicros = 0;
  std::int64_t lastCommitMicros = 0;
  std::size_t inbox = 0;
};

class Control {
 public:
  /// Store, engines, clock and signer must outlive it. `engines` may be empty; they take everything that fits. Others
  /// are connected later.
  Control(ControlOptions options, StorePort& store, std::vector<EnginePort*> engines, const ClockPort& clock,
          const audit::Signer& signer, obs::Logger log);
  ~Control();

  /// Loads live state, starts the engines and the writer thread, gives open intents again. Once.
  [[nodiscard]] Result<void> start();
  /// Finishes what is in the inbox, stops the writer. Running work goes on. Idempotent.
  void stop();

  // Commands: any thread. The reply comes once, on the writer thread, after the durable commit (or without one when
  // refused).
  void submit(SubmitCommand command, ReplyTo<SubmitReply> reply);
  void act(ActCommand command, ReplyTo<ActReply> reply);
  /// A denial or a read worth keeping. Written with the next commit; nobody waits for it.
  void audit(model::AuditRecord record);
  /// What a submission would get if it came now: refused, placed, or why not. Changes nothing.
  [[nodiscard]] Result<policy::Decision> dryRun(const model::Submission& submission, const Actor& actor) const;

  // Clusters: any thread; the reply comes as for commands. Errors kClusterKnown, kNoEngine, kAttemptsLive, and those of
  // EnginePort::start.
  void connect(std::shared_ptr<EnginePort> engine, model::ClusterTerms terms, ReplyTo<void> reply);
  void setTerms(std::string cluster, model::ClusterTerms terms, ReplyTo<void> reply);
  /// Refused while attempts of ours hold capacity there. Who connected the engine shuts it down after the reply.
  void disconnect(std::string cluster, ReplyTo<void> reply);

  // Asked of the engine itself; any thread that may block. Errors kNoEngine and the engine's own.
  /// What an ActReply says is to be asked. What came of it becomes an event.
  [[nodiscard]] Result<void> adjust(const Adjustment& adjustment);
  [[nodiscard]] Result<void> orderNode(const std::string& cluster, const NodeOrder& order);
  /// By name; connected ones.
  [[nodiscard]] std::map<std::string, EngineStatus> engineStatus() const;

  // Reads: any thread; never wait for a planning or a commit.
  /// `visit` gets `const State&` under a shared lock; copy out what is needed and return soon.
  template <class Visit>
  auto read(Visit&& visit) const {
    std::shared_lock lock(mutex_);
    return std::forward<Visit>(visit)(static_cast<const State&>(state_));
  }
  /// Why a workload waits. notFound when unknown; for workloads that do not wait the decision tells so in its reasons.
  [[nodiscard]] Result<policy::Explanation> explain(model::WorkloadId workload) const;
  [[nodiscard]] Result<LogChunk> readLog(const LogQuery& query) const;
  [[nodiscard]] EventHub& events() { return hub_; }
  [[nodiscard]] StorePort& store() { return store_; }
  [[nodiscard]] ControlStats stats() const;
  /// Nothing when commits work; else what fails, for /readyz.
  [[nodiscard]] std::string trouble() const;
  [[nodiscard]] TimePoint now() const { return clock_.now(); }

 private:
  class Writer;

  [[nodiscard]] std::shared_ptr<EnginePort> engineOf(const std::string& cluster) const;

  ControlOptions options_;
  StorePort& store_;
  std::map<std::string, std::shared_ptr<EnginePort>> engines_;  ///< by cluster; changed by the writer under the lock
  const ClockPort& clock_;
  mutable std::shared_mutex mutex_;
  State state_;
  EventHub hub_;
  std::unique_ptr<Writer> writer_;
};

}  // namespace fairlead::control
