#include "data/user_task.hpp"

#include "local/posix.hpp"

#include <fairlead/engine/errors.hpp>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fairlead::engine::data {
using local::checksum;
using local::decodeFields;
using local::encodeFields;
using local::failErrno;
using local::Fd;
using local::monotonicNow;
using local::writeAll;

namespace {

constexpr std::size_t kAnswerLimit = 64 << 20;

[[noreturn]] void runChild(const std::function<Fields()>& work, int answer) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::setsid();
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const auto text = encodeFields(work(), '\n');
  const bool whole = writeAll(answer, text + "\n" + checksum(text)).has_value();
  ::_exit(whole ? 0 : 1);
}

/// Collects the child's answer. False: out of time, stopped, or too much.
bool collect(int answer, const TaskLimits& limits, std::string& text) {
  const auto end = monotonicNow() + limits.time;
  for (;;) {
    pollfd waits[2] = {{answer, POLLIN, 0}, {limits.interrupt, POLLIN, 0}};
    const auto left = std::clamp<std::int64_t>((end - monotonicNow()).count, 0, 3'600'000);
    const int ready = ::poll(waits, 2, static_cast<int>(left));
    if (ready < 0 && errno != EINTR) return false;
    if (ready == 0 && monotonicNow() >= end) return false;
    if ((waits[1].revents & POLLIN) != 0 && limits.stop && limits.stop()) return false;
    if (waits[0].revents == 0) continue;
    char buffer[65536];
    const ssize_t n = ::read(answer, buffer, sizeof buffer);
    if (n == 0) return true;
    if (n > 0) text.append(buffer, static_cast<std::size_t>(n));
    if (n < 0 && errno != EINTR) return false;
    if (text.size() > kAnswerLimit) return false;
  }
}

}  // namespace

Result<Fields> runTask(const std::function<Fields()>& work, const TaskLimits& limits) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return failErrno("cannot make a pipe");
  Fd read(ends[0]), write(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return failErrno("cannot fork");
  if (pid == 0) runChild(work, write.get());
  write.reset();
  std::string text;
  const bool whole = collect(read.get(), limits, text);
  ::kill(-pid, SIGKILL);
  ::kill(pid, SIGKILL);
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (!whole) return fail(kProcessFailed, "it did not end in time or was stopped");
  const auto last = text.rfind('\n');
  if (last == std::string::npos || text.substr(last + 1) != checksum(std::string_view(text).substr(0, last)))
    return fail(kProcessFailed, "it ended without an answer");
  auto fields = decodeFields(std::string_view(text).substr(0, last), '\n');
  if (!fields) return fail(kProcessFailed, "its answer is malformed");
  return std::move(*fields);
}

}  // namespace fairlead::engine::data
