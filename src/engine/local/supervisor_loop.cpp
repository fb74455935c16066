#include "local/kernel_log.hpp"
#include "local/processes.hpp"
#include "local/supervisor.hpp"

#include <fairlead/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fairlead::engine::local {
namespace {

constexpr std::size_t kReadAtOnce = 1 << 16;

void empty(int fd) {
  char buffer[4096];
  while (::read(fd, buffer, sizeof buffer) > 0) {
  }
}

/// Signals every process of the group but its leader.
void signalFollowers(pid_t leader, int signal) {
  for (const pid_t pid : descendantsOf(leader))
    if (::getpgid(pid) == leader) ::kill(pid, signal);
}

}  // namespace

void Supervisor::startRanks() {
  for (auto& rank : ranks_) {
    auto group = cgroup_.addRank(rank.member->rank, rank.member->memory);
    if (group && *group) rank.command.cgroup = group->get();
    auto started = group ? startRank(rank.command, identity_) : tl::unexpected(group.error());
    rank.command.cgroup = -1;
    if (!started) {
      markEnded(rank);
      rank.groupGone = true;
      rank.end.exitCode = 127;
      beginEnd(EndCause::startFailed, {0, {}, SIGKILL, {}}, toText(started.error()));
      continue;
    }
    rank.process = std::move(*started);
  }
  if (order_.timeLimitMs > 0) timeLimitAt_ = monotonicNow() + Milliseconds{order_.timeLimitMs};
}

void Supervisor::loop() {
  (void)takeIntents();
  while (!done()) {
    waitForSomething();
    checkTimes();
    checkGroups();
  }
}

void Supervisor::waitForSomething() {
  std::vector<pollfd> waits{{signals_.get(), POLLIN, 0}, {events_.get(), POLLIN, 0}};
  for (auto& rank : ranks_)
    for (const Fd* fd : {&rank.process.status, &rank.process.output, &rank.process.error})
      waits.push_back({fd->get(), POLLIN, 0});  // closed ones are -1 and left alone
  auto next = clock_.next();
  if (timeLimitAt_.count > 0 && clock_.idle()) next = timeLimitAt_;
  int timeout = -1;
  if (next) timeout = static_cast<int>(std::clamp<std::int64_t>((*next - monotonicNow()).count, 0, 3'600'000));
  if (::poll(waits.data(), waits.size(), timeout) < 0) return;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (waits[2 + 3 * i].revents != 0) takeStatus(ranks_[i]);
    if (waits[3 + 3 * i].revents != 0) takeOutput(ranks_[i], 0);
    if (waits[4 + 3 * i].revents != 0) takeOutput(ranks_[i], 1);
  }
  if (waits[0].revents != 0) reap();
  if (waits[1].revents != 0) (void)takeIntents();
}

void Supervisor::takeStatus(Rank& rank) {
  const auto failure = readStatus(rank.process.status);
  rank.process.status.reset();
  if (failure) {
    const auto text = fmt::format("{} (rank {})", describe(*failure, rank.command), rank.member->rank);
    beginEnd(EndCause::startFailed, {0, {}, SIGKILL, {}}, text);
    return;
  }
  rank.started = true;
  noteStarted();
}

void Supervisor::noteStarted() {
  const bool all = std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& r) { return r.started; });
  if (!all || startedNoted_) return;
  startedNoted_ = true;
  model::Observation started;
  started.kind = model::ObservationKind::started;
  started.at = wallNow();
  started.nativeId = fmt::format("pid {}", ::getpid());
  started.nativeState = "running";
  started.resumedFrom = context_.checkpoint;
  appendForSure(std::move(started));
  for (auto& intent : std::exchange(waitingSignals_, {})) signalRanks(intent.signal, true);
}

void Supervisor::takeOutput(Rank& rank, int stream) {
  Fd& pipe = stream == 0 ? rank.process.output : rank.process.error;
  char buffer[kReadAtOnce];
  const ssize_t n = ::read(pipe.get(), buffer, sizeof buffer);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) return pipe.reset();
  const std::string_view bytes(buffer, static_cast<std::size_t>(n));
  rank.logs[static_cast<std::size_t>(stream)].append(bytes);
  copies_.append(rank.member->rank, stream, bytes);
}

void Supervisor::reap() {
  signalfd_siginfo info{};
  bool told = false;
  while (::read(signals_.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info))
    told = told || info.ssi_signo != SIGCHLD;
  int status = 0;
  for (pid_t pid = ::waitpid(-1, &status, WNOHANG); pid > 0; pid = ::waitpid(-1, &status, WNOHANG))
    for (auto& rank : ranks_)
      if (rank.process.pid == pid && !rank.ended) rankEnded(rank, status);
  if (told)
    beginEnd(EndCause::terminated, {0, {}, order_.stopSignal, {order_.stopGraceMs}},
             "the supervisor was told to end (SIGTERM)");
}

void Supervisor::markEnded(Rank& rank) {
  rank.ended = true;
  rank.end.at = wallNow();
  rank.place = ++ranksEnded_;
}

void Supervisor::rankEnded(Rank& rank, int waitStatus) {
  if (rank.process.status) takeStatus(rank);  // what it wrote there came before its end
  markEnded(rank);
  if (WIFSIGNALED(waitStatus))
    rank.end.signal = WTERMSIG(waitStatus);
  else
    rank.end.exitCode = WEXITSTATUS(waitStatus);
  const bool bad = rank.end.signal != 0 || rank.end.exitCode != 0;
  if (bad)
    rank.end.outOfMemory = cgroup_.outOfMemoryKills(rank.member->rank) > 0 ||
                           (kernelLog_ && rank.end.signal == SIGKILL && kernelKilled(kernelLog_, rank.process.pid));
  const bool last = std::all_of(ranks_.begin(), ranks_.end(), [](const Rank& r) { return r.ended; });
  if (last) return;
  if (startedNoted_) {
    model::Observation ended;
    ended.kind = model::ObservationKind::memberEnded;
    ended.at = rank.end.at;
    ended.ends = {rank.end};
    appendForSure(std::move(ended));
  }
  if (bad)
    beginEnd(EndCause::gang, {0, {}, order_.stopSignal, {order_.stopGraceMs}},
             fmt::format("rank {} failed, the others were stopped", rank.member->rank));
}

void Supervisor::checkGroups() {
  for (auto& rank : ranks_)
    if (rank.ended && !rank.groupGone && ::kill(-rank.process.pid, 0) != 0 && errno == ESRCH) rank.groupGone = true;
}

bool Supervisor::done() const {
  // While ranks have time to end in order, what they left in their groups (a shell's child that still writes) has it
  // too.
  return std::all_of(ranks_.begin(), ranks_.end(),
                     [&](const Rank& r) { return r.ended && (r.groupGone || !clock_.inGrace()); });
}

bool Supervisor::takeIntents() {
  empty(events_.get());
  for (auto& intent : readControlIntents(folder_.get())) {
    if (std::find(seen_.begin(), seen_.end(), intent.id) != seen_.end()) continue;
    seen_.push_back(intent.id);
    if (intent.id.kind == model::IntentKind::stop) {
      const StopPlan plan{intent.firstSignal, intent.firstGrace, intent.signal != 0 ? intent.signal : order_.stopSignal,
                          intent.grace};
      beginEnd(EndCause::intent, plan, intent.reason.empty() ? "stopped" : intent.reason);
    } else if (intent.id.kind == model::IntentKind::signal && intent.signal > 0) {
      if (startedNoted_)
        signalRanks(intent.signal, true);
      else
        waitingSignals_.push_back(std::move(intent));
    }
  }
  return cause_ == EndCause::intent;
}

void Supervisor::beginEnd(EndCause cause, const StopPlan& plan, std::string reason) {
  if (cause_ == EndCause::none || (cause == EndCause::startFailed && cause_ == EndCause::gang)) {
    cause_ = cause;
    causeText_ = std::move(reason);
  }
  act(clock_.begin(plan, monotonicNow()));
}

void Supervisor::act(StopAction action) {
  if (action == StopAction::sendFirst) signalRanks(clock_.plan().firstSignal, true);
  if (action == StopAction::sendStop) signalRanks(clock_.plan().signal, false);
  if (action != StopAction::kill) return;
  signalRanks(SIGKILL, false);
  for (const pid_t pid : descendantsOf(::getpid())) ::kill(pid, SIGKILL);
}

void Supervisor::signalRanks(int signal, bool sparingShells) {
  checkGroups();
  for (const auto& rank : ranks_) {
    if (rank.process.pid <= 0 || rank.groupGone) continue;
    // A script's shell dies of a checkpoint signal that was meant for the program it waits for.
    const bool script = !order_.roles[static_cast<std::size_t>(rank.member->role)].script.empty();
    if (sparingShells && script)
      signalFollowers(rank.process.pid, signal);
    else if (::kill(-rank.process.pid, signal) != 0 && !rank.ended)
      ::kill(rank.process.pid, signal);  // it has not made its group yet
  }
}

void Supervisor::checkTimes() {
  const auto now = monotonicNow();
  if (timeLimitAt_.count > 0 && now >= timeLimitAt_ && cause_ == EndCause::none) {
    StopPlan plan{0, {}, order_.stopSignal, {order_.stopGraceMs}};
    if (order_.checkpoint && order_.checkpoint->signal != 0) {
      plan.firstSignal = order_.checkpoint->signal;
      plan.firstGrace = order_.checkpoint->grace;
    }
    beginEnd(EndCause::timeLimit, plan, "the time limit of " + toText(Milliseconds{order_.timeLimitMs}) + " passed");
  }
  act(clock_.due(now));
}

}  // namespace fairlead::engine::local
