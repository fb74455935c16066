#include "native.hpp"

#include <fairlead/base/assert.hpp>
#include <fairlead/ledger/postings.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::control {

using model::Attempt;
using model::AttemptState;
using model::FailureCategory;
using model::NativeJob;
using model::Workload;
using model::WorkloadState;

namespace {

/// Whoever started it moves it in the steps of its own cluster, so any state may follow any other.
void moveTo(Transaction& tx, Workload& row, WorkloadState state, std::string detail) {
  if (row.state == state) return;
  row.state = state;
  tx.event(fmt::format("workload.{}", toText(state)), row, row.currentAttempt, std::move(detail));
}

Workload& addRow(Transaction& tx, const NativeJob& job) {
  Workload row;
  row.name = job.name;
  row.project = job.project;
  row.submitter = job.user;
  row.unixUser = job.user;
  row.spec = tx.intern(job.spec);
  row.state = job.state == WorkloadState::held ? WorkloadState::held : WorkloadState::queued;
  row.priority = 0;
  row.submittedAt = job.submittedAt;
  row.queuedAt = job.submittedAt;
  row.native = std::make_shared<const model::NativeOrigin>(job.origin);
  auto& added = tx.add(std::move(row));
  tx.event(fmt::format("workload.{}", toText(added.state)), added, {}, fmt::format("native job {}", job.origin.id));
  return added;
}

AttemptState endStateOf(FailureCategory category) {
  if (category == FailureCategory::none) return AttemptState::succeeded;
  return category == FailureCategory::cancelled ? AttemptState::cancelled : AttemptState::failed;
}

/// A run is over. Nobody told us of checkpoints, so its time counts as used however it ended.
void endRun(Transaction& tx, Workload& row, FailureCategory category, TimePoint at,
            const std::vector<model::MemberEnd>& ends) {
  auto& attempt = tx.editAttempt(row.currentAttempt);
  attempt.state = endStateOf(category);
  attempt.failure = category;
  attempt.endedAt = std::max(at, attempt.plannedAt);
  attempt.ends = ends;
  tx.post(ledger::postingsOf(row, attempt, false));
  tx.event(fmt::format("attempt.{}", toText(attempt.state)), row, attempt.id,
           category == FailureCategory::none ? "done" : std::string(toText(category)));
  row.failure = category;
}

void startRun(Transaction& tx, Workload& row, const NativeJob& job) {
  Attempt attempt;
  attempt.workload = row.id;
  attempt.number = job.run;
  attempt.cluster = job.origin.cluster;
  attempt.nativeId = job.origin.id;
  attempt.state = AttemptState::running;
  attempt.nativeState = job.origin.state;
  attempt.nativeReason = job.origin.reason;
  attempt.placement = job.placement;
  attempt.plannedAt = job.startedAt;
  attempt.startedAt = job.startedAt;
  const auto& added = tx.add(std::move(attempt));
  row.currentAttempt = added.id;
  row.attempts = std::max(row.attempts, job.run);
  row.startedAt = job.startedAt;
  tx.event("attempt.running", row, added.id, job.origin.id);
}

bool sameWords(const Attempt& attempt, const NativeJob& job) {
  return attempt.nativeState == job.origin.state && attempt.nativeReason == job.origin.reason &&
         attempt.placement == job.placement;
}

/// The attempt of the run that the job is in, while it lives; null otherwise.
const Attempt* liveRun(const Transaction& tx, const Workload& row) {
  const auto* attempt = row.currentAttempt ? tx.attempt(row.currentAttempt) : nullptr;
  return attempt != nullptr && !model::isFinal(attempt->state) ? attempt : nullptr;
}

bool nothingNew(const Transaction& tx, const Workload& row, const NativeJob& job) {
  if (row.state != job.state || *row.native != job.origin) return false;
  const auto* live = liveRun(tx, row);
  if (job.startedAt && !model::isFinal(job.state))
    return live != nullptr && live->number == job.run && sameWords(*live, job);
  return live == nullptr;
}

bool isOldNews(const Transaction& tx, const Workload& row, const NativeJob& job) {
  if (row.attempts > job.run) return true;
  if (model::isFinal(row.state)) return row.attempts == job.run || model::isFinal(job.state);
  return nothingNew(tx, row, job);
}

/// The run before this one, of which only its start was seen.
bool endEarlierRun(Transaction& tx, Workload& row, const NativeJob& job) {
  const auto* live = liveRun(tx, row);
  const bool waitsAgain = job.state == WorkloadState::queued || job.state == WorkloadState::held;
  if (live == nullptr || (live->number >= job.run && !waitsAgain)) return false;
  const auto category = job.failure == FailureCategory::none ? FailureCategory::preempted : job.failure;
  // Whoever read the past knows when that run ended; else it has just been seen.
  const auto seen = waitsAgain ? tx.now() : job.startedAt;
  const auto end = std::min(waitsAgain && job.endedAt ? job.endedAt : seen, tx.now());
  endRun(tx, row, category, end, {});
  return true;
}

bool takeRun(Transaction& tx, Workload& row, const NativeJob& job) {
  bool moved = endEarlierRun(tx, row, job);
  if (!job.startedAt || row.attempts >= job.run) {
    if (const auto* live = liveRun(tx, row); live != nullptr && !sameWords(*live, job)) {
      auto& attempt = tx.editAttempt(live->id);
      attempt.nativeState = job.origin.state;
      attempt.nativeReason = job.origin.reason;
      if (!job.placement.empty()) attempt.placement = job.placement;
    }
    return moved;
  }
  startRun(tx, row, job);
  return true;
}

}  // namespace

bool foldNative(Transaction& tx, const NativeJob& job) {
  FL_ASSERT(job.spec != nullptr && job.run > 0, "a native job is told whole");
  auto id = tx.nativeWorkload(job.origin.cluster, job.origin.id);
  const auto* known = id ? tx.workload(id) : nullptr;
  const bool another = known != nullptr && known->submittedAt != job.submittedAt;
  if (another && known->submittedAt > job.submittedAt) return false;  // late news of an id that has a new owner
  if (known != nullptr && !another && isOldNews(tx, *known, job)) return false;
  bool moved = false;
  if (another && !model::isFinal(known->state)) {  // ids come round again: the first one must have ended
    auto& old = tx.edit(id);
    if (liveRun(tx, old) != nullptr) endRun(tx, old, FailureCategory::engineLost, tx.now(), {});
    old.endedAt = tx.now();
    moveTo(tx, old, WorkloadState::failed, "its id was given to another job");
    moved = true;
  }
  auto& row = known == nullptr || another ? addRow(tx, job) : tx.edit(id);
  if (*row.native != job.origin) row.native = std::make_shared<const model::NativeOrigin>(job.origin);
  moved |= takeRun(tx, row, job);
  if (model::isFinal(job.state)) {
    if (liveRun(tx, row) != nullptr) {
      endRun(tx, row, job.failure, job.endedAt, job.ends);
      moved = true;
    }
    row.failure = job.failure;
    row.endedAt = job.endedAt ? job.endedAt : tx.now();
  }
  row.message = job.origin.reason;
  moveTo(tx, row, job.state, job.origin.state);
  return moved;
}

}  // namespace fairlead::control
