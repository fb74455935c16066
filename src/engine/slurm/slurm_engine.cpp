#include "slurm/slurm_engine.hpp"

#include "slurm/make_calls.hpp"

#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::engine {

Result<std::unique_ptr<control::EnginePort>> makeSlurmEngine(SlurmOptions options) {
  auto calls = slurm::makeCalls(options);
  if (!calls) return tl::unexpected(calls.error());
  return std::make_unique<slurm::SlurmEngine>(std::move(options), std::move(*calls));
}

}  // namespace fairlead::engine

namespace fairlead::engine::slurm {

using local::monotonicNow;

namespace {

constexpr int kFilesAtOnce = 4;

}  // namespace

SlurmEngine::SlurmEngine(SlurmOptions options, std::unique_ptr<SlurmCalls> calls)
    : options_(std::move(options)),
      calls_(std::move(calls)),
      files_(options_.supervisor, filesStop_.get_token()),
      mirror_(options_.slurmCluster),
      natives_(NativeForm(options_.cluster, options_.projects),
               [this](model::AttemptId attempt, const std::string& user) { return ownerOf(attempt, user); }) {}

SlurmEngine::~SlurmEngine() { shutdown(); }

void SlurmEngine::say(LogSeverity severity, const std::string& text) const {
  if (options_.log) options_.log(severity, text);
}

Result<void> SlurmEngine::start(control::EngineSink& sink, std::vector<control::KnownAttempt> known) {
  auto folder = MemoryFolder::open(options_.stateDir);
  if (!folder) return tl::unexpected(folder.error());
  folder_ = std::move(*folder);
  if (auto made = makeArtifactFolder(); !made) return made;
  sink_ = &sink;
  lastBelieved_ = monotonicNow();
  recover(known);
  for (std::int32_t i = 0; i < std::max(options_.callsAtOnce, 1); ++i)
    callers_.emplace_back([this] { callerMain(false); });
  for (int i = 0; i < kFilesAtOnce; ++i) callers_.emplace_back([this] { callerMain(true); });
  poller_ = std::thread([this] { pollerMain(); });
  return startHistory();
}

void SlurmEngine::shutdown() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  calls_->shutdown();
  filesStop_.request_stop();
  callersWake_.notify_all();
  filesWake_.notify_all();
  pollerWake_.notify_all();
  readingDone_.notify_all();
  for (auto& caller : callers_) caller.join();
  callers_.clear();
  if (poller_.joinable()) poller_.join();
  if (history_) history_->shutdown();
}

SlurmEngine::Tracked& SlurmEngine::track(model::AttemptId attempt) {
  auto& tracked = tracked_[attempt];
  tracked.memory.attempt = attempt;
  return tracked;
}

void SlurmEngine::post(model::AttemptId attempt, Task task) {
  const std::lock_guard guard(mutex_);
  enqueue(track(attempt), std::move(task));
}

void SlurmEngine::enqueue(Tracked& tracked, Task task) {
  tracked.tasks.push_back(std::move(task));
  if (!std::exchange(tracked.busy, true)) makeReady(tracked);
}

void SlurmEngine::makeReady(Tracked& tracked) {
  const bool files = tracked.tasks.front().files;
  (files ? filesReady_ : ready_).push_back(tracked.memory.attempt);
  (files ? filesWake_ : callersWake_).notify_one();
}

void SlurmEngine::callerMain(bool files) {
  auto& ready = files ? filesReady_ : ready_;
  std::unique_lock guard(mutex_);
  for (;;) {
    (files ? filesWake_ : callersWake_).wait(guard, [&] { return stopping_ || !ready.empty(); });
    if (stopping_) return;  // what is not done is not answered, and will be given again
    const auto attempt = ready.front();
    ready.pop_front();
    const auto found = tracked_.find(attempt);
    if (found == tracked_.end()) continue;
    auto task = std::move(found->second.tasks.front());
    found->second.tasks.pop_front();
    guard.unlock();
    task.run();
    guard.lock();
    const auto after = tracked_.find(attempt);
    if (after == tracked_.end()) continue;
    after->second.busy = !after->second.tasks.empty();
    if (after->second.busy) makeReady(after->second);
  }
}

void SlurmEngine::waitFor(Milliseconds until) {
  std::unique_lock guard(mutex_);
  const auto span = std::clamp<std::int64_t>((until - monotonicNow()).count, 0, 60'000);
  pollerWake_.wait_for(guard, std::chrono::milliseconds(span), [&] { return stopping_ || pollNow_; });
}

void SlurmEngine::pollerMain() {
  while (!stopping_) {
    if (!connected_ && monotonicNow() >= connectAt_) connect();
    {
      const std::lock_guard guard(mutex_);
      if (std::exchange(pollNow_, false)) jobsAt_ = std::min(jobsAt_, jobsNotBefore_);
    }
    if (readNodesSoon_.exchange(false)) nodesAt_ = {};
    if (connected_ && monotonicNow() >= nodesAt_) readNodes();
    if (connected_ && !stopping_ && monotonicNow() >= jobsAt_) {
      readJobs();
      askHistory();
    }
    tickStops();
    checkStale();
    if (monotonicNow() >= cleanAt_) {
      folder_->forgetOld(options_.retention);
      cleanAt_ = monotonicNow() + Milliseconds{3'600'000};
    }
    auto next = connected_ ? std::min(jobsAt_, nodesAt_) : connectAt_;
    {
      const std::lock_guard guard(mutex_);
      for (const auto& [id, tracked] : tracked_) {
        if (const auto due = tracked.clock.next()) next = std::min(next, *due);
        if (tracked.stopAction) next = std::min(next, tracked.stopActionAt);
      }
    }
    waitFor(next);
  }
}

void SlurmEngine::tell(Tracked& tracked, model::Observation observation) {
  observation.attempt = tracked.memory.attempt;
  observation.sequence = ++tracked.sequence;
  if (!observation.at) observation.at = local::wallNow();
  if (!stopping_) sink_->observe({std::move(observation)});
}

void SlurmEngine::answer(const model::IntentId& intent, control::DispatchOutcome outcome, const std::string& reason) {
  if (!stopping_) sink_->dispatched(intent, outcome, reason);
}

Result<void> SlurmEngine::remember(const AttemptMemory& memory, Keep keep) { return folder_->save(memory, keep); }

void SlurmEngine::dispatchStart(control::StartOrder order) {
  const auto attempt = order.attempt.id;
  const bool files = readsFiles(order);
  post(attempt, {[this, order = std::move(order)] { doStart(order); }, files});
}

void SlurmEngine::dispatchStop(model::Intent intent) {
  const auto attempt = intent.id.attempt;
  post(attempt, {[this, intent = std::move(intent)] { doStop(intent); }});
}

void SlurmEngine::dispatchSignal(model::Intent intent) {
  const auto attempt = intent.id.attempt;
  post(attempt, {[this, intent = std::move(intent)] { doSignal(intent); }});
}

void SlurmEngine::settled(model::AttemptId attempt) {
  post(attempt, {[this, attempt] {
         const auto stored = folder_->load(attempt);
         auto memory = stored && *stored ? **stored : AttemptMemory{};
         const bool known = memory.over;  // it was written down when its end was seen
         memory.attempt = attempt;
         memory.settled = memory.over = true;  // also for one that was refused: a late order must find that it is over
         const auto saved = known ? Result<void>() : remember(memory, Keep::lazily);
         if (!saved) say(LogSeverity::warning, toText(saved.error()));
         const std::lock_guard guard(mutex_);
         const auto found = tracked_.find(attempt);
         if (found != tracked_.end() && found->second.tasks.empty()) tracked_.erase(found);
       }});
}

}  // namespace fairlead::engine::slurm
