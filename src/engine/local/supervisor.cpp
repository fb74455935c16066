#include "local/supervisor.hpp"

#include "data/checkpoint.hpp"
#include "data/model_input.hpp"
#include "data/user_task.hpp"
#include "local/processes.hpp"

#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fairlead::engine::local {
namespace {

/// Any free port; another program may take it before rank 0 does, as with every launcher.
int freePort() {
  const Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof address;
  if (!socket || ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) return 29'500;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return 29'500;
  return ntohs(address.sin_port);
}

Fd watchSignals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT}) ::sigaddset(&set, signal);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGHUP, SIG_IGN);
  return Fd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

/// Each rank costs us three descriptors. Returns the soft limit before.
std::uint64_t takeAllFiles() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return 0;
  const auto before = files.rlim_cur;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  return before;
}

/// Ranks are the ones to go when memory is short; only root may say so.
void sparedByOutOfMemoryKiller() {
  const Fd score(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
  if (score) (void)!::write(score.get(), "-900", 4);
}

std::optional<ControlIntent> firstStop(int folder) {
  for (auto& intent : readControlIntents(folder))
    if (intent.id.kind == model::IntentKind::stop) return std::move(intent);
  return {};
}

}  // namespace

Result<bool> Supervisor::open() {
  auto folder = openFolder(path_);
  if (!folder) return tl::unexpected(folder.error());
  folder_ = std::move(*folder);
  auto text = readFileAt(folder_.get(), kOrderFile, kOrderLimit);
  if (!text) return tl::unexpected(text.error());
  auto order = decodeOrder(*text);
  if (!order) return tl::unexpected(order.error());
  order_ = std::move(*order);
  const auto attempt = parseId<model::AttemptTag>(order_.attempt);
  if (!attempt) return fail(kFileMalformed, "the order names no attempt");
  attempt_ = *attempt;
  auto lock = AttemptLock::tryTake(folder_.get());
  if (!lock) return tl::unexpected(lock.error());
  if (!*lock) return false;
  lock_ = std::move(*lock);
  const auto journal = readJournal(folder_.get(), attempt_);
  if (!journal) return tl::unexpected(journal.error());
  if (journal->launched() != nullptr || journal->final() != nullptr || existsAt(folder_.get(), kSettledFile))
    return false;
  auto writer = JournalWriter::open(folder_.get(), *journal);
  if (!writer) return tl::unexpected(writer.error());
  journal_ = std::move(*writer);
  return true;
}

Result<void> Supervisor::prepareFolders() {
  for (const auto* name : {"in", "logs"})
    if (auto made = makeFolderAt(folder_.get(), name, 0700); !made) return made;
  if (auto made = makeFolderAt(folder_.get(), "work", 0700); !made) return made;
  if (identity_.switches && ::fchownat(folder_.get(), "work", identity_.uid, identity_.gid, AT_SYMLINK_NOFOLLOW) != 0)
    return failErrno("cannot give the work folder to the user");
  auto logs = openAt(folder_.get(), "logs", O_RDONLY | O_DIRECTORY);
  if (!logs) return tl::unexpected(logs.error());
  logFolder_ = std::move(*logs);
  events_ = Fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!events_ || ::inotify_add_watch(events_.get(), (path_ + "/in").c_str(), IN_MOVED_TO | IN_CLOSE_WRITE) < 0)
    return failErrno("cannot watch for intents");
  return {};
}

Result<std::vector<std::string>> Supervisor::commandOf(const LaunchMember& member) {
  const auto& role = order_.roles[static_cast<std::size_t>(member.role)];
  if (role.script.empty()) {
    if (role.command.empty())
      return fail(kOrderRefused, fmt::format("role {} has neither command nor script", role.name));
    return role.command;
  }
  const auto name = fmt::format("script.{}", member.role);
  if (!existsAt(folder_.get(), name)) {
    if (auto written = replaceFileAt(folder_.get(), name, role.script, false); !written)
      return tl::unexpected(written.error());
    if (::fchmodat(folder_.get(), name.c_str(), 0555, 0) != 0) return failErrno("cannot make the script executable");
  }
  return std::vector<std::string>{path_ + "/" + name};
}

Result<void> Supervisor::prepareRanks() {
  const auto mark = supervisorMark(::getpid(), processStart(::getpid()));
  for (std::size_t i = 0; i < order_.members.size(); ++i) {
    const auto& member = order_.members[i];
    auto& rank = ranks_.emplace_back();
    rank.member = &member;
    rank.end.rank = member.rank;
    auto argv = commandOf(member);
    if (!argv) return tl::unexpected(argv.error());
    rank.command.argv = std::move(*argv);
    rank.command.openFiles = openFiles_;
    rank.command.environment = rankEnvironment(order_, i, identity_, context_);
    rank.command.environment.push_back(kSupervisorVariable + "=" + mark);
    rank.command.folder = workingDirectory(order_, member, context_);
    for (const auto stream : {control::LogStream::standardOutput, control::LogStream::standardError})
      rank.logs.emplace_back(logFolder_.get(), streamName(stream, member.rank), order_.logSegment, order_.logSegments);
    if (auto opened = copies_.open(order_, member, identity_, context_); !opened) return opened;
  }
  return {};
}

Result<void> Supervisor::prepare() {
  auto identity = resolveIdentity(order_.unixUser);
  if (!identity) return tl::unexpected(identity.error());
  identity_ = std::move(*identity);
  if (auto made = prepareFolders(); !made) return made;
  context_.masterPort = freePort();
  context_.workFolder = path_ + "/work";
  if (order_.checkpoint) {
    const auto folder = workingDirectory(order_, order_.members.front(), context_);
    const auto found = data::runTask(
        [&]() -> Fields {
          if (!becomeForGood(identity_)) return {};
          return {{"path", data::newestCheckpoint(*order_.checkpoint, folder).path}};
        },
        {data::kCheckpointTime, -1, {}});
    if (found) context_.checkpoint = textField(*found, "path");
  }
  if (!order_.modelPath.empty()) {
    const data::ModelInput model{order_.modelPath, order_.modelDigest, order_.artifactLimit};
    const auto verified =
        data::runTask([&]() -> Fields { return data::verifyModel(model, identity_); }, {data::kVerifyTime, -1, {}});
    if (!verified) return tl::unexpected(verified.error());
    if (const auto problem = textField(*verified, "problem"); !problem.empty()) return fail(kDigestMismatch, problem);
    context_.modelPath = order_.modelPath;
  }
  return prepareRanks();
}

Result<void> Supervisor::launch() {
  const auto base = findCgroupBase(order_.cgroupRoot);
  cgroup_ = Cgroup(base, fmt::format("{}.{}", order_.intent, checksum(path_).substr(0, 8)));
  if (cgroup_.path().empty()) {
    kernelLog_ = Fd(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (kernelLog_) ::lseek(kernelLog_.get(), 0, SEEK_END);
  }
  model::Observation accepted;
  accepted.kind = model::ObservationKind::accepted;
  accepted.at = wallNow();
  accepted.nativeId = fmt::format("pid {}", ::getpid());
  accepted.nativeState = "launched";
  const LaunchFacts facts{bootId(order_.bootIdFile), ::getpid(), processStart(::getpid()), cgroup_.path()};
  return journal_->append(std::move(accepted), facts);
}

void Supervisor::refuse(const Error& error) {
  model::Observation refused;
  refused.kind = model::ObservationKind::refused;
  refused.category = model::FailureCategory::startFailed;
  refused.at = wallNow();
  refused.nativeState = "refused";
  refused.reason = error.message;
  appendForSure(std::move(refused));
}

void Supervisor::endUnlaunched(const std::string& reason) {
  model::Observation ended;
  ended.kind = model::ObservationKind::ended;
  ended.category = model::FailureCategory::cancelled;
  ended.at = wallNow();
  ended.nativeState = "never started";
  ended.reason = reason.empty() ? "stopped before it started" : reason;
  appendForSure(std::move(ended));
}

int Supervisor::run() {
  const auto opened = open();
  if (!opened) {
    (void)writeAll(2, "fairlead supervise: " + toText(opened.error()) + "\n");
    return 1;
  }
  if (!*opened) return 0;
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  openFiles_ = takeAllFiles();
  sparedByOutOfMemoryKiller();
  signals_ = watchSignals();
  if (auto prepared = prepare(); !prepared) {
    refuse(prepared.error());
    return 0;
  }
  if (const auto stop = firstStop(folder_.get())) {
    endUnlaunched(stop->reason);
    return 0;
  }
  if (auto launched = launch(); !launched) {
    (void)writeAll(2, "fairlead supervise: " + toText(launched.error()) + "\n");
    return 1;  // nothing was run: the engine may try again
  }
  startRanks();
  loop();
  finish();
  return 0;
}

}  // namespace fairlead::engine::local
