// The writer thread: takes the inbox, changes rows in a transaction, commits, takes over, answers, dispatches, plans.
#pragma once

#include "inbox.hpp"
#include "transaction.hpp"

#include <fairlead/control/control.hpp>

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <thread>

namespace fairlead::control {

class Control::Writer final : public EngineSink {
 public:
  Writer(Control& control, const audit::Signer& signer, obs::Logger log);
  ~Writer() override;

  Result<void> start();
  void stop();
  [[nodiscard]] Inbox& inbox() { return inbox_; }
  [[nodiscard]] ControlStats stats() const;
  [[nodiscard]] std::string trouble() const;

  // EngineSink: any thread.
  void observe(std::vector<model::Observation> observations) override;
  void native(std::vector<model::NativeJob> jobs) override;
  void inventory(std::string cluster, std::vector<model::Node> nodes) override;
  void dispatched(model::IntentId intent, DispatchOutcome outcome, std::string reason) override;

 private:
  using Clock = std::chrono::steady_clock;
  using Answer = std::function<void(const Error*)>;  ///< called with what went wrong with the commit, or null

  void run();
  void step(std::vector<InboxItem> items);
  void handle(InboxItem& item, Transaction& tx, std::vector<Answer>& answers);
  void handle(SubmitItem& item, Transaction& tx, std::vector<Answer>& answers);
  void handle(ActItem& item, Transaction& tx, std::vector<Answer>& answers);
  void handle(AuditItem& item, Transaction& tx, std::vector<Answer>& answers);
  void handle(ObserveItem& item, Transaction& tx, std::vector<Answer>& answers);
  void handle(InventoryItem& item, Transaction& tx, std::vector<Answer>& answers);
  void handle(NativeItem& item, Transaction& tx, std::vector<Answer>& answers);
  void handle(DispatchedItem& item, Transaction& tx, std::vector<Answer>& answers);
  void handle(ConnectItem& item, Transaction& tx, std::vector<Answer>& answers);
  void handle(TermsItem& item, Transaction& tx, std::vector<Answer>& answers);
  void handle(DisconnectItem& item, Transaction& tx, std::vector<Answer>& answers);
  void handle(AdjustedItem& item, Transaction& tx, std::vector<Answer>& answers);
  [[nodiscard]] std::vector<KnownAttempt> knownOn(const std::string& cluster) const;
  /// What may be done on a cluster has changed.
  void setStanding(const std::string& cluster, model::ClusterTerms terms, const EngineAbilities& abilities);

  /// Makes the transaction durable and takes it over. False: nothing happened, everybody was told.
  bool commit(Transaction& tx, std::vector<Answer>& answers);
  void sealAudit(ChangeSet& changes, const Sequences& sequences, TimePoint now);
  void retain(ChangeSet& changes, TimePoint now);
  void planIfDue();
  [[nodiscard]] bool mattersNow(const model::Workload& row) const;
  void dispatch(const model::Intent& intent);
  void dispatchAgain();
  [[nodiscard]] EnginePort* engineOf(const std::string& cluster) const;
  [[nodiscard]] Clock::time_point nextWake() const;
  void setTrouble(std::string text);

  Control& control_;
  const audit::Signer& signer_;
  obs::Logger log_;
  Inbox inbox_;
  std::thread thread_;

  // Owned by the writer thread.
  Sequences sequences_;
  bool planDirty_ = true;
  Clock::time_point planNotBefore_{};
  std::optional<QueueKey>
      windowEnd_;  ///< last queue entry that the last planning looked at, when it could not look at all
  std::deque<std::pair<Clock::time_point, model::IntentId>> again_;  ///< intents to give again, by time
  std::vector<InboxItem> held_;                                      ///< facts of a failed commit, for the next try
  Clock::time_point commitNotBefore_{};
  std::uint64_t lastCheckpoint_ = 0;
  std::uint64_t eventsDropped_ = 0;
  TimePoint idempotencySwept_;

  std::atomic<std::uint64_t> commands_{0}, commits_{0}, commitFailures_{0}, plans_{0};
  std::atomic<std::int64_t> planMicros_{0}, commitMicros_{0};
  mutable std::mutex troubleMutex_;
  std::string trouble_;
};

}  // namespace fairlead::control
