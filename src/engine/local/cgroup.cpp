#include "local/cgroup.hpp"

#include "local/fields.hpp"

#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <ctime>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fairlead::engine::local {
namespace {

constexpr std::size_t kFileLimit = 16 << 20;

bool isFolder(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool writeFile(const std::string& path, std::string_view text) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return fd && ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool makeFolder(const std::string& path) {
  return ::mkdir(path.c_str(), 0755) == 0 || (errno == EEXIST && isFolder(path));
}

/// Our own path in a v1 hierarchy or, with an empty controller, in v2.
std::string ownPath(std::string_view controller) {
  const auto text = readPath("/proc/self/cgroup", 1 << 16);
  if (!text) return {};
  std::string_view rest = *text;
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    if (line.substr(first + 1, second - first - 1) == controller) return std::string(line.substr(second + 1));
  }
  return {};
}

/// Our own group where the mount shows it, else the mount's root.
std::string parentIn(const std::string& mount, std::string_view controller) {
  const auto own = ownPath(controller);
  return !own.empty() && own != "/" && own.find("..") == std::string::npos && isFolder(mount + own) ? mount + own
                                                                                                    : mount;
}

std::vector<pid_t> processesOf(const std::string& path) {
  std::vector<pid_t> pids;
  const auto text = readPath(path + "/cgroup.procs", kFileLimit);
  if (!text) return pids;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    if (const auto pid = parseNumber(line)) pids.push_back(static_cast<pid_t>(*pid));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return pids;
}

std::vector<std::string> groupsBelow(const std::string& path) {
  std::vector<std::string> groups;
  auto folder = openFolder(path);
  if (!folder) return groups;
  if (auto names = listFolder(folder->get(), 1'000'000))
    for (const auto& name : *names)
      if (name.starts_with("rank.") && isFolder(path + "/" + name)) groups.push_back(path + "/" + name);
  return groups;
}

bool killAndRemove(const std::string& path) {
  bool gone = true;
  for (const auto& below : groupsBelow(path)) gone = killAndRemove(below) && gone;
  for (const pid_t pid : processesOf(path)) ::kill(pid, SIGKILL);
  return (::rmdir(path.c_str()) == 0 || errno == ENOENT) && gone;
}

}  // namespace

CgroupBase findCgroupBase(const std::string& root) {
  CgroupBase base;
  if (root.empty()) return base;
  if (isFolder(root + "/memory") && ::access((root + "/memory/memory.limit_in_bytes").c_str(), F_OK) == 0) {
    base.folder = parentIn(root + "/memory", "memory") + "/fairlead";
    if (!makeFolder(base.folder) || ::access(base.folder.c_str(), W_OK) != 0) return {};
    base.version = CgroupVersion::v1;
    base.memoryLimits = true;
  } else if (::access((root + "/cgroup.controllers").c_str(), F_OK) == 0) {
    // Under the root for root, as other runtimes do; else only inside what was delegated to us.
    base.folder = (::geteuid() == 0 ? root : parentIn(root, "")) + "/fairlead";
    if (!makeFolder(base.folder) || ::access(base.folder.c_str(), W_OK) != 0) return {};
    base.version = CgroupVersion::v2;
    writeFile(base.folder + "/../cgroup.subtree_control", "+memory");
    base.memoryLimits = writeFile(base.folder + "/cgroup.subtree_control", "+memory");
  }
  return base;
}

Cgroup::Cgroup(const CgroupBase& base, const std::string& name) : base_(base) {
  if (base.version == CgroupVersion::none) return;
  const auto path = base.folder + "/" + name;
  if (!makeFolder(path)) return;
  if (base.version == CgroupVersion::v2 && base.memoryLimits) writeFile(path + "/cgroup.subtree_control", "+memory");
  path_ = path;
}

Result<Fd> Cgroup::addRank(std::int32_t rank, std::int64_t memoryLimit) {
  if (path_.empty()) return Fd();
  const auto folder = fmt::format("{}/rank.{}", path_, rank);
  if (!makeFolder(folder)) return failErrno("cannot make the rank's control group");
  if (memoryLimit > 0 && base_.memoryLimits) {
    const auto* file = base_.version == CgroupVersion::v1 ? "/memory.limit_in_bytes" : "/memory.max";
    if (!writeFile(folder + file, std::to_string(memoryLimit)))
      return failErrno(fmt::format("cannot limit rank {} to {} bytes of memory", rank, memoryLimit));
    writeFile(folder + "/memory.swap.max", "0");  // missing where swap is not counted
    writeFile(folder + "/memory.memsw.limit_in_bytes", std::to_string(memoryLimit));
  }
  Fd procs(::open((folder + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  if (!procs) return failErrno("cannot open the rank's control group");
  return procs;
}

std::int64_t Cgroup::outOfMemoryKills(std::int32_t rank) const {
  if (path_.empty()) return 0;
  const auto* file = base_.version == CgroupVersion::v1 ? "memory.oom_control" : "memory.events";
  const auto text = readPath(fmt::format("{}/rank.{}/{}", path_, rank, file), 4096);
  if (!text) return 0;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    if (line.starts_with("oom_kill ")) return parseNumber(line.substr(9)).value_or(0);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return 0;
}

bool endCgroup(const std::string& path, Milliseconds limit) {
  if (path.empty() || !isFolder(path)) return true;
  const auto end = monotonicNow() + limit;
  writeFile(path + "/cgroup.kill", "1");
  while (!killAndRemove(path)) {
    if (monotonicNow() > end) return false;
    const timespec pause{0, 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
  return true;
}

}  // namespace fairlead::engine::local
