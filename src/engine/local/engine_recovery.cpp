#include "local/cgroup.hpp"
#include "local/fields.hpp"
#include "local/local_engine.hpp"
#include "local/processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

namespace fairlead::engine::local {
namespace {

constexpr Milliseconds kKillTime{30'000};
constexpr Milliseconds kOldLogsInterval{3'600'000};
constexpr std::size_t kFolderLimit = 10'000'000;

bool stopAsked(int folder) {
  const auto intents = readControlIntents(folder);
  return std::any_of(intents.begin(), intents.end(), [](auto& i) { return i.id.kind == model::IntentKind::stop; });
}

model::Observation cancelled(int folder) {
  model::Observation ended;
  ended.kind = model::ObservationKind::ended;
  ended.category = model::FailureCategory::cancelled;
  ended.at = wallNow();
  ended.nativeState = "never started";
  for (const auto& intent : readControlIntents(folder))
    if (intent.id.kind == model::IntentKind::stop && ended.reason.empty()) ended.reason = intent.reason;
  if (ended.reason.empty()) ended.reason = "stopped before it started";
  return ended;
}

}  // namespace

model::Observation LocalEngine::lostObservation(const Journal& journal) {
  const auto& launch = journal.launched()->launch;
  model::Observation lost;
  lost.kind = model::ObservationKind::lost;
  lost.at = wallNow();
  lost.nativeState = "lost";
  if (launch.boot != bootId(options_.bootIdFile)) {
    lost.category = model::FailureCategory::nodeLost;
    lost.reason = "the host was rebooted";
    return lost;
  }
  lost.category = model::FailureCategory::engineLost;
  lost.reason = fmt::format("its supervisor (pid {}) died without a word", launch.supervisor);
  return lost;
}

void LocalEngine::resolve(Tracked& tracked) {
  tracked.lookAgainAt = {};
  const int folder = tracked.folder.get();
  auto lock = AttemptLock::tryTake(folder);
  if (!lock || !*lock) {  // it lives, or the disk does not let us ask
    if (!tracked.supervisor) tracked.lookAgainAt = monotonicNow() + Milliseconds{1000};
    return;
  }
  const auto journal = readJournal(folder, tracked.id);
  if (!journal) return say(LogSeverity::error, toText(journal.error()));
  if (journal->final() == nullptr && (journal->launched() != nullptr || stopAsked(folder))) {
    auto observation = cancelled(folder);
    if (const auto* launched = journal->launched()) {
      observation = lostObservation(*journal);
      if (observation.category == model::FailureCategory::engineLost) {
        const auto& launch = launched->launch;
        const auto mark = supervisorMark(static_cast<pid_t>(launch.supervisor), launch.supervisorStart);
        const bool gone = endCgroup(launch.cgroup, kKillTime) && killMarked({folderName(tracked.id), mark}, kKillTime);
        if (!gone)
          say(LogSeverity::error,
              fmt::format("attempt {}: processes are left that cannot be killed", toText(tracked.id)));
      }
    }
    auto writer = JournalWriter::open(folder, *journal);
    if (!writer || !writer->append(std::move(observation))) {
      tracked.lookAgainAt = monotonicNow() + Milliseconds{1000};
      return say(LogSeverity::error, fmt::format("attempt {}: its end cannot be written down", toText(tracked.id)));
    }
  }
  const auto now = readJournal(folder, tracked.id);
  if (now) report(tracked, *now);
  if (now && now->records.empty())  // never launched: the start intent is open, so it will be given again
    answerStart(tracked, control::DispatchOutcome::retry, "its supervisor ended before it launched anything");
}

void LocalEngine::recover(const std::vector<control::KnownAttempt>& known) {
  for (const auto& attempt : known) recoverKnown(attempt);
  if (auto names = listFolder(attempts_.get(), kFolderLimit))
    for (const auto& name : *names) recoverUnknown(name, known);
}

void LocalEngine::recoverKnown(const control::KnownAttempt& known) {
  auto tracked = track(known.attempt, false);
  if (!tracked) {
    if (known.state == model::AttemptState::planned) return;  // its start intent will come
    model::Observation lost;
    lost.attempt = known.attempt;
    lost.kind = model::ObservationKind::lost;
    lost.category = model::FailureCategory::engineLost;
    lost.sequence = known.observed + kSequenceStep;
    lost.at = wallNow();
    lost.nativeState = "lost";
    lost.reason = "its folder is gone from " + attemptsPath_;
    sink_->observe({std::move(lost)});
    return;
  }
  const auto journal = readJournal((*tracked)->folder.get(), known.attempt);
  if (!journal) return say(LogSeverity::error, toText(journal.error()));
  report(**tracked, *journal);
  if ((*tracked)->over) return;
  attach(**tracked, *journal);
  if (!(*tracked)->supervisor) return resolve(**tracked);
  model::Observation alive;
  alive.attempt = known.attempt;
  alive.kind = model::ObservationKind::alive;
  alive.at = wallNow();
  alive.nativeState = "running";
  // Above all that was told, below the next record of the journal.
  const auto last = journal->records.size() * kSequenceStep;
  alive.sequence = std::min(std::max(known.observed, last) + 1, last + kSequenceStep - 1);
  sink_->observe({std::move(alive)});
}

void LocalEngine::removeOldLogs() {
  oldLogsAt_ = monotonicNow() + kOldLogsInterval;
  auto names = listFolder(attempts_.get(), kFolderLimit);
  if (!names) return;
  for (const auto& name : *names) {
    struct stat info{};
    if (!model::parseIntentId(name)) continue;
    if (::fstatat(attempts_.get(), (name + "/" + kSettledFile).c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (wallNow() - TimePoint{info.st_mtim.tv_sec * 1000} > options_.logRetention) removeTreeAt(attempts_.get(), name);
  }
}

/// Copies that a dead supervisor did not finish: `.INTENT.OUTPUT`.
void LocalEngine::removeHalfArtifacts() {
  auto store = openFolder(options_.stateDir + "/artifacts");
  if (!store) return;
  auto names = listFolder(store->get(), kFolderLimit);
  if (!names) return;
  for (const auto& name : *names) {
    const auto end = name.find(".start.");
    if (!name.starts_with('.') || end == std::string::npos) continue;
    auto folder = openAt(attempts_.get(), name.substr(1, end + 5), O_RDONLY | O_DIRECTORY);
    if (!folder || !AttemptLock::held(folder->get())) removeTreeAt(store->get(), name);
  }
}

void LocalEngine::recoverUnknown(const std::string& name, const std::vector<control::KnownAttempt>& known) {
  const auto id = model::parseIntentId(name);
  if (!id || id->kind != model::IntentKind::start) return;
  const auto same = [&](const control::KnownAttempt& k) { return k.attempt == id->attempt; };
  if (std::any_of(known.begin(), known.end(), same)) return;
  auto folder = openAt(attempts_.get(), name, O_RDONLY | O_DIRECTORY);
  if (!folder) return;
  if (existsAt(folder->get(), kSettledFile)) return;
  if (!AttemptLock::held(folder->get())) return doSettle(id->attempt);
  say(LogSeverity::warning,
      fmt::format("attempt {} runs here and nobody knows it: it is stopped", toText(id->attempt)));
  model::Intent stop;
  stop.id = {id->attempt, model::IntentKind::stop, 0xFFFFFFFF};
  stop.signal = SIGTERM;
  stop.grace = {30'000};
  stop.reason = "nobody knows this attempt";
  if (auto written = writeControlIntent(folder->get(), stop); !written)
    say(LogSeverity::error, toText(written.error()));
}

}  // namespace fairlead::engine::local
