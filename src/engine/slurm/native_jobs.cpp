#include "slurm/native_jobs.hpp"

#include "slurm/fate.hpp"

#include <algorithm>

namespace fairlead::engine::slurm {
namespace {

constexpr std::size_t kIdsAtOnce = 200;  // each is a part of a URL
constexpr std::size_t kMostAsks = 100'000;
constexpr Milliseconds kFirstPause{1'000}, kLongestPause{600'000};
constexpr std::int32_t kTriesForFirst = 5;
/// How far before its present submission a job's first run is looked for.
constexpr Milliseconds kLongestStory{90LL * 86'400'000};

/// FNV-1a, for telling whether something changed.
class Digest {
 public:
  void add(std::string_view text) {
    for (const char c : text) mix(static_cast<unsigned char>(c));
    mix(0xff);
  }
  void add(std::int64_t number) {
    for (int i = 0; i < 8; ++i) mix(static_cast<unsigned char>(static_cast<std::uint64_t>(number) >> (8 * i)));
  }
  void add(const std::optional<TimePoint>& at) { add(at ? at->msSinceEpoch : -1); }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  void mix(unsigned char byte) { value_ = (value_ ^ byte) * 1'099'511'628'211ULL; }
  std::uint64_t value_ = 14'695'981'039'346'656'037ULL;
};

/// Of all that is told of a job. The scheduler's guess when a waiting one may start is not.
std::uint64_t digestOf(const wire::SlurmJob& job) {
  Digest digest;
  for (const auto* text : {&job.name, &job.user, &job.account, &job.partition, &job.qos, &job.stateText, &job.reason,
                           &job.comment, &job.failedNode, &job.nodes.text, &job.arrayTaskText})
    digest.add(*text);
  digest.add(job.submitTime);
  if (!job.nodes.text.empty()) digest.add(job.startTime);
  if (wire::isFinal(job.state)) digest.add(job.endTime);
  digest.add(job.restarts);
  digest.add(job.held ? 1 : 0);
  digest.add(job.limit.span ? job.limit.span->count : -1);
  if (job.exit && wire::isFinal(job.state)) digest.add(job.exit->code * 256 + job.exit->signal);
  for (const auto* tres : {&job.requested, &job.allocated})
    for (const auto& count : *tres) {
      digest.add(count.type);
      digest.add(count.name);
      digest.add(count.count);
    }
  for (const auto& node : job.gresDetail)
    for (const auto& gres : node.gres) {
      digest.add(gres.type);
      digest.add(gres.count);
      for (const auto index : gres.indices) digest.add(index);
    }
  return digest.value();
}

bool isPendingPart(const wire::SlurmJob& job) { return job.arrayJobId && !job.arrayTaskText.empty(); }

/// It runs, or will, on another cluster of the federation.
bool isElsewhere(const wire::SlurmJob& job, const std::string& cluster) {
  return !cluster.empty() && !job.cluster.empty() && job.cluster != cluster;
}

}  // namespace

bool NativeJobs::isAlive(const std::string& name) const {
  const std::lock_guard guard(mutex_);
  const auto found = told_.find(name);
  return found != told_.end() && !found->second.ended;
}

void NativeJobs::tellAgain() {
  const std::lock_guard guard(mutex_);
  for (auto& [name, told] : told_) told.digest = 0;
}

bool NativeJobs::isOfOurs(const wire::SlurmJob& job, const Told* told) const {
  if (told != nullptr && told->ours && told->latest == *job.submitTime) return true;
  if (job.hetOffset > 0) return ourLeaders_.contains(*job.hetJobId);  // its leader speaks for it
  const auto intent = intentOf(job.name, job.comment);
  if (!intent) return false;
  const auto owner = ownerOf_(intent->attempt, job.user);
  if (owner != Owner::unknown) return owner == Owner::ours;
  // One that nobody remembers: alive it uses the cluster, whoever wrote the name. Ended it may be one of ours whose
  // file is gone, and that was charged already.
  return told == nullptr && factsOf(job).phase == JobPhase::ended;
}

void NativeJobs::noteOurs(const wire::SlurmJob& job) {
  if (job.hetJobId && job.hetOffset == 0) ourLeaders_.insert(*job.hetJobId);
}

std::optional<TimePoint> NativeJobs::firstSubmission(const std::string& name, const wire::SlurmJob& job,
                                                     const Told* told, Milliseconds now) {
  if (told != nullptr && (told->latest == *job.submitTime || (job.restarts > 0 && told->submitted < *job.submitTime)))
    return told->submitted;
  if (job.restarts == 0) return job.submitTime;
  if (asks_.size() < kMostAsks && !asks_.contains(name))
    asks_.emplace(name, Ask{job.id, *job.submitTime, now, kFirstPause, 0, false});
  return {};
}

void NativeJobs::takeJob(const wire::SlurmJob& job, const ClusterDevices& devices, Milliseconds now) {
  const auto name = nativeName(job);
  const auto found = told_.find(name);
  auto* told = found == told_.end() ? nullptr : &found->second;
  if (told != nullptr) told->reading = reading_;
  const auto digest = digestOf(job);
  if (told != nullptr && told->digest == digest) {
    if (told->ours) noteOurs(job);
    return;
  }
  if (isOfOurs(job, told)) {
    noteOurs(job);
    told_[name] = {job.id, digest, *job.submitTime, *job.submitTime, 0, reading_, true, false, false, false};
    return;
  }
  const auto phase = factsOf(job).phase;
  if (phase == JobPhase::unsaid || (job.flags.has(wire::JobFlag::revoked) && told == nullptr)) return;
  const auto submitted = firstSubmission(name, job, told, now);
  if (!submitted) return;
  const auto leader = job.hetJobId ? leaders_.find(*job.hetJobId) : leaders_.end();
  const auto& speaker = leader == leaders_.end() ? job : *leader->second;
  auto native = form_.ofJob(job, *submitted, !speaker.batch, devices);
  auto& entry = told_[name];
  const auto placedRun = entry.submitted == *submitted ? entry.run : 0;
  const bool ended = phase == JobPhase::ended;
  if (ended && placedRun == native.run) native.placement.clear();  // it stays as told: the queue forgets the indices
  entry = {job.id,   digest, *submitted, *job.submitTime,    native.startedAt && !ended ? native.run : placedRun,
           reading_, false,  ended,      isPendingPart(job), true};
  asks_.erase(name);
  out_.push_back(std::move(native));
}

std::vector<model::NativeJob> NativeJobs::take(const wire::SlurmList<wire::SlurmJob>& read, bool whole,
                                               const std::string& cluster, const ClusterDevices& devices,
                                               Milliseconds now) {
  const std::lock_guard guard(mutex_);
  ++reading_;
  out_.clear();
  lastElements_.clear();
  leaders_.clear();
  ourLeaders_.clear();
  for (const auto& job : read.records) {
    if (job.hetJobId && job.hetOffset == 0) leaders_[*job.hetJobId] = &job;
    if (job.arrayJobId == job.id && job.arrayTaskId && !isPendingPart(job)) lastElements_[job.id] = &job;
  }
  // Leaders first: a component is ours when its leader is.
  for (const bool components : {false, true})
    for (const auto& job : read.records)
      if ((job.hetOffset > 0) == components && job.submitTime && !isElsewhere(job, cluster)) takeJob(job, devices, now);
  if (whole) noteGone(now);
  lastElements_.clear();
  leaders_.clear();
  return std::move(out_);
}

/// With the lock held. The last element to start takes over the array's own id: none waits behind it.
template <class Job>
void NativeJobs::endSpentArray(const std::string& name, const Job& last) {
  out_.push_back(form_.ofSpentArray(last, told_.at(name).submitted));
  told_.erase(name);
  asks_.erase(name);
}

void NativeJobs::noteGone(Milliseconds now) {
  std::vector<std::string> spent;
  for (auto at = told_.begin(); at != told_.end();) {
    auto& [name, told] = *at;
    const bool present = told.reading == reading_;
    const bool asked = asks_.contains(name);
    if (!present && told.array && lastElements_.contains(told.job)) spent.push_back(name);
    const bool full = !present && !asked && asks_.size() >= kMostAsks;
    if (!present && (told.ours || told.ended || full)) {
      if (full && !told.ours && !told.ended) ++givenUp_;
      asks_.erase(name);
      at = told_.erase(at);
      continue;
    }
    if (!present && !asked) asks_.emplace(name, Ask{told.job, told.submitted, now, kFirstPause, 0, true});
    ++at;
  }
  for (const auto& name : spent)
    if (told_.contains(name)) endSpentArray(name, *lastElements_.at(told_.at(name).job));
}

std::optional<HistoryQuery> NativeJobs::question(Milliseconds now) {
  HistoryQuery query;
  query.everyRun = true;
  asked_.clear();
  for (const auto& [name, ask] : asks_) {
    if (ask.at > now) continue;
    if (asked_.size() == kIdsAtOnce) break;
    asked_.push_back(name);
    query.ids.push_back(ask.job);
    const auto from = ask.submitted - kLongestStory;
    if (!query.from || from < *query.from) query.from = from;
  }
  if (asked_.empty()) return {};
  std::sort(query.ids.begin(), query.ids.end());
  query.ids.erase(std::unique(query.ids.begin(), query.ids.end()), query.ids.end());
  return query;
}

std::vector<model::NativeJob> NativeJobs::takeAnswer(const wire::SlurmList<wire::SlurmAccountedJob>* answer,
                                                     const RunReading& reading, const ClusterDevices& devices,
                                                     Milliseconds now) {
  const std::lock_guard guard(mutex_);
  out_.clear();
  for (const auto& name : asked_) {
    auto& ask = asks_.at(name);
    ++ask.failures;
    ask.at = now + ask.pause;
    ask.pause = std::min(ask.pause * 2, kLongestPause);
  }
  std::map<std::string, std::vector<Runs>> jobs;
  std::map<std::uint32_t, const wire::SlurmAccountedJob*> lastElements;
  if (answer != nullptr) {
    jobs = runsOf(answer->records, reading);
    for (const auto& row : answer->records)
      if (row.arrayJobId == row.id && row.arrayTaskId && row.startTime) lastElements[row.id] = &row;
  }
  for (const auto& name : asked_) {
    const auto ask = asks_.at(name);
    const auto found = jobs.find(name);
    const auto* runs = found == jobs.end() ? nullptr : &found->second;
    const auto told = told_.find(name);
    if (!ask.gone) {
      if (answer != nullptr || ask.failures >= kTriesForFirst) answerFirst(name, ask, runs, devices);
    } else if (told == told_.end() || (answer != nullptr && runs == nullptr && !told->second.said)) {
      told_.erase(name);
      asks_.erase(name);
    } else if (told->second.array && lastElements.contains(told->second.job)) {
      endSpentArray(name, *lastElements.at(told->second.job));
    } else if (runs != nullptr) {
      answerGone(name, runs, devices);
    }
  }
  asked_.clear();
  return std::move(out_);
}

/// With the lock held. An end only where slurmdbd has one for this very job.
void NativeJobs::answerGone(const std::string& name, const std::vector<Runs>* jobs, const ClusterDevices& devices) {
  const auto told = told_.at(name);
  for (const auto& runs : *jobs) {
    const bool same = std::any_of(runs.begin(), runs.end(), [&](const auto* row) {
      return row->submitTime == told.submitted || row->submitTime == told.latest;
    });
    if (!same || !hasEnded(runs)) continue;
    for (auto& end : form_.ofRuns(runs, false, devices)) {
      end.submittedAt = told.submitted;
      if (model::isFinal(end.state) && end.run == told.run) end.placement.clear();
      out_.push_back(std::move(end));
    }
    told_.erase(name);
    asks_.erase(name);
    return;
  }
}

/// With the lock held. When the first run was submitted, and the ends of those before the one that the queue shows.
/// Where nothing is known of them the present one is the first.
void NativeJobs::answerFirst(const std::string& name, const Ask& ask, const std::vector<Runs>* jobs,
                             const ClusterDevices& devices) {
  Runs earlier;
  if (jobs != nullptr)
    for (const auto& runs : *jobs)
      if (*runs.front()->submitTime <= ask.submitted) earlier = runs;
  const auto first = earlier.empty() ? ask.submitted : *earlier.front()->submitTime;
  std::erase_if(earlier, [&](const auto* row) { return *row->submitTime >= ask.submitted || !row->endTime; });
  bool said = false;
  for (auto& run : form_.ofRuns(earlier, true, devices)) {
    out_.push_back(std::move(run));
    said = true;
  }
  told_[name] = {ask.job, 0, first, ask.submitted, 0, reading_, false, false, false, said};
  asks_.erase(name);
}

}  // namespace fairlead::engine::slurm
