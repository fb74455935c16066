#include "local/spawn.hpp"

#include <fairlead/engine/errors.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace fairlead::engine::local {
namespace {

constexpr Milliseconds kRefillDelay{30};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (auto& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

/// Owns the two objects of posix_spawn.
struct SpawnSetup {
  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_t actions{};

  SpawnSetup() {
    ::posix_spawnattr_init(&attributes);
    ::posix_spawn_file_actions_init(&actions);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
};

}  // namespace

std::vector<std::string> supervisorEnvironment() {
  std::vector<std::string> kept{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"};
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    for (const auto* name : {"LD_LIBRARY_PATH=", "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "TSAN_OPTIONS=", "LSAN_OPTIONS="})
      if (text.starts_with(name)) kept.emplace_back(text);
  }
  return kept;
}

std::vector<std::string> supervisorProgram() {
  char self[4096];
  const auto size = ::readlink("/proc/self/exe", self, sizeof self);
  if (size > 0 && size < static_cast<ssize_t>(sizeof self)) {
    const std::string_view path(self, static_cast<std::size_t>(size));
    auto beside = std::string(path.substr(0, path.rfind('/') + 1)) + "fairlead-supervisor";
    if (::access(beside.c_str(), X_OK) == 0) return {std::move(beside), "supervise"};
  }
  return {"/proc/self/exe", "supervise"};
}

Fd openPid(pid_t pid) { return Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))); }

SupervisorSpawner::SupervisorSpawner(std::vector<std::string> argv, std::int32_t spares)
    : argv_(std::move(argv)), wanted_(static_cast<std::size_t>(std::max(spares, 0))) {
  if (argv_.empty()) argv_ = supervisorProgram();
}

SupervisorSpawner::~SupervisorSpawner() {
  for (auto& spare : spares_) {
    spare.channel.reset();
    ::kill(spare.pid, SIGKILL);  // it has begun nothing
    ::waitpid(spare.pid, nullptr, 0);
  }
}

Result<pid_t> SupervisorSpawner::spawn(const std::string& argument, int input) {
  SpawnSetup setup;
  auto* actions = &setup.actions;
  if (input >= 0)
    ::posix_spawn_file_actions_adddup2(actions, input, 0);
  else
    ::posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(actions, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(actions, 2, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addclosefrom_np(actions, 3);
  ::posix_spawn_file_actions_addchdir_np(actions, "/");
  auto argv = argv_;
  argv.push_back(argument);
  auto environment = supervisorEnvironment();
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, argv[0].c_str(), actions, &setup.attributes, pointers(argv).data(),
                                  pointers(environment).data());
  if (error != 0) return fail(kProcessFailed, errnoText("cannot start the supervisor " + argv[0], error));
  return pid;
}

Result<pid_t> SupervisorSpawner::start(const std::string& attemptFolder) {
  refillAt_ = monotonicNow() + kRefillDelay;
  const auto line = attemptFolder + "\n";
  while (!spares_.empty()) {
    Spare spare = std::move(spares_.front());
    spares_.pop_front();
    const auto sent = ::send(spare.channel.get(), line.data(), line.size(), MSG_NOSIGNAL);
    if (sent == static_cast<ssize_t>(line.size()) && ::waitpid(spare.pid, nullptr, WNOHANG) == 0) return spare.pid;
    spare.channel.reset();
    ::kill(spare.pid, SIGKILL);
    ::waitpid(spare.pid, nullptr, 0);
  }
  return spawn(attemptFolder, -1);
}

std::optional<Milliseconds> SupervisorSpawner::refillAt() const {
  return spares_.size() < wanted_ ? std::optional(refillAt_) : std::nullopt;
}

void SupervisorSpawner::refill() {
  if (monotonicNow() < refillAt_) return;
  while (spares_.size() < wanted_) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
    Fd ours(ends[0]), theirs(ends[1]);
    auto pid = spawn("-", theirs.get());
    if (!pid) {
      refillAt_ = monotonicNow() + Milliseconds{10'000};
      return;
    }
    spares_.push_back({*pid, std::move(ours)});
  }
}

}  // namespace fairlead::engine::local
