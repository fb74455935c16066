#include "spawn.hpp"

#include <fairlead/net/subprocess.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fairlead::net {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kTick = std::chrono::milliseconds(20);  // between looks at the child; its output ending wakes earlier
constexpr auto kDrainAfterEnd = std::chrono::milliseconds(200);

/// Watches one child: drains it, and ends it when its time is over.
class Watch {
 public:
  Watch(const ProcessSpec& spec, Spawned child)
      : spec_(spec), child_(std::move(child)), deadline_(Clock::now() + span(spec.timeout)) {}

  ProcessResult run() {
    while (!ended()) {
      if (!terminated_ && (spec_.stop.stop_requested() || Clock::now() >= deadline_)) terminate();
      if (terminated_ && !killed_ && Clock::now() >= killAt_) {
        killed_ = true;
        kill(-child_.pid, SIGKILL);
      }
      collect(kTick);
    }
    // The leader is a zombie until it is reaped below, so its number still names this group and no other.
    for (const auto until = Clock::now() + kDrainAfterEnd; outputOpen() && Clock::now() < until;) collect(kTick);
    kill(-child_.pid, SIGKILL);
    reap();
    return std::move(result_);
  }

 private:
  static std::chrono::milliseconds span(Milliseconds value) {
    return std::chrono::milliseconds(std::max<std::int64_t>(value.count, 0));
  }
  [[nodiscard]] bool outputOpen() const { return child_.output.open() || child_.errors.open(); }

  bool ended() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(child_.pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == child_.pid;
  }

  void terminate() {
    terminated_ = true;
    (spec_.stop.stop_requested() ? result_.stopped : result_.timedOut) = true;
    killAt_ = Clock::now() + span(spec_.grace);
    kill(-child_.pid, SIGTERM);
  }

  void reap() {
    int status = 0;
    while (waitpid(child_.pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status))
      result_.signal = WTERMSIG(status);
    else
      result_.exitCode = WEXITSTATUS(status);
  }

  /// Takes what the child wrote, waiting at most `wait` for it.
  void collect(std::chrono::milliseconds wait) {
    std::array<pollfd, 2> fds{pollfd{child_.output.get(), POLLIN, 0}, pollfd{child_.errors.get(), POLLIN, 0}};
    if (poll(fds.data(), fds.size(), static_cast<int>(wait.count())) <= 0) return;
    if (fds[0].revents != 0) drain(child_.output, result_.output);
    if (fds[1].revents != 0) drain(child_.errors, result_.errors);
  }

  void drain(Descriptor& from, std::string& into) {
    std::array<char, 16 << 10> buffer;
    const auto n = ::read(from.get(), buffer.data(), buffer.size());
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) return from.reset();
    const auto room = static_cast<std::size_t>(std::max<std::int64_t>(spec_.maxOutput.count, 0)) - into.size();
    const auto kept = std::min(room, static_cast<std::size_t>(n));
    into.append(buffer.data(), kept);
    if (kept < static_cast<std::size_t>(n)) result_.truncated = true;
  }

  const ProcessSpec& spec_;
  Spawned child_;
  Clock::time_point deadline_, killAt_;
  ProcessResult result_;
  bool terminated_ = false;
  bool killed_ = false;
};

}  // namespace

Result<ProcessResult> runProcess(const ProcessSpec& spec) {
  auto child = spawn(spec);
  if (!child) return tl::unexpected<Error>(std::move(child.error()));
  return Watch(spec, std::move(*child)).run();
}

}  // namespace fairlead::net
