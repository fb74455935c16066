#include "local/rank.hpp"

#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fairlead::engine::local {
namespace {

struct Pipe {
  Fd read, write;
};

Result<Pipe> makePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return failErrno("cannot make a pipe");
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

struct ChildEnds {
  int output, error, status;
};

[[noreturn]] void giveUp(int status, StartFailure::Stage stage, int error) {
  const StartFailure failure{stage, error};
  (void)!::write(status, &failure, sizeof failure);
  ::_exit(127);
}

void resetSignals() {
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// What the supervisor took for itself.
void resetLimits(const RankCommand& command) {
  rlimit files{};
  if (command.openFiles > 0 && ::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = std::min<rlim_t>(command.openFiles, files.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  const int score = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (score >= 0) (void)!::write(score, "0", 1);
}

void wireStreams(const ChildEnds& ends) {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(null, 0);
  ::dup2(ends.output, 1);
  ::dup2(ends.error, 2);
}

/// Runs in the child only; between fork and exec.
[[noreturn]] void becomeRank(const RankCommand& command, const Identity& identity, const ChildEnds& ends, pid_t parent,
                             char* const* argv, char** environment) {
  using Stage = StartFailure::Stage;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  resetSignals();
  ::setsid();
  wireStreams(ends);
  if (command.cgroup >= 0 && ::write(command.cgroup, "0", 1) != 1) giveUp(ends.status, Stage::group, errno);
  resetLimits(command);
  if (!becomeForGood(identity)) giveUp(ends.status, Stage::identity, errno);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // again: a change of identity clears it
  if (::getppid() != parent) giveUp(ends.status, Stage::orphaned, 0);
  ::umask(022);
  if (::chdir(command.folder.c_str()) != 0) giveUp(ends.status, Stage::folder, errno);
  environ = environment;  // execvp looks in this PATH
  ::execvp(argv[0], argv);
  giveUp(ends.status, Stage::program, errno);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const auto& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

}  // namespace

Result<StartedRank> startRank(const RankCommand& command, const Identity& identity) {
  auto output = makePipe();
  auto error = makePipe();
  auto status = makePipe();
  if (!output || !error || !status) return fail(kProcessFailed, "cannot make the pipes of a rank");
  auto argv = pointers(command.argv);
  auto environment = pointers(command.environment);
  const pid_t self = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return failErrno("cannot fork");
  if (pid == 0)
    becomeRank(command, identity, {output->write.get(), error->write.get(), status->write.get()}, self, argv.data(),
               environment.data());
  for (auto* end : {&output->read, &error->read, &status->read}) ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
  return StartedRank{pid, std::move(output->read), std::move(error->read), std::move(status->read)};
}

std::optional<StartFailure> readStatus(const Fd& status) {
  StartFailure failure;
  const ssize_t n = ::read(status.get(), &failure, sizeof failure);
  if (n == static_cast<ssize_t>(sizeof failure)) return failure;
  return {};
}

std::string describe(const StartFailure& failure, const RankCommand& command) {
  switch (failure.stage) {
    case StartFailure::Stage::group:
      return errnoText("cannot enter the control group", failure.error);
    case StartFailure::Stage::identity:
      return errnoText("cannot become the workload's user", failure.error);
    case StartFailure::Stage::folder:
      return errnoText(fmt::format("working directory {}", command.folder), failure.error);
    case StartFailure::Stage::program:
      return errnoText(fmt::format("command {}", command.argv.empty() ? "" : command.argv[0]), failure.error);
    case StartFailure::Stage::orphaned:
      break;
  }
  return "the supervisor went away";
}

}  // namespace fairlead::engine::local
