#include "spawn.hpp"

#include <fairlead/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

namespace fairlead::net {
namespace {

constexpr std::string_view kUsualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

enum class Step : int { none, group, user, cwd, descriptors, exec };

/// All that the child needs, made before it exists: between fork and exec it may only make system calls.
struct Plan {
  const char* program = nullptr;
  char* const* argv = nullptr;
  char* const* env = nullptr;
  const char* cwd = nullptr;
  bool changeUser = false;
  uid_t uid = 0;
  gid_t gid = 0;
  const gid_t* groups = nullptr;
  std::size_t groupCount = 0;
  int input = -1, output = -1, errors = -1;
  int report = -1;  // where the child tells what failed; closed by exec
};

struct Failure {
  Step step = Step::none;
  int code = 0;
};

/// System calls, not the wrappers of libc: those change the user of every thread of the process, and the child shares
/// its memory.
bool becomeUser(const Plan& plan) {
  return syscall(SYS_setgroups, plan.groupCount, plan.groups) == 0 &&
         syscall(SYS_setresgid, plan.gid, plan.gid, plan.gid) == 0 &&
         syscall(SYS_setresuid, plan.uid, plan.uid, plan.uid) == 0;
}

void defaultSignals() {
  // The kernel's own structure, all zero: default action, no flags, empty mask. Sanitizers watch the wrapper of libc.
  static constexpr std::array<unsigned long, 4> kDefault{};
  for (int number = 1; number < NSIG; ++number) syscall(SYS_rt_sigaction, number, kDefault.data(), nullptr, NSIG / 8);
  static constexpr unsigned long kNone = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &kNone, nullptr, NSIG / 8);
}

constexpr int kReportFd = 3;

[[noreturn]] void giveUp(int report, Step step) {
  const Failure failure{step, errno};
  [[maybe_unused]] const auto written = write(report, &failure, sizeof failure);
  _exit(127);
}

[[noreturn]] void becomeProgram(const Plan& plan) {
  if (setpgid(0, 0) != 0) giveUp(plan.report, Step::group);
  if (dup2(plan.input, 0) < 0 || dup2(plan.output, 1) < 0 || dup2(plan.errors, 2) < 0 ||
      dup2(plan.report, kReportFd) < 0 || fcntl(kReportFd, F_SETFD, FD_CLOEXEC) != 0)
    giveUp(plan.report, Step::descriptors);
  if (syscall(SYS_close_range, kReportFd + 1U, ~0U, 0U) != 0)
    for (int fd = kReportFd + 1; fd < 65'536; ++fd) close(fd);
  if (plan.changeUser && !becomeUser(plan)) giveUp(kReportFd, Step::user);
  if (plan.cwd != nullptr && chdir(plan.cwd) != 0) giveUp(kReportFd, Step::cwd);
  defaultSignals();
  execve(plan.program, plan.argv, plan.env);
  giveUp(kReportFd, Step::exec);
}

/// vfork, not fork: copying the page tables of a daemon that holds a gigabyte takes tens of milliseconds. The parent
/// waits until exec with all signals blocked, so no handler of ours runs in the memory that both share.
[[gnu::noinline]] pid_t start(const Plan& plan) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = vfork();
  if (pid == 0) becomeProgram(plan);
  const int failure = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = failure;
  return pid;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const auto& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

bool isProgram(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && access(path.c_str(), X_OK) == 0;
}

std::string findProgram(const ProcessSpec& spec) {
  const std::string& name = spec.argv.front();
  if (name.find('/') != std::string::npos) return name;
  std::string_view folders = kUsualPath;
  for (const auto& entry : spec.env)
    if (entry.starts_with("PATH=")) folders = std::string_view(entry).substr(5);
  while (!folders.empty()) {
    const auto end = std::min(folders.find(':'), folders.size());
    const std::string candidate = std::string(folders.substr(0, end)) + "/" + name;
    if (folders.starts_with('/') && isProgram(candidate))
      return candidate;  // a relative folder would mean another one in cwd
    folders.remove_prefix(std::min(end + 1, folders.size()));
  }
  return {};
}

/// Descriptors below 3 would collide with the standard streams of the child.
Descriptor aboveStandard(int fd) {
  Descriptor low(fd);
  return fd < 0 || fd > 2 ? std::move(low) : Descriptor(fcntl(fd, F_DUPFD_CLOEXEC, 3));
}

bool makePipe(Descriptor& readEnd, Descriptor& writeEnd) {
  std::array<int, 2> fds{};
  if (pipe2(fds.data(), O_CLOEXEC) != 0) return false;
  readEnd = aboveStandard(fds[0]);
  writeEnd = aboveStandard(fds[1]);
  return readEnd.open() && writeEnd.open();
}

/// The child's input as a file in memory: it needs no feeding, and a program that reads none of it breaks no pipe.
Descriptor makeInput(const std::string& text) {
  Descriptor file =
      aboveStandard(text.empty() ? open("/dev/null", O_RDONLY | O_CLOEXEC) : memfd_create("input", MFD_CLOEXEC));
  for (std::size_t done = 0; done < text.size();) {
    const auto n = write(file.get(), text.data() + done, text.size() - done);
    if (n <= 0) return {};
    done += static_cast<std::size_t>(n);
  }
  if (!text.empty()) lseek(file.get(), 0, SEEK_SET);
  return file;
}

std::string stepText(Step step, const ProcessSpec& spec) {
  switch (step) {
    case Step::group:
      return "cannot make a process group";
    case Step::user:
      return fmt::format("cannot become user {}", spec.user ? spec.user->uid : 0);
    case Step::cwd:
      return "cannot enter the folder " + printable(spec.cwd);
    case Step::descriptors:
      return "cannot set up the standard streams";
    default:
      return "cannot run " + printable(spec.argv.front());
  }
}

}  // namespace

Result<Spawned> spawn(const ProcessSpec& spec) {
  if (spec.argv.empty() || spec.argv.front().empty()) return fail(kSpawnFailed, "no program is named");
  const auto program = findProgram(spec);
  if (program.empty())
    return fail(kSpawnFailed, "the program " + printable(spec.argv.front()) + " is not in PATH",
                "install it, or give its path");
  const auto argv = pointers(spec.argv);
  const auto env = pointers(spec.env);
  Spawned spawned;
  Descriptor output, errors, report, reported;
  const Descriptor input = makeInput(spec.input);
  if (!input.open() || !makePipe(spawned.output, output) || !makePipe(spawned.errors, errors) ||
      !makePipe(reported, report))
    return fail(kSpawnFailed, std::string("cannot create the standard streams: ") + std::strerror(errno));
  for (const auto* end : {&spawned.output, &spawned.errors}) fcntl(end->get(), F_SETFL, O_NONBLOCK);

  Plan plan;
  plan.program = program.c_str();
  plan.argv = argv.data();
  plan.env = env.data();
  plan.cwd = spec.cwd.empty() ? nullptr : spec.cwd.c_str();
  plan.input = input.get();
  plan.output = output.get();
  plan.errors = errors.get();
  plan.report = report.get();
  if (spec.user) {
    plan.changeUser = true;
    plan.uid = spec.user->uid;
    plan.gid = spec.user->gid;
    plan.groups = spec.user->groups.data();
    plan.groupCount = spec.user->groups.size();
  }
  spawned.pid = start(plan);
  if (spawned.pid < 0) return fail(kSpawnFailed, std::string("cannot create a process: ") + std::strerror(errno));
  report.reset();
  Failure failure;
  if (read(reported.get(), &failure, sizeof failure) != sizeof failure) return spawned;
  waitpid(spawned.pid, nullptr, 0);
  return fail(kSpawnFailed, stepText(failure.step, spec) + ": " + std::strerror(failure.code));
}

}  // namespace fairlead::net
