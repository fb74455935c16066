#include "local/launch_order.hpp"
#include "local/local_engine.hpp"

#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fairlead::engine::local {
namespace {

model::IntentId startIntent(model::AttemptId attempt) { return {attempt, model::IntentKind::start, 0}; }

/// A record that the engine itself writes: nothing was or is run, so it may take the lock.
Result<void> appendUnderLock(int folder, model::AttemptId attempt, model::Observation observation) {
  auto lock = AttemptLock::tryTake(folder);
  if (!lock) return tl::unexpected(lock.error());
  if (!*lock) return {};  // a supervisor lives and writes its own
  const auto journal = readJournal(folder, attempt);
  if (!journal) return tl::unexpected(journal.error());
  if (journal->launched() != nullptr || journal->final() != nullptr) return {};
  auto writer = JournalWriter::open(folder, *journal);
  if (!writer) return tl::unexpected(writer.error());
  return writer->append(std::move(observation));
}

}  // namespace

Result<LocalEngine::Tracked*> LocalEngine::track(model::AttemptId attempt, bool make) {
  if (const auto found = tracked_.find(attempt); found != tracked_.end()) return &found->second;
  const auto name = folderName(attempt);
  if (make)
    if (auto made = makeFolderAt(attempts_.get(), name, 0711); !made) return tl::unexpected(made.error());
  auto folder = openAt(attempts_.get(), name, O_RDONLY | O_DIRECTORY);
  if (!folder) return tl::unexpected(folder.error());
  Tracked tracked;
  tracked.id = attempt;
  tracked.folder = std::move(*folder);
  tracked.watch =
      ::inotify_add_watch(inotify_.get(), (attemptsPath_ + "/" + name).c_str(), IN_MODIFY | IN_CREATE | IN_ONLYDIR);
  if (tracked.watch < 0) return failErrno("cannot watch an attempt");
  byWatch_[tracked.watch] = attempt;
  return &tracked_.emplace(attempt, std::move(tracked)).first->second;
}

void LocalEngine::answerStart(Tracked& tracked, control::DispatchOutcome outcome, const std::string& reason) {
  if (!std::exchange(tracked.startWaits, false)) return;
  sink_->dispatched(startIntent(tracked.id), outcome, reason);
}

void LocalEngine::doStart(const control::StartOrder& order) {
  auto tracked = track(order.attempt.id, true);
  if (!tracked) {
    sink_->dispatched(order.intent.id, control::DispatchOutcome::retry, tracked.error().message);
    return;
  }
  (*tracked)->startWaits = true;
  if (auto begun = beginAttempt(**tracked, order); !begun)
    answerStart(**tracked, control::DispatchOutcome::retry, begun.error().message);
}

/// Ends with a supervisor that runs or has run, a refusal in the journal, or an error that may pass.
Result<void> LocalEngine::beginAttempt(Tracked& tracked, const control::StartOrder& order) {
  if (existsAt(tracked.folder.get(), kSettledFile)) {
    answerStart(tracked, control::DispatchOutcome::done, "it is over");
    return {};
  }
  const auto journal = readJournal(tracked.folder.get(), tracked.id);
  if (!journal) return tl::unexpected(journal.error());
  if (!journal->records.empty()) {  // a repeat
    tracked.reported = 0;
    journalChanged(tracked);
    if (!tracked.over && !tracked.supervisor) resolve(tracked);
    return {};
  }
  auto launch = makeLaunchOrder(order, options_, node_);
  if (!launch) {
    model::Observation refused;
    refused.kind = model::ObservationKind::refused;
    refused.category = model::FailureCategory::startFailed;
    refused.at = wallNow();
    refused.nativeState = "refused";
    refused.reason = launch.error().message;
    if (auto written = appendUnderLock(tracked.folder.get(), tracked.id, std::move(refused)); !written) return written;
    journalChanged(tracked);
    return {};
  }
  // Not made durable: until the supervisor's first record is, the start intent stays open and the order can be written
  // again.
  if (auto written = replaceFileAt(tracked.folder.get(), kOrderFile, encodeOrder(*launch), false); !written)
    return written;
  if (tracked.supervisor || AttemptLock::held(tracked.folder.get())) return {};
  auto pid = spawner_.start(attemptsPath_ + "/" + folderName(tracked.id));
  if (!pid) return tl::unexpected(pid.error());
  tracked.child = *pid;
  tracked.supervisor = openPid(*pid);
  tracked.lookAgainAt = tracked.supervisor ? Milliseconds{} : monotonicNow() + Milliseconds{1000};
  return {};
}

void LocalEngine::doStop(const model::Intent& intent) {
  auto tracked = track(intent.id.attempt, true);
  if (tracked && existsAt((*tracked)->folder.get(), kSettledFile)) {
    sink_->dispatched(intent.id, control::DispatchOutcome::done, {});
    return;
  }
  auto written = tracked ? writeControlIntent((*tracked)->folder.get(), intent) : tl::unexpected(tracked.error());
  if (written) written = syncFd(attempts_.get(), "the folder of attempts");
  if (!written) {
    sink_->dispatched(intent.id, control::DispatchOutcome::retry, written.error().message);
    return;
  }
  sink_->dispatched(intent.id, control::DispatchOutcome::done, {});
  resolve(**tracked);  // what no supervisor has begun ends here
}

void LocalEngine::doSignal(const model::Intent& intent) {
  auto tracked = track(intent.id.attempt, false);
  Result<void> written;
  if (tracked && !existsAt((*tracked)->folder.get(), kSettledFile))
    written = writeControlIntent((*tracked)->folder.get(), intent);
  const auto outcome = written ? control::DispatchOutcome::done : control::DispatchOutcome::retry;
  sink_->dispatched(intent.id, outcome, written ? std::string() : written.error().message);
}

void LocalEngine::journalChanged(Tracked& tracked) {
  const auto journal = readJournal(tracked.folder.get(), tracked.id);
  if (!journal) {
    say(LogSeverity::error, "attempt " + toText(tracked.id) + ": " + toText(journal.error()));
    return;
  }
  report(tracked, *journal);
  if (!tracked.over && !tracked.supervisor) attach(tracked, *journal);
}

void LocalEngine::report(Tracked& tracked, const Journal& journal) {
  std::vector<model::Observation> fresh;
  for (std::size_t i = tracked.reported; i < journal.records.size(); ++i)
    fresh.push_back(journal.records[i].observation);
  tracked.reported = journal.records.size();
  tracked.over = tracked.over || journal.final() != nullptr;
  if (tracked.over) tracked.lookAgainAt = {};
  if (!fresh.empty()) sink_->observe(std::move(fresh));
  if (!journal.records.empty()) answerStart(tracked, control::DispatchOutcome::done, {});
}

/// Watches a supervisor that another daemon started.
void LocalEngine::attach(Tracked& tracked, const Journal& journal) {
  const auto* launched = journal.launched();
  if (launched == nullptr) return;
  const auto pid = static_cast<pid_t>(launched->launch.supervisor);
  if (pid > 0) tracked.supervisor = openPid(pid);
  if (tracked.supervisor && processStart(pid) != launched->launch.supervisorStart) tracked.supervisor.reset();
  tracked.lookAgainAt = tracked.supervisor ? Milliseconds{} : monotonicNow() + Milliseconds{1000};
}

void LocalEngine::supervisorEnded(Tracked& tracked) {
  tracked.supervisor.reset();
  if (tracked.child > 0) ::waitpid(std::exchange(tracked.child, 0), nullptr, 0);
  const auto journal = readJournal(tracked.folder.get(), tracked.id);
  if (journal) report(tracked, *journal);
  if (!tracked.over) resolve(tracked);
}

void LocalEngine::doSettle(model::AttemptId attempt) {
  const auto name = folderName(attempt);
  const auto found = tracked_.find(attempt);
  if (found != tracked_.end()) {
    auto& tracked = found->second;
    if (tracked.over && tracked.child > 0)
      ::waitpid(tracked.child, nullptr, 0);  // its last record is written: it leaves
    pollfd wait{tracked.supervisor.get(), POLLIN, 0};
    if (tracked.over && tracked.supervisor) ::poll(&wait, 1, 1000);
    ::inotify_rm_watch(inotify_.get(), tracked.watch);
    byWatch_.erase(tracked.watch);
    tracked_.erase(found);
  }
  auto folder = openAt(attempts_.get(), name, O_RDONLY | O_DIRECTORY);
  if (!folder || AttemptLock::held(folder->get())) return;
  // The mark first: a start order that comes again must find that it is over.
  if (auto marked = replaceFileAt(folder->get(), kSettledFile, "", true); !marked) return;
  for (const auto* file : {"order", "journal", "in", "lock", "supervisor.log"}) removeTreeAt(folder->get(), file);
}

}  // namespace fairlead::engine::local
