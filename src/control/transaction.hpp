// One unit of work of the control thread: rows are edited in an overlay over live state, then committed, then taken
// over.
#pragma once

#include <fairlead/control/ports/store_port.hpp>
#include <fairlead/control/state.hpp>

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fairlead::control {

/// Where the sequences stand. Copied into a transaction, and back only when it is durable.
struct Sequences {
  std::uint64_t workload = 0;
  std::uint64_t attempt = 0;
  std::uint64_t event = 0;
  std::uint64_t audit = 0;
  std::uint64_t posting = 0;
  model::Digest auditHash{};
};

class Transaction {
 public:
  Transaction(const State& state, const Sequences& sequences, TimePoint now)
      : state_(state), sequences_(sequences), now_(now) {}

  [[nodiscard]] TimePoint now() const { return now_; }
  [[nodiscard]] const State& state() const { return state_; }

  /// As this transaction sees it: its own edit, else live state. Null when unknown.
  [[nodiscard]] const model::Workload* workload(model::WorkloadId id) const;
  [[nodiscard]] const model::Attempt* attempt(model::AttemptId id) const;
  [[nodiscard]] const model::IdempotencyRecord* idempotency(const model::Digest& key) const;

  /// The row to change; its revision has grown. The reference stays good for the life of the transaction.
  model::Workload& edit(model::WorkloadId id);
  model::Attempt& editAttempt(model::AttemptId id);
  /// Gives the next id.
  model::Workload& add(model::Workload row);
  model::Attempt& add(model::Attempt row);
  /// Moves the row where its table allows, with an event `workload.STATE`. False: not allowed, nothing happened.
  bool move(model::Workload& row, model::WorkloadEvent event, model::AttemptId attempt, std::string detail);
  /// An intent about an attempt, with its id, workload, cluster and time filled in; give it back with put.
  [[nodiscard]] model::Intent intentFor(const model::Attempt& attempt, model::IntentKind kind,
                                        std::uint32_t ordinal) const;
  void put(model::Intent intent) { changes_.intents.push_back(std::move(intent)); }
  void put(model::ModelVersion version) { changes_.versions.push_back(std::move(version)); }
  void put(model::IdempotencyRecord record) { changes_.idempotency.push_back(std::move(record)); }
  /// The document that live state, or this transaction, already holds for this digest; else this one, to be stored.
  model::SpecPtr intern(model::SpecPtr spec);
  void event(std::string kind, const model::Workload& about, model::AttemptId attempt = {}, std::string detail = {});
  void audit(model::AuditRecord record);
  void post(std::vector<model::Posting> postings);

  /// The newest workload of a native job in this transaction's view; 0: none.
  [[nodiscard]] model::WorkloadId nativeWorkload(const std::string& cluster, const std::string& id) const;
  /// Elements of the array that are alive in this transaction's view.
  [[nodiscard]] std::size_t elementsAlive(model::WorkloadId array) const;
  /// The newest version of a model in this transaction's view; null when there is none.
  [[nodiscard]] const model::ModelVersion* newestVersion(const std::string& project, const std::string& name) const;

  [[nodiscard]] const Sequences& sequences() const { return sequences_; }
  [[nodiscard]] bool empty() const;
  /// Moves everything out. The transaction is spent.
  [[nodiscard]] ChangeSet take();

 private:
  const State& state_;
  Sequences sequences_;
  TimePoint now_;
  ChangeSet changes_;
  std::deque<model::Workload> workloads_;
  std::unordered_map<model::WorkloadId, std::size_t> workloadAt_;
  std::map<std::pair<std::string, std::string>, model::WorkloadId> natives_;  ///< those that this transaction adds
  std::deque<model::Attempt> attempts_;
  std::unordered_map<model::AttemptId, std::size_t> attemptAt_;
};

}  // namespace fairlead::control
