// Stopping: first signal, its grace, stop signal, its grace, scancel; each step until Slurm has it.
#include "slurm/script.hpp"
#include "slurm/slurm_engine.hpp"

#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

namespace fairlead::engine::slurm {

using control::DispatchOutcome;
using local::monotonicNow;
using local::StopAction;

namespace {

constexpr Milliseconds kAgain{2'000};

Milliseconds left(Milliseconds grace, Milliseconds passed) { return grace > passed ? grace - passed : Milliseconds{0}; }

}  // namespace

void SlurmEngine::endNeverStarted(Tracked& tracked) {
  model::Observation ended;
  ended.kind = model::ObservationKind::ended;
  ended.category = model::FailureCategory::cancelled;
  ended.nativeState = "never started";
  ended.reason = tracked.memory.stop.reason.empty() ? "stopped before it started" : tracked.memory.stop.reason;
  tracked.memory.over = true;
  tell(tracked, std::move(ended));
}

void SlurmEngine::doStop(const model::Intent& intent) {
  const auto attempt = intent.id.attempt;
  auto stored = folder_->load(attempt);
  if (!stored) return answer(intent.id, DispatchOutcome::retry, toText(stored.error()));
  std::unique_lock guard(mutex_);
  auto& tracked = track(attempt);
  if (*stored && tracked.memory.jobName.empty()) tracked.memory = **stored;
  auto& memory = tracked.memory;
  if (memory.over || memory.settled) {
    guard.unlock();
    return answer(intent.id, DispatchOutcome::done);
  }
  const bool again = memory.stop.asked;
  memory.stop = {true,         local::wallNow(), intent.signal, intent.firstSignal, intent.firstGrace,
                 intent.grace, intent.reason};
  const auto copy = memory;
  guard.unlock();
  if (auto saved = remember(copy); !saved) return answer(intent.id, DispatchOutcome::retry, toText(saved.error()));
  if (copy.job == 0 && copy.lastTry) {
    const auto found = findJob(copy);
    if (!found) return answer(intent.id, DispatchOutcome::retry, toText(found.error()));
    guard.lock();
    if (*found) adopt(tracked, **found);
    const bool open = memory.job == 0 && !missedLongEnough(tracked);
    guard.unlock();
    if (open)
      return answer(intent.id, DispatchOutcome::retry, "its submission was not answered; Slurm may still be taking it");
  }
  guard.lock();
  if (memory.job == 0) {
    memory.lastTry = {};  // nothing of it is anywhere, and nothing will be
    endNeverStarted(tracked);
  } else if (again || tracked.phase != JobPhase::unsaid) {
    beginStop(tracked);
  }
  pollNow_ = true;
  const auto after = memory;
  guard.unlock();
  pollerWake_.notify_all();
  if (auto saved = remember(after); !saved) say(LogSeverity::warning, toText(saved.error()));
  answer(intent.id, DispatchOutcome::done);
}

/// With the lock held.
void SlurmEngine::beginStop(Tracked& tracked) {
  const auto& stop = tracked.memory.stop;
  tracked.stopBegun = true;
  if (tracked.phase == JobPhase::waiting) return driveStop(tracked, StopAction::kill);
  const auto passed = std::max(Milliseconds{0}, local::wallNow() - stop.at);  // what an earlier daemon waited
  local::StopPlan plan;
  plan.firstSignal = left(stop.firstGrace, passed).count > 0 ? stop.firstSignal : 0;
  plan.firstGrace = left(stop.firstGrace, passed);
  plan.signal = stop.signal;
  plan.grace = left(stop.grace, left(passed, stop.firstGrace));
  driveStop(tracked, tracked.clock.begin(plan, monotonicNow()));
}

/// With the lock held.
void SlurmEngine::driveStop(Tracked& tracked, StopAction action) {
  if (action == StopAction::nothing) return;
  tracked.stopAction.reset();
  const auto attempt = tracked.memory.attempt;
  tracked.tasks.emplace_back([this, attempt, action] { carryOut(attempt, action); });
  if (std::exchange(tracked.busy, true)) return;
  ready_.push_back(attempt);
  callersWake_.notify_one();
}

void SlurmEngine::carryOut(model::AttemptId attempt, StopAction action) {
  AttemptMemory memory;
  {
    const std::lock_guard guard(mutex_);
    const auto found = tracked_.find(attempt);
    if (found == tracked_.end() || found->second.memory.over) return;
    memory = found->second.memory;
  }
  const auto done = sendStopStep(memory, action);
  const auto* code = done ? nullptr : done.error().code;
  if (done || code == &kSlurmUnknownJob) {
    const std::lock_guard guard(mutex_);
    pollNow_ = true;
    return pollerWake_.notify_all();
  }
  say(LogSeverity::warning, fmt::format("attempt {}: {}", toText(attempt), toText(done.error())));
  if (code == &kSlurmUnsupported) return;  // it never works here; the next step comes all the same
  const std::lock_guard guard(mutex_);
  const auto found = tracked_.find(attempt);
  if (found == tracked_.end()) return;
  found->second.stopAction = action;
  found->second.stopActionAt = monotonicNow() + kAgain;
  pollerWake_.notify_all();
}

Result<void> SlurmEngine::sendStopStep(const AttemptMemory& memory, StopAction action) {
  if (action == StopAction::kill) return calls_->cancel(memory.job, memory.user);
  if (action == StopAction::sendFirst) return signalRanks(memory, memory.stop.firstSignal);
  // A script for sbatch may run its program without srun.
  if (memory.batchStyle)
    return calls_->signal(memory.job, memory.stop.signal, wire::SignalScope::batchScript, memory.user);
  return signalRanks(memory, memory.stop.signal);
}

Result<void> SlurmEngine::signalRanks(const AttemptMemory& memory, int number) {
  auto sent = calls_->signal(memory.job, number, wire::SignalScope::steps, memory.user);
  const bool scriptOnly = !sent && sent.error().code == &kSlurmUnsupported;
  if (!scriptOnly || memory.batchStyle || number < 1 || number > kHighestPassedSignal) return sent;
  return calls_->signal(memory.job, passingSignal(number), wire::SignalScope::batchScript, memory.user);
}

void SlurmEngine::tickStops() {
  const std::lock_guard guard(mutex_);
  const auto now = monotonicNow();
  for (auto& [id, tracked] : tracked_) {
    if (tracked.memory.over || !tracked.memory.stop.asked) continue;
    if (const auto action = tracked.clock.due(now); action != StopAction::nothing)
      driveStop(tracked, action);
    else if (tracked.stopAction && now >= tracked.stopActionAt)
      driveStop(tracked, *tracked.stopAction);
  }
}

void SlurmEngine::doSignal(const model::Intent& intent) {
  AttemptMemory memory;
  {
    const std::lock_guard guard(mutex_);
    memory = track(intent.id.attempt).memory;
  }
  if (memory.over) return answer(intent.id, DispatchOutcome::done);
  if (memory.job == 0) return answer(intent.id, DispatchOutcome::retry, "its job is not known yet");
  const auto sent = signalRanks(memory, intent.signal);
  const bool settledIt = sent || !mayWorkLater(sent.error());
  answer(intent.id, settledIt ? DispatchOutcome::done : DispatchOutcome::retry,
         sent ? std::string() : toText(sent.error()));
}

}  // namespace fairlead::engine::slurm
