// Reading: one view of the queue for all attempts, slurmdbd for what the queue has forgotten.
#include "slurm/script.hpp"
#include "slurm/slurm_engine.hpp"
#include "slurm/user_files.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/slurm/text_output.hpp>
#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace fairlead::engine::slurm {

using local::monotonicNow;

namespace {

constexpr Milliseconds kFirstPause{1'000};
constexpr Milliseconds kLongestPause{60'000};
constexpr Milliseconds kHistoryPause{1'000};
constexpr std::size_t kResultBytes = 4 << 20;
constexpr Milliseconds kShortestInterval{50};  // also when somebody waits for a reading
/// Reading takes at most this part of the time.
constexpr std::int64_t kReadingShare = 5;
constexpr std::size_t kIdsAtOnce = 200;  // each is a part of a URL
constexpr wire::SlurmRelease kRestartsTold{24, 11};

}  // namespace

bool SlurmEngine::isOf(const SeenJob& job, const AttemptMemory& memory) {
  if (!job.user.empty() && !memory.user.empty() && job.user != memory.user) return false;
  if (!memory.jobName.empty() && job.name != memory.jobName) return false;
  if (memory.job == 0) return true;
  if (job.facts.id != memory.job) return false;
  const auto at = job.facts.submitted;
  if (!memory.submitted || !at || at == memory.submitted) return true;
  return job.facts.restarts > 0 && memory.submitted < at;  // a requeue is a submission of its own
}

void SlurmEngine::failed(const Error& error) {
  pause_ = std::min(pause_.count == 0 ? kFirstPause : pause_ * 2, kLongestPause);
  const auto spread = pause_.count / 2;
  const Milliseconds pause{pause_.count - spread / 2 + static_cast<std::int64_t>(jitter_()) % (spread + 1)};
  connectAt_ = jobsAt_ = jobsNotBefore_ = monotonicNow() + pause;
  nodesAt_ = std::max(nodesAt_, jobsAt_);
  connected_ = false;  // another release may answer next time
  const auto text = toText(error);
  bool fresh = false;
  {
    const std::lock_guard guard(mutex_);
    fresh = text != lastTrouble_;
    lastTrouble_ = text;
  }
  if (fresh && !stopping_) say(LogSeverity::warning, fmt::format("cluster {}: {}", options_.cluster, text));
}

void SlurmEngine::connect() {
  const auto server = calls_->connect();
  if (!server) return failed(server.error());
  if (!options_.slurmCluster.empty() && !server->cluster.empty() && server->cluster != options_.slurmCluster) {
    Error wrong{
        &kSlurmOptions,
        fmt::format("cluster {} answers, {} was expected", printable(server->cluster, 80), options_.slurmCluster),
        {},
        {},
        "correct slurmCluster or the endpoint"};
    return failed(wrong);
  }
  {
    const std::lock_guard guard(mutex_);
    server_ = *server;
  }
  connected_ = true;
  {
    const auto release = wire::parseRelease(server->release);
    const std::lock_guard guard(mutex_);
    restartsTold_ = release && *release >= kRestartsTold;
  }
  pause_ = {};
  jobsAt_ = nodesAt_ = {};
  say(LogSeverity::info, fmt::format("cluster {}: Slurm {} by {}", options_.cluster,
                                     server->release.empty() ? "of a release not told" : server->release, server->way));
}

void SlurmEngine::readJobs() {
  const auto begun = monotonicNow();
  const auto read = calls_->jobs({});
  if (!read) {
    failed(read.error());
    readingDone_.notify_all();
    return;
  }
  const auto took = monotonicNow() - begun;
  pause_ = {};
  jobsNotBefore_ = begun + std::max(kShortestInterval, took * kReadingShare);
  jobsAt_ = std::max(begun + options_.jobInterval, jobsNotBefore_);
  const auto verdict = takeReading(*read, begun);
  if (!verdict.present) return;
  noteHolders(*read);
  tellNatives(*read, verdict);
  askNatives();
}

ReadVerdict SlurmEngine::takeReading(const wire::SlurmList<wire::SlurmJob>& read, Milliseconds begun) {
  std::unique_lock guard(mutex_);
  const auto verdict = mirror_.take(read);
  const bool fresh = verdict.doubt != lastTrouble_;
  lastTrouble_ = verdict.doubt;
  if (verdict.present) {
    lastBelieved_ = monotonicNow();
    believedAt_ = local::wallNow();
  }
  if (verdict.whole) lastWholeBegun_ = begun;
  if (verdict.present)
    for (auto& [id, tracked] : tracked_) {
      auto& memory = tracked.memory;
      if (memory.over || tracked.finishing || (memory.job == 0 && !memory.lastTry)) continue;
      const auto seen = mirror_.find(id);
      const auto mine = std::find_if(seen.begin(), seen.end(), [&](const auto& job) { return isOf(job, memory); });
      if (mine != seen.end())
        follow(tracked, mine->facts);
      else if (verdict.whole)
        noteAbsent(tracked, begun);
    }
  const auto doubles = verdict.present ? noteDoubles() : std::vector<std::string>();
  guard.unlock();
  readingDone_.notify_all();
  for (const auto& text : doubles) say(LogSeverity::warning, fmt::format("cluster {}: {}", options_.cluster, text));
  if (fresh && !verdict.doubt.empty())
    say(LogSeverity::warning,
        fmt::format("cluster {}: the queue is not believed: {}", options_.cluster, verdict.doubt));
  return verdict;
}

/// With the lock held. A submission that came to Slurm twice on its way made two jobs. One is followed; the other is
/// named, and left alone: its name could be anybody's. Gives the words about those that are new.
std::vector<std::string> SlurmEngine::noteDoubles() {
  std::map<std::uint32_t, std::string> now;
  std::vector<std::string> fresh;
  for (const auto& [attempt, seen] : mirror_.ours()) {
    const auto tracked = tracked_.find(attempt);
    if (tracked == tracked_.end() || tracked->second.memory.job == 0) continue;
    auto anyJob = tracked->second.memory;
    anyJob.job = 0;
    for (const auto& job : seen) {
      if (job.facts.id == tracked->second.memory.job || !isOf(job, anyJob)) continue;
      auto text =
          fmt::format("job {} ({}) is a second one of attempt {}, which follows job {}; look whether it is wanted",
                      job.facts.id, job.facts.stateText, toText(attempt), tracked->second.memory.job);
      if (!doubles_.contains(job.facts.id)) fresh.push_back(text);
      now.emplace(job.facts.id, std::move(text));
    }
  }
  doubles_ = std::move(now);
  return fresh;
}

/// With the lock held. What a job's presence says about its attempt.
void SlurmEngine::follow(Tracked& tracked, const JobFacts& facts) {
  auto& memory = tracked.memory;
  tracked.absentSince = {};
  const bool learned = facts.submitted && facts.submitted != memory.submitted;
  if (memory.job == 0) adopt(tracked, facts);
  const bool another = learned && memory.submitted;  // the file may hold the one before, which is no longer right
  if (learned) memory.submitted = facts.submitted;
  if (another)
    enqueue(tracked, {[this, copy = memory] {
              if (auto saved = remember(copy, Keep::lazily); !saved) say(LogSeverity::warning, toText(saved.error()));
            }});
  if (facts.phase == JobPhase::unsaid) return;
  tracked.phase = facts.phase;
  if (facts.phase == JobPhase::ended) {
    tracked.finishing = true;
    return enqueue(tracked,
                   {[this, attempt = memory.attempt, facts] { finish(attempt, facts); }, memory.files.atEnd()});
  }
  followWords(tracked, facts);
  if (memory.stop.asked && !tracked.stopBegun) beginStop(tracked);
}

/// With the lock held.
void SlurmEngine::followWords(Tracked& tracked, const JobFacts& facts) {
  model::Observation seen;
  seen.nativeId = nativeId(facts);
  seen.nativeState = facts.stateText;
  if (!facts.reason.empty() && facts.reason != "None") {
    const auto* row = wire::findReason(facts.reason);
    seen.reason = printable(facts.reason);
    if (row != nullptr) seen.reason += ": " + std::string(row->what);
    if (row != nullptr && !row->change.empty()) seen.reason += "; " + std::string(row->change);
  }
  if (std::exchange(tracked.unreachable, false)) {
    seen.kind = model::ObservationKind::alive;
    tell(tracked, seen);
  }
  const auto words = facts.stateText + " " + facts.reason + " " + nativeId(facts);
  if (facts.phase == JobPhase::running && tracked.told != Told::started) {
    seen.kind = model::ObservationKind::started;
    seen.at = facts.started;
    seen.placement = placedWhere(tracked.memory, facts);
    seen.resumedFrom = tracked.memory.resumedFrom;
    tracked.told = Told::started;
  } else if (facts.phase == JobPhase::waiting && tracked.told != Told::started && words != tracked.words) {
    seen.kind = model::ObservationKind::accepted;
    seen.resumedFrom = tracked.memory.resumedFrom;
    tracked.told = Told::accepted;
  } else {
    return;
  }
  tracked.words = words;
  tell(tracked, std::move(seen));
}

/// With the lock held. A reading that began before the job was known says nothing about it.
void SlurmEngine::noteAbsent(Tracked& tracked, Milliseconds begun) {
  if (begun <= tracked.knownAt || tracked.absentSince.count > 0) return;
  if (tracked.memory.job == 0) {
    if (!tracked.memory.jobName.empty() || std::exchange(tracked.unreachable, true)) return;
    model::Observation lost;
    lost.kind = model::ObservationKind::unreachable;
    lost.reason = "its file is gone from the state folder, and no job in the queue carries its intent";
    return tell(tracked, std::move(lost));
  }
  tracked.absentSince = begun;
  tracked.askHistoryAt = begun;
  tracked.historyPause = kHistoryPause;
}

void SlurmEngine::askHistory() {
  HistoryQuery query;
  std::vector<model::AttemptId> asked;
  {
    const std::lock_guard guard(mutex_);
    const auto now = monotonicNow();
    for (auto& [id, tracked] : tracked_) {
      if (tracked.absentSince.count == 0 || tracked.memory.over || tracked.finishing || now < tracked.askHistoryAt)
        continue;
      if (query.ids.size() == kIdsAtOnce) break;
      query.ids.push_back(tracked.memory.job);
      const auto first = tracked.memory.firstTry - Milliseconds{86'400'000};
      if (!query.from || first < *query.from) query.from = first;
      asked.push_back(id);
      tracked.askHistoryAt = now + tracked.historyPause;
      tracked.historyPause = std::min(tracked.historyPause * 2, kLongestPause);
    }
  }
  if (asked.empty()) return;
  const auto runs = calls_->history(query);
  if (!runs || !runs->answer.problems.empty()) {
    const auto trouble = runs ? refusalOf(runs->answer.problems.front(), "asking slurmdbd") : runs.error();
    return say(LogSeverity::warning, fmt::format("cluster {}: {}", options_.cluster, toText(trouble)));
  }
  takeHistory(asked, *runs);
}

void SlurmEngine::takeHistory(const std::vector<model::AttemptId>& asked,
                              const wire::SlurmList<wire::SlurmAccountedJob>& runs) {
  const std::lock_guard guard(mutex_);
  for (const auto id : asked) {
    const auto found = tracked_.find(id);
    if (found == tracked_.end() || found->second.absentSince.count == 0) continue;
    auto& tracked = found->second;
    std::optional<JobFacts> last;
    for (const auto& run : runs.records) {
      // A requeued run's row may have another submit instant: the name tells whose it is.
      if (run.id != tracked.memory.job || run.name != tracked.memory.jobName) continue;
      const auto facts = factsOf(run);
      if (!last || std::tie(last->submitted, last->started) <= std::tie(facts.submitted, facts.started)) last = facts;
    }
    if (last && last->phase == JobPhase::ended) {
      follow(tracked, *last);
      continue;
    }
    if (tracked.unreachable || monotonicNow() - tracked.absentSince < options_.forgottenAfter) continue;
    tracked.unreachable = true;
    model::Observation lost;
    lost.kind = model::ObservationKind::unreachable;
    lost.nativeState = last ? last->stateText : "absent";
    lost.reason = fmt::format("job {} is not in the queue, and slurmdbd {}", tracked.memory.job,
                              last ? "holds it as " + last->stateText : std::string("does not know it"));
    tell(tracked, std::move(lost));
  }
}

void SlurmEngine::checkStale() {
  const std::lock_guard guard(mutex_);
  const bool stale = monotonicNow() - lastBelieved_ > options_.staleAfter;
  if (stale)
    for (auto& [id, tracked] : tracked_) {
      if (tracked.memory.job == 0 || tracked.memory.over || tracked.finishing) continue;
      if (std::exchange(tracked.unreachable, true)) continue;
      model::Observation lost;
      lost.kind = model::ObservationKind::unreachable;
      lost.reason = fmt::format("cluster {} was not read for {}: {}", options_.cluster,
                                toShortText(options_.staleAfter), lastTrouble_);
      tell(tracked, std::move(lost));
    }
  if (stale == nodesStale_ || nodes_.empty() || stopping_) return;
  nodesStale_ = stale;
  auto nodes = nodes_;
  if (stale)
    for (auto& node : nodes) {
      node.state = model::NodeState::unknown;
      node.stateReason = "the cluster cannot be read: " + lastTrouble_;
    }
  sink_->inventory(options_.cluster, std::move(nodes));
}

void SlurmEngine::readNodes() {
  const auto begun = monotonicNow();
  nodesReadAt_ = begun;
  nodesAt_ = begun + options_.nodeInterval;
  const auto read = calls_->nodes();
  if (!read) return failed(read.error());
  if (!read->answer.problems.empty()) return failed(refusalOf(read->answer.problems.front(), "reading nodes"));
  takeInventory(readInventory(options_.cluster, read->records));
}

void SlurmEngine::takeInventory(ClusterInventory inventory) {
  if (!sameDevices(inventory.devices, *devices())) natives_.tellAgain();
  const std::lock_guard guard(mutex_);
  if (inventory.nodes.empty()) return;  // an empty list is not the truth, and orders would be refused by it
  kinds_ = std::move(inventory.kinds);
  kindsKnown_ = true;
  devices_ = std::make_shared<const ClusterDevices>(std::move(inventory.devices));
  if (inventory.doubts != doubts_)
    for (const auto& doubt : inventory.doubts) say(LogSeverity::warning, options_.cluster + ": " + doubt);
  doubts_ = std::move(inventory.doubts);
  if (inventory.nodes == nodes_ && !nodesStale_) return;
  nodes_ = inventory.nodes;
  nodesStale_ = false;
  if (!stopping_) sink_->inventory(options_.cluster, nodes_);
}

void SlurmEngine::finish(model::AttemptId attempt, const JobFacts& facts) {
  AttemptMemory memory;
  {
    const std::lock_guard guard(mutex_);
    memory = track(attempt).memory;
  }
  std::vector<RankEnd> ends;
  const auto identity = local::resolveIdentity(memory.user);
  if (!memory.batchStyle && identity && identity->name == memory.user) {
    const auto part = readUserFile(*identity, memory.folder + "/" + kResultFile, 0, kResultBytes);
    if (part) ends = readRankEnds(part->bytes);
  }
  auto ended = endOf(facts, ends, memory.stop.asked, memory.stop.reason, memory.members);
  addFiles(memory.files, ended);
  if (stopping_) return;  // they are looked at again by the next daemon
  memory.over = true;
  if (auto saved = remember(memory, Keep::lazily); !saved) say(LogSeverity::warning, toText(saved.error()));
  const std::lock_guard guard(mutex_);
  auto& tracked = track(attempt);
  if (tracked.memory.over) return;
  // One that is cancelled before it starts gets its end as its start.
  const bool ran = facts.started && (facts.state != wire::JobState::cancelled || facts.started < facts.ended);
  if (tracked.told != Told::started && ran) {
    model::Observation started;
    started.kind = model::ObservationKind::started;
    started.nativeId = nativeId(facts);
    started.nativeState = facts.stateText;
    started.at = facts.started;
    started.placement = placedWhere(tracked.memory, facts);
    started.resumedFrom = tracked.memory.resumedFrom;
    tracked.told = Told::started;
    tell(tracked, std::move(started));
  }
  tracked.memory.over = true;
  tell(tracked, std::move(ended));
}

void SlurmEngine::recover(const std::vector<control::KnownAttempt>& known) {
  for (const auto& attempt : known) {
    auto memory = folder_->load(attempt.attempt);
    const std::lock_guard guard(mutex_);
    auto& tracked = track(attempt.attempt);
    tracked.sequence = attempt.observed;
    if (memory && *memory) tracked.memory = **memory;
    tracked.unreachable = attempt.state == model::AttemptState::unknown;
    using State = model::AttemptState;
    // Stopping or unknown: it may have started unseen, and a start told again changes nothing.
    tracked.told = attempt.state == State::planned   ? Told::nothing
                   : attempt.state == State::running ? Told::started
                                                     : Told::accepted;
    if (!memory) say(LogSeverity::error, toText(memory.error()));
    tracked.memory.over = false;  // control has not heard of it
    if (attempt.state == State::planned || tracked.memory.job != 0 || tracked.memory.lastTry) continue;
    // Its file is gone: by name and comment it may still be in the queue.
    tracked.memory.lastTry = tracked.memory.firstTry = local::wallNow();
  }
}

}  // namespace fairlead::engine::slurm
