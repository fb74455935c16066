#include "local/posix.hpp"

#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace fairlead::engine::local {
namespace {

/// Fields of /proc/PID/stat behind the name, which may itself hold spaces and brackets.
std::vector<std::string> statFields(pid_t pid) {
  auto text = readPath(fmt::format("/proc/{}/stat", pid), 8192);
  if (!text) return {};
  const auto end = text->rfind(')');
  if (end == std::string::npos || end + 2 > text->size()) return {};
  std::vector<std::string> fields;
  std::string_view rest = std::string_view(*text).substr(end + 2);
  while (!rest.empty()) {
    const auto space = rest.find(' ');
    fields.emplace_back(rest.substr(0, space));
    if (space == std::string_view::npos) break;
    rest.remove_prefix(space + 1);
  }
  return fields;
}

template <class Number>
Number number(std::string_view text) {
  Number value{};
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Result<std::string> readFd(int fd, std::string_view name, std::size_t limit) {
  std::string content;
  char buffer[16384];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failErrno(fmt::format("cannot read {}", name));
    if (n == 0) return content;
    content.append(buffer, static_cast<std::size_t>(n));
    if (content.size() > limit) return fail(kFileTooLarge, fmt::format("{} is over {} bytes", name, limit));
  }
}

}  // namespace

Fd& Fd::operator=(Fd&& other) noexcept {
  if (this != &other) {
    reset();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void Fd::reset() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

std::string errnoText(std::string_view what, int error) {
  char buffer[128];
  return fmt::format("{}: {}", what, ::strerror_r(error, buffer, sizeof buffer));
}

tl::unexpected<Error> failErrno(std::string_view what) { return fail(kFileFailed, errnoText(what, errno)); }

Result<Fd> openFolder(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return failErrno(fmt::format("cannot open folder {}", path));
  return fd;
}

Result<Fd> openAt(int folder, const std::string& name, int flags, mode_t mode) {
  Fd fd(::openat(folder, name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!fd) return failErrno(fmt::format("cannot open {}", name));
  return fd;
}

Result<std::string> readFileAt(int folder, const std::string& name, std::size_t limit) {
  auto fd = openAt(folder, name, O_RDONLY | O_NONBLOCK);
  if (!fd) return tl::unexpected(fd.error());
  struct stat info{};
  if (::fstat(fd->get(), &info) != 0) return failErrno(fmt::format("cannot stat {}", name));
  if (!S_ISREG(info.st_mode)) return fail(kUnsafePath, fmt::format("{} is not a plain file", name));
  return readFd(fd->get(), name, limit);
}

Result<std::string> readPath(const std::string& path, std::size_t limit) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return failErrno(fmt::format("cannot open {}", path));
  return readFd(fd.get(), path, limit);
}

Result<void> writeAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failErrno("cannot write");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> syncFd(int fd, std::string_view what) {
  if (::fsync(fd) != 0) return failErrno(fmt::format("cannot make {} durable", what));
  return {};
}

Result<void> replaceFileAt(int folder, const std::string& name, std::string_view content, bool durable) {
  const std::string beside = fmt::format("{}.{}.tmp", name, ::getpid());
  auto fd = openAt(folder, beside, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (!fd) return tl::unexpected(fd.error());
  auto written = writeAll(fd->get(), content);
  if (written && durable) written = syncFd(fd->get(), name);
  if (written && ::renameat(folder, beside.c_str(), folder, name.c_str()) != 0)
    written = failErrno(fmt::format("cannot rename to {}", name));
  if (!written) {
    ::unlinkat(folder, beside.c_str(), 0);
    return written;
  }
  return durable ? syncFd(folder, "the folder") : Result<void>{};
}

bool existsAt(int folder, const std::string& name) {
  struct stat info{};
  return ::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
}

Result<void> makeFolderAt(int folder, const std::string& name, mode_t mode) {
  if (::mkdirat(folder, name.c_str(), mode) == 0) return {};
  if (errno != EEXIST) return failErrno(fmt::format("cannot make folder {}", name));
  struct stat info{};
  if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return failErrno("cannot stat folder");
  if (!S_ISDIR(info.st_mode)) return fail(kUnsafePath, fmt::format("{} is there and is not a folder", name));
  return {};
}

Result<std::vector<std::string>> listFolder(int folder, std::size_t limit) {
  const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR*)> stream(copy < 0 ? nullptr : ::fdopendir(copy), ::closedir);
  if (!stream) return failErrno("cannot list folder");
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() == limit) return fail(kFileTooLarge, fmt::format("a folder has more than {} entries", limit));
    names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool removeTreeAt(int folder, const std::string& name) {
  if (::unlinkat(folder, name.c_str(), 0) == 0 || errno == ENOENT) return true;
  if (auto inner = openAt(folder, name, O_RDONLY | O_DIRECTORY)) {
    ::fchmod(inner->get(), 0700);  // read-only copies of ours
    if (auto names = listFolder(inner->get(), 10'000'000))
      for (const auto& child : *names) removeTreeAt(inner->get(), child);
  }
  return ::unlinkat(folder, name.c_str(), AT_REMOVEDIR) == 0;
}

TimePoint wallNow() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return {now.tv_sec * 1000 + now.tv_nsec / 1'000'000};
}

Milliseconds monotonicNow() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return {now.tv_sec * 1000 + now.tv_nsec / 1'000'000};
}

std::string bootId(const std::string& file) {
  auto text = readPath(file, 256);
  if (!text) return {};
  while (!text->empty() && (text->back() == '\n' || text->back() == ' ')) text->pop_back();
  return *text;
}

std::string hostName() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "localhost";
  return name;
}

std::uint64_t processStart(pid_t pid) {
  const auto fields = statFields(pid);
  return fields.size() > 19 ? number<std::uint64_t>(fields[19]) : 0;
}

pid_t parentOf(pid_t pid) {
  const auto fields = statFields(pid);
  return fields.size() > 1 ? number<pid_t>(fields[1]) : 0;
}

std::vector<pid_t> allProcesses() {
  std::vector<pid_t> pids;
  std::unique_ptr<DIR, int (*)(DIR*)> stream(::opendir("/proc"), ::closedir);
  if (!stream) return pids;
  while (const dirent* entry = ::readdir(stream.get()))
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') pids.push_back(number<pid_t>(entry->d_name));
  return pids;
}

std::string toHex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

}  // namespace fairlead::engine::local
