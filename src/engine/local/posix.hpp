// Thin wrappers over the calls the engine and the supervisor need. Single calls, errors as values.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/base/units.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace fairlead::engine::local {

/// Owns a file descriptor.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept;
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  void reset();

 private:
  int fd_ = -1;
};

/// `what path: No such file or directory` of errno.
[[nodiscard]] std::string errnoText(std::string_view what, int error);
[[nodiscard]] tl::unexpected<Error> failErrno(std::string_view what);

[[nodiscard]] Result<Fd> openFolder(const std::string& path);
[[nodiscard]] Result<Fd> openAt(int folder, const std::string& name, int flags, mode_t mode = 0600);
/// Whole content of a regular file, never through a symbolic link at the last component; kFileTooLarge over `limit`.
[[nodiscard]] Result<std::string> readFileAt(int folder, const std::string& name, std::size_t limit);
/// The same for a path; for /proc and /sys, whose files have no size.
[[nodiscard]] Result<std::string> readPath(const std::string& path, std::size_t limit);
/// Writes beside, makes durable, renames over `name`. With `durable` false the disk is not waited for.
[[nodiscard]] Result<void> replaceFileAt(int folder, const std::string& name, std::string_view content, bool durable);
[[nodiscard]] bool existsAt(int folder, const std::string& name);
[[nodiscard]] Result<void> writeAll(int fd, std::string_view bytes);
[[nodiscard]] Result<void> syncFd(int fd, std::string_view what);
/// Makes the folder where missing; what is there must be a folder.
[[nodiscard]] Result<void> makeFolderAt(int folder, const std::string& name, mode_t mode);
/// Names of entries but `.` and `..`, sorted; at most `limit`, more is kFileTooLarge.
[[nodiscard]] Result<std::vector<std::string>> listFolder(int folder, std::size_t limit);
/// Removes a tree without following links. Best effort; true when all is gone.
bool removeTreeAt(int folder, const std::string& name);

[[nodiscard]] TimePoint wallNow();
[[nodiscard]] Milliseconds monotonicNow();
[[nodiscard]] std::string bootId(const std::string& file);
[[nodiscard]] std::string hostName();

/// When a process started, in clock ticks since boot: with its id, names a process for ever within one boot. 0: no such
/// process.
[[nodiscard]] std::uint64_t processStart(pid_t pid);
/// The parent of a process; 0 where there is none.
[[nodiscard]] pid_t parentOf(pid_t pid);
/// All process ids of /proc.
[[nodiscard]] std::vector<pid_t> allProcesses();

[[nodiscard]] std::string toHex(std::string_view bytes);

}  // namespace fairlead::engine::local
