#include "slurm/history_reader.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fairlead::engine::slurm {

using local::monotonicNow;
using local::wallNow;

namespace {

constexpr auto kFile = "history";
constexpr std::size_t kFileBytes = 64 << 10;
constexpr Milliseconds kLongestWindow{86'400'000}, kShortestWindow{60'000};
constexpr Milliseconds kAgainEvery{3'600'000};
constexpr Milliseconds kLongestPause{600'000}, kLook{100};
/// The cluster has so many times longer for itself than for us.
constexpr std::int64_t kRest = 4;
/// Rows of one answer; above, the next windows are smaller.
constexpr std::size_t kManyRows = 20'000;
constexpr std::size_t kIdsAtOnce = 200;  // each is a part of a URL
constexpr std::size_t kToldAtOnce = 1'000;
/// How far before a window the first run of a job that ended in it is looked for.
constexpr Milliseconds kLongestStory{90LL * 86'400'000};
constexpr Milliseconds kSecond{1'000};

Milliseconds half(Milliseconds span) { return std::max(Milliseconds{span.count / 2}, kShortestWindow); }

TimePoint wholeSecond(TimePoint at) { return {at.msSinceEpoch - at.msSinceEpoch % kSecond.count}; }

}  // namespace

HistoryReader::HistoryReader(const SlurmOptions& options, SlurmCalls& calls, HistoryHooks hooks)
    : options_(options),
      calls_(calls),
      hooks_(std::move(hooks)),
      form_(options.cluster, options.projects),
      span_(kLongestWindow) {}

HistoryReader::~HistoryReader() { shutdown(); }

Result<void> HistoryReader::start() {
  auto folder = local::openFolder(options_.stateDir);
  if (!folder) return fail(kFolderUnusable, folder.error().message);
  folder_ = std::move(*folder);
  load();
  thread_ = std::thread([this] { main(); });
  return {};
}

void HistoryReader::shutdown() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool HistoryReader::pause(Milliseconds span) {
  std::unique_lock guard(mutex_);
  wake_.wait_for(guard, std::chrono::milliseconds(span.count), [&] { return stopping_; });
  return !stopping_;
}

void HistoryReader::trouble(const std::string& text) {
  if (text == lastTrouble_) return;
  lastTrouble_ = text;
  if (!text.empty()) hooks_.say(LogSeverity::warning, "reading the past: " + text);
}

/// What cannot be read is read again from slurmdbd: to tell twice changes nothing.
void HistoryReader::load() {
  if (!local::existsAt(folder_.get(), kFile)) return;
  const auto text = local::readFileAt(folder_.get(), kFile, kFileBytes);
  auto coverage = text ? decodeCoverage(*text) : std::nullopt;
  if (coverage)
    coverage_ = std::move(*coverage);
  else
    trouble("the file `history` of the state folder is damaged; all is read again");
}

void HistoryReader::save() {
  const auto saved = local::replaceFileAt(folder_.get(), kFile, encodeCoverage(coverage_), true);
  if (!saved) trouble(toText(saved.error()));
}

void HistoryReader::main() {
  while (!hooks_.ready())
    if (!pause(kLook)) return;
  for (bool first = true;; first = false) {
    if (first || monotonicNow() - topSince_ >= kAgainEvery) {
      top_ = wholeSecond(wallNow());
      topSince_ = monotonicNow();
      coverage_.cut(top_ - options_.historyAgain);
    }
    const auto window = coverage_.next(options_.historyFrom, top_, span_);
    if (window) {
      // The newest one has no end, since the cluster's clock may be before ours.
      readWindow(*window, window->to == top_);
    } else if (!std::exchange(doneSaid_, true)) {
      hooks_.say(LogSeverity::info, "the past has been read back to " + toText(options_.historyFrom));
    }
    if (!pause(window ? failurePause_ : Milliseconds{1'000})) return;
  }
}

std::optional<HistoryReader::Answer> HistoryReader::ask(const HistoryQuery& query, bool smallest) {
  const auto begun = monotonicNow();
  auto answer = calls_.history(query);
  const auto took = monotonicNow() - begun;
  if (!pause(std::max(options_.historyPause, took * kRest))) return {};
  if (!answer) {
    trouble(toText(answer.error()));
    return {};
  }
  if (!answer->answer.problems.empty()) {
    trouble(toText(refusalOf(answer->answer.problems.front(), "asking slurmdbd")));
    return {};
  }
  if (answer->answer.isWhole()) {
    trouble({});
    return std::move(*answer);
  }
  trouble(fmt::format("{} rows of slurmdbd could not be read{}", answer->answer.setAside,
                      answer->answer.complete ? "" : ", and the answer ends early"));
  // Such rows will never be readable; they hold up nobody else's but those of the shortest window, and not for ever.
  if (answer->answer.complete && smallest) return std::move(*answer);
  return {};
}

void HistoryReader::readWindow(const Window& window, bool open) {
  HistoryQuery query;
  query.from = window.from - kSecond;
  if (!open) query.to = window.to + kSecond;
  query.everyRun = true;
  const auto answer = ask(query, span_ <= kShortestWindow);
  if (!answer || !tellEnded(*answer, window, open)) {
    span_ = half(span_);
    failurePause_ = std::min(std::max(failurePause_ * 2, options_.historyPause), kLongestPause);
    return;
  }
  failurePause_ = {};
  const auto rows = answer->records.size();
  if (rows > kManyRows)
    span_ = half(span_);
  else if (rows < kManyRows / 4)
    span_ = std::min(span_ * 2, kLongestWindow);
  coverage_.add(window);
  save();
}

void HistoryReader::tellRuns(const Runs& runs, std::vector<model::NativeJob>& out) {
  for (auto& job : form_.ofRuns(runs, false, *hooks_.devices())) out.push_back(std::move(job));
  if (out.size() < kToldAtOnce) return;
  hooks_.tell(std::move(out));
  out.clear();
}

bool HistoryReader::tellEnded(const Answer& answer, const Window& window, bool open) {
  const auto reading = hooks_.reading();
  std::vector<model::NativeJob> out;
  std::vector<std::uint32_t> ids;
  std::set<std::string> names;
  for (const auto& [name, jobs] : runsOf(answer.records, reading)) {
    if (hooks_.isAlive(name)) continue;  // the queue tells of it
    for (const auto& runs : jobs) {
      const auto& last = *runs.back();
      const bool inside = last.endTime && *last.endTime >= window.from && (open || *last.endTime < window.to);
      if (!inside || isOurs(last, hooks_.ownerOf)) continue;
      if (hasEnded(runs) && runs.size() == 1 && reading.restartsTold && last.restarts == 0) {
        tellRuns(runs, out);
        continue;
      }
      ids.push_back(last.id);
      names.insert(name);
    }
  }
  if (!out.empty()) hooks_.tell(std::move(out));
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  for (std::size_t at = 0; at < ids.size(); at += kIdsAtOnce) {
    const auto first = ids.begin() + static_cast<std::ptrdiff_t>(at);
    const auto count = static_cast<std::ptrdiff_t>(std::min(kIdsAtOnce, ids.size() - at));
    if (!tellStories({first, first + count}, names, window.from - kLongestStory)) return false;
  }
  return true;
}

bool HistoryReader::tellStories(const std::vector<std::uint32_t>& ids, const std::set<std::string>& names,
                                TimePoint from) {
  HistoryQuery query;
  query.ids = ids;
  query.from = from;
  query.everyRun = true;
  const auto answer = ask(query, span_ <= kShortestWindow);
  if (!answer) return false;
  std::vector<model::NativeJob> out;
  for (const auto& [name, jobs] : runsOf(answer->records, hooks_.reading())) {
    if (!names.contains(name) || hooks_.isAlive(name)) continue;
    for (const auto& runs : jobs)
      if (hasEnded(runs)) tellRuns(runs, out);
  }
  if (!out.empty()) hooks_.tell(std::move(out));
  return true;
}

}  // namespace fairlead::engine::slurm
