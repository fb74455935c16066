// What else goes on on the cluster: jobs of other people, what is in use, where our own were put.
#include "slurm/slurm_engine.hpp"

#include <fairlead/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::engine::slurm {

using local::monotonicNow;

namespace {

constexpr Milliseconds kNodesAgain{2'000};
constexpr std::size_t kToldAtOnce = 2'000;

}  // namespace

void SlurmEngine::tellNative(std::vector<model::NativeJob> jobs) {
  for (std::size_t at = 0; at < jobs.size() && !stopping_; at += kToldAtOnce) {
    const auto first = jobs.begin() + static_cast<std::ptrdiff_t>(at);
    const auto count = static_cast<std::ptrdiff_t>(std::min(kToldAtOnce, jobs.size() - at));
    sink_->native({std::make_move_iterator(first), std::make_move_iterator(first + count)});
  }
}

std::shared_ptr<const ClusterDevices> SlurmEngine::devices() const {
  const std::lock_guard guard(mutex_);
  return devices_;
}

RunReading SlurmEngine::runReading() const {
  const std::lock_guard guard(mutex_);
  return {mirror_.cluster(), restartsTold_};
}

Owner SlurmEngine::ownerOf(model::AttemptId attempt, const std::string& user) {
  {
    const std::lock_guard guard(mutex_);
    const auto found = tracked_.find(attempt);
    // One that control knows and whose file is lost: whoever the job belongs to is taken for its user.
    if (found != tracked_.end() && (found->second.memory.user.empty() || found->second.memory.user == user))
      return Owner::ours;
    if (found != tracked_.end()) return Owner::another;
  }
  const auto memory = folder_->load(attempt);
  if (!memory) return Owner::ours;  // it is there and cannot be read
  if (!*memory) return Owner::unknown;
  return (*memory)->user == user ? Owner::ours : Owner::another;
}

void SlurmEngine::tellNatives(const wire::SlurmList<wire::SlurmJob>& read, const ReadVerdict& verdict) {
  const auto known = devices();
  tellNative(natives_.take(read, verdict.whole, runReading().cluster, *known, monotonicNow()));
  if (verdict.whole) nativesSeen_ = true;
  if (natives_.givenUp() == std::exchange(givenUpSaid_, natives_.givenUp())) return;
  say(LogSeverity::error,
      fmt::format("cluster {}: the ends of {} native jobs are not looked for any more: slurmdbd has "
                  "not told of too many others",
                  options_.cluster, natives_.givenUp()));
}

/// One call a reading at most.
void SlurmEngine::askNatives() {
  const auto query = natives_.question(monotonicNow());
  if (!query || stopping_) return;
  const auto answer = calls_->history(*query);
  const auto* problem = answer ? failureIn(answer->answer) : nullptr;
  if (!answer || problem != nullptr)
    say(LogSeverity::warning,
        fmt::format("cluster {}: {}", options_.cluster,
                    toText(problem != nullptr ? refusalOf(*problem, "asking slurmdbd") : answer.error())));
  const bool usable = answer && answer->answer.isWhole();
  tellNative(natives_.takeAnswer(usable ? &*answer : nullptr, runReading(), *devices(), monotonicNow()));
}

/// After a start or an end what is in use has changed.
void SlurmEngine::noteHolders(const wire::SlurmList<wire::SlurmJob>& read) {
  std::uint64_t holders = 0;
  for (const auto& job : read.records) {
    if (job.nodes.text.empty() || (wire::isFinal(job.state) && !job.flags.has(wire::JobFlag::completing))) continue;
    const auto start = static_cast<std::uint64_t>(job.startTime.value_or(TimePoint{}).msSinceEpoch);
    holders += (job.id * 0x9e37'79b9'7f4a'7c15ULL) ^ start;  // a sum: the order of the list says nothing
  }
  if (std::exchange(holders_, holders) == holders) return;
  nodesAt_ = std::min(nodesAt_, nodesReadAt_ + kNodesAgain);
}

std::vector<model::MemberPlacement> SlurmEngine::placedWhere(const AttemptMemory& memory, const JobFacts& facts) const {
  return placementOf(memory.roles, facts.components, *devices_);
}

Result<void> SlurmEngine::startHistory() {
  if (!options_.historyFrom) return {};
  HistoryHooks hooks;
  hooks.ready = [this] { return nativesSeen_.load(); };
  hooks.isAlive = [this](const std::string& name) { return natives_.isAlive(name); };
  hooks.reading = [this] { return runReading(); };
  hooks.devices = [this] { return devices(); };
  hooks.tell = [this](std::vector<model::NativeJob> jobs) { tellNative(std::move(jobs)); };
  hooks.say = [this](LogSeverity severity, const std::string& text) {
    say(severity, fmt::format("cluster {}: {}", options_.cluster, text));
  };
  hooks.ownerOf = [this](model::AttemptId attempt, const std::string& user) { return ownerOf(attempt, user); };
  history_ = std::make_unique<HistoryReader>(options_, *calls_, std::move(hooks));
  return history_->start();
}

}  // namespace fairlead::engine::slurm
