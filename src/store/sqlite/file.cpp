#include "sqlite/file.hpp"

#include <fairlead/store/errors.hpp>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace fairlead::store::sqlite {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);

std::string folderOf(const std::string& path) {
  auto folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// What `errno` says about `what`, with the remedy for its kind.
tl::unexpected<Error> systemFailure(const std::string& what) {
  const int code = errno;
  auto message = fmt::format("{}: {}", what, std::generic_category().message(code));
  if (code == ENOSPC || code == EDQUOT) return fail(kDiskFull, std::move(message), "free space on that disk");
  if (code == EACCES || code == EPERM || code == EROFS)
    return fail(kReadOnly, std::move(message), "let the daemon's user write the database and its folder");
  if (code == ENOENT || code == ENOTDIR)
    return fail(kFolderMissing, std::move(message), "make the folder, or name another in the configuration");
  return fail(kIo, std::move(message), "check the disk and the system's log");
}

std::string holderOf(int descriptor) {
  std::array<char, 32> text{};
  const auto size = ::pread(descriptor, text.data(), text.size() - 1, 0);
  std::string_view holder(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  holder = holder.substr(0, holder.find_first_not_of("0123456789"));
  return holder.empty() ? "another process" : fmt::format("process {}", holder);
}

Result<void> syncFolder(const std::string& path) {
  const int descriptor = ::open(folderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return systemFailure(folderOf(path));
  const FileLock closer(descriptor);
  if (::fsync(descriptor) != 0) return systemFailure(folderOf(path));
  return {};
}

Result<std::int64_t> makeFile(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return systemFailure(path);
  const FileLock closer(descriptor);
  if (auto synced = syncFolder(path); !synced) return tl::unexpected(std::move(synced.error()));
  return 0;
}

Result<void> checkFormat(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return systemFailure(path);
  const FileLock closer(descriptor);
  std::array<char, kMagic.size()> head{};
  const auto size = ::pread(descriptor, head.data(), head.size(), 0);
  if (size < 0) return systemFailure(path);
  if (std::string_view(head.data(), static_cast<std::size_t>(size)) != kMagic)
    return fail(kNotADatabase, fmt::format("{} is not an SQLite database", path),
                "name another file, or move this one away");
  return {};
}

}  // namespace

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> checkFolder(const std::string& path) {
  const auto folder = folderOf(path);
  struct stat status{};
  if (::stat(folder.c_str(), &status) != 0) return systemFailure(folder);
  if (!S_ISDIR(status.st_mode))
    return fail(kFolderMissing, fmt::format("{} is not a folder", folder), "name a folder in the configuration");
  if ((status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0)
    return fail(kFolderUnsafe, fmt::format("{} can be written by everybody", folder),
                fmt::format("chmod o-w {}", folder));
  if (::access(folder.c_str(), W_OK | X_OK) != 0) return systemFailure(folder);
  return {};
}

Result<FileLock> lockDatabase(const std::string& path) {
  const auto name = path + ".lock";
  const int descriptor = ::open(name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return systemFailure(name);
  FileLock lock(descriptor);
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return systemFailure(name);
    return fail(kInUse, fmt::format("{} is in use by {}", path, holderOf(descriptor)),
                "stop that daemon, or give this one a database of its own");
  }
  const auto pid = fmt::format("{}\n", ::getpid());
  if (::ftruncate(descriptor, 0) != 0 || ::pwrite(descriptor, pid.data(), pid.size(), 0) < 0)
    return systemFailure(name);
  return lock;
}

Result<std::int64_t> prepareFile(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT) return makeFile(path);
    return systemFailure(path);
  }
  if (!S_ISREG(status.st_mode))
    return fail(kNotADatabase, fmt::format("{} is not a regular file", path), "name another file");
  if (::access(path.c_str(), R_OK | W_OK) != 0) return systemFailure(path);
  if (status.st_size > 0)
    if (auto known = checkFormat(path); !known) return tl::unexpected(std::move(known.error()));
  return static_cast<std::int64_t>(status.st_size);
}

Result<void> restrictFile(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return systemFailure(path);
  if ((status.st_mode & 077) != 0 && ::chmod(path.c_str(), 0600) != 0) return systemFailure(path);
  return {};
}

}  // namespace fairlead::store::sqlite
