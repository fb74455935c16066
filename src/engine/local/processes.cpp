#include "local/processes.hpp"

#include "local/posix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <signal.h>
#include <string_view>
#include <time.h>

namespace fairlead::engine::local {
namespace {

constexpr std::size_t kEnvironLimit = 16 << 20;

bool hasEntry(std::string_view environ, const std::string& entry) {
  for (std::size_t at = environ.find(entry); at != std::string_view::npos; at = environ.find(entry, at + 1)) {
    const auto end = at + entry.size();
    if ((at == 0 || environ[at - 1] == '\0') && (end == environ.size() || environ[end] == '\0')) return true;
  }
  return false;
}

}  // namespace

std::vector<pid_t> descendantsOf(pid_t ancestor) {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t pid : allProcesses()) children.emplace(parentOf(pid), pid);
  std::vector<pid_t> found;
  std::vector<pid_t> open{ancestor};
  while (!open.empty()) {
    const auto [first, last] = children.equal_range(open.back());
    open.pop_back();
    for (auto it = first; it != last; ++it) {
      found.push_back(it->second);
      open.push_back(it->second);
    }
  }
  return found;
}

std::string supervisorMark(pid_t pid, std::uint64_t start) { return fmt::format("{}.{}", pid, start); }

std::vector<pid_t> processesMarked(const LaunchMark& mark) {
  const auto intent = "FAIRLEAD_INTENT=" + mark.intent;
  const auto supervisor = kSupervisorVariable + "=" + mark.supervisor;
  std::vector<pid_t> found;
  for (const pid_t pid : allProcesses()) {
    const auto environ = readPath(fmt::format("/proc/{}/environ", pid), kEnvironLimit);
    if (environ && hasEntry(*environ, intent) && hasEntry(*environ, supervisor)) found.push_back(pid);
  }
  return found;
}

bool killMarked(const LaunchMark& mark, Milliseconds limit) {
  const auto end = monotonicNow() + limit;
  for (;;) {
    const auto left = processesMarked(mark);
    if (left.empty()) return true;
    for (const pid_t pid : left) ::kill(pid, SIGKILL);
    if (monotonicNow() > end) return false;
    const timespec pause{0, 2'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace fairlead::engine::local
