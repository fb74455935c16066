#include "local/local_engine.hpp"

#include "local/cgroup.hpp"
#include "local/log_files.hpp"

#include <fairlead/engine/errors.hpp>

#include <algorithm>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fairlead::engine {

LocalCapabilities localCapabilities(const LocalOptions& options) {
  const auto base = local::findCgroupBase(options.cgroupRoot);
  LocalCapabilities capabilities;
  if (base.version == local::CgroupVersion::v1) capabilities.cgroup = "v1";
  if (base.version == local::CgroupVersion::v2) capabilities.cgroup = "v2";
  capabilities.memoryLimits = base.memoryLimits;
  capabilities.runsAsUsers = ::geteuid() == 0;
  return capabilities;
}

std::unique_ptr<control::EnginePort> makeLocalEngine(LocalOptions options) {
  return std::make_unique<local::LocalEngine>(std::move(options));
}

}  // namespace fairlead::engine

namespace fairlead::engine::local {
namespace {

/// A folder that users' processes must pass through to reach what is theirs, and whose names they cannot list.
Result<void> makePassage(const std::string& path) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const auto part = path.substr(0, slash);
    const bool last = slash == std::string::npos;
    if (::mkdir(part.c_str(), last ? 0711 : 0755) != 0 && errno != EEXIST)
      return fail(kFolderUnusable, errnoText("cannot make " + part, errno));
    if (last) return {};
  }
}

}  // namespace

LocalEngine::LocalEngine(LocalOptions options)
    : options_(std::move(options)),
      attemptsPath_(options_.stateDir + "/attempts"),
      spawner_(options_.supervisor, options_.spareSupervisors) {
  if (options_.nodeName.empty()) options_.nodeName = hostName();
}

LocalEngine::~LocalEngine() { shutdown(); }

void LocalEngine::say(LogSeverity severity, const std::string& text) const {
  if (options_.log) options_.log(severity, text);
}

Result<void> LocalEngine::start(control::EngineSink& sink, std::vector<control::KnownAttempt> known) {
  if (!options_.stateDir.starts_with('/')) return fail(kFolderUnusable, "the state folder must be an absolute path");
  for (const auto& path : {attemptsPath_, options_.stateDir + "/artifacts"})
    if (auto made = makePassage(path); !made) return made;
  auto attempts = openFolder(attemptsPath_);
  if (!attempts) return fail(kFolderUnusable, attempts.error().message);
  attempts_ = std::move(*attempts);
  inotify_ = Fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  wake_ = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!inotify_ || !wake_) return failErrno("cannot watch attempts");
  sink_ = &sink;
  thread_ = std::thread([this, known = std::move(known)]() mutable { threadMain(std::move(known)); });
  return {};
}

void LocalEngine::shutdown() {
  if (!thread_.joinable()) return;
  stopping_ = true;
  post([] {});
  thread_.join();
}

void LocalEngine::post(std::function<void()> work) {
  {
    const std::lock_guard guard(mutex_);
    posted_.push_back(std::move(work));
  }
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
}

void LocalEngine::dispatchStart(control::StartOrder order) {
  post([this, order = std::move(order)] { doStart(order); });
}

void LocalEngine::dispatchStop(model::Intent intent) {
  post([this, intent = std::move(intent)] { doStop(intent); });
}

void LocalEngine::dispatchSignal(model::Intent intent) {
  post([this, intent = std::move(intent)] { doSignal(intent); });
}

void LocalEngine::settled(model::AttemptId attempt) {
  post([this, attempt] { doSettle(attempt); });
}

void LocalEngine::threadMain(std::vector<control::KnownAttempt> known) {
  reportInventory();
  recover(known);
  removeHalfArtifacts();
  removeOldLogs();
  while (!stopping_) {
    spawner_.refill();
    waitForWork();
    runPosted();
    if (monotonicNow() >= inventoryAt_) reportInventory();
    if (monotonicNow() >= oldLogsAt_) removeOldLogs();
  }
}

void LocalEngine::runPosted() {
  std::vector<std::function<void()>> work;
  {
    const std::lock_guard guard(mutex_);
    work.swap(posted_);
  }
  for (auto& step : work) {
    if (stopping_) return;  // what is not done is not answered, and will be given again
    step();
  }
}

void LocalEngine::waitForWork() {
  std::vector<pollfd> waits{{wake_.get(), POLLIN, 0}, {inotify_.get(), POLLIN, 0}};
  std::vector<model::AttemptId> watched;
  auto next = std::min(inventoryAt_, oldLogsAt_);
  if (const auto refill = spawner_.refillAt()) next = std::min(next, *refill);
  for (const auto& [id, tracked] : tracked_) {
    if (tracked.lookAgainAt.count > 0) next = std::min(next, tracked.lookAgainAt);
    if (!tracked.supervisor) continue;
    waits.push_back({tracked.supervisor.get(), POLLIN, 0});
    watched.push_back(id);
  }
  const auto timeout = std::clamp<std::int64_t>((next - monotonicNow()).count, 0, 3'600'000);
  ::poll(waits.data(), waits.size(), static_cast<int>(timeout));
  std::uint64_t drop = 0;
  (void)!::read(wake_.get(), &drop, sizeof drop);
  takeFolderEvents();
  for (std::size_t i = 0; i < watched.size(); ++i)
    if (waits[i + 2].revents != 0)
      if (const auto found = tracked_.find(watched[i]); found != tracked_.end()) supervisorEnded(found->second);
  for (auto& [id, tracked] : tracked_)
    if (tracked.lookAgainAt.count > 0 && monotonicNow() >= tracked.lookAgainAt) resolve(tracked);
}

void LocalEngine::takeFolderEvents() {
  alignas(inotify_event) char buffer[16384];
  std::vector<model::AttemptId> changed;
  for (ssize_t n = ::read(inotify_.get(), buffer, sizeof buffer); n > 0;
       n = ::read(inotify_.get(), buffer, sizeof buffer))
    for (char* at = buffer; at < buffer + n;) {
      const auto* event = reinterpret_cast<const inotify_event*>(at);
      at += sizeof(inotify_event) + event->len;
      if ((event->mask & IN_Q_OVERFLOW) != 0)
        for (const auto& [id, tracked] : tracked_) changed.push_back(id);
      const auto found = byWatch_.find(event->wd);
      if (found != byWatch_.end() && event->len > 0 && std::string_view(event->name) == "journal")
        changed.push_back(found->second);
    }
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  for (const auto id : changed)
    if (const auto found = tracked_.find(id); found != tracked_.end()) journalChanged(found->second);
}

void LocalEngine::reportInventory() {
  std::vector<std::string> problems;
  auto node = readHost(options_, problems);
  inventoryAt_ = monotonicNow() + options_.inventoryInterval;
  for (const auto& problem : problems) say(LogSeverity::warning, problem);
  if (nodeReported_ && node == node_) return;
  nodeReported_ = true;
  node_ = node;
  sink_->inventory(options_.cluster, {std::move(node)});
}

Result<control::LogChunk> LocalEngine::readLog(const control::LogQuery& query) {
  auto attempts = openFolder(attemptsPath_);
  if (!attempts) return fail(kNotFound, "no attempt has logs here");
  auto folder = openAt(attempts->get(), folderName(query.attempt), O_RDONLY | O_DIRECTORY);
  if (!folder) return fail(kNotFound, "attempt " + toText(query.attempt) + " has no logs on " + options_.nodeName);
  bool ended = existsAt(folder->get(), kSettledFile);  // before the files are read: what comes later is then in them
  if (!ended) {
    const auto journal = readJournal(folder->get(), query.attempt);
    ended = journal && journal->final() != nullptr;
  }
  auto logs = openAt(folder->get(), "logs", O_RDONLY | O_DIRECTORY);
  if (!logs) {
    control::LogChunk nothing;
    nothing.complete = ended;
    return nothing;
  }
  return readLogStream(logs->get(), query, ended);
}

}  // namespace fairlead::engine::local
