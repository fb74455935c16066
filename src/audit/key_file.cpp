#include "key_file.hpp"

#include <fairlead/audit/errors.hpp>
#include <fairlead/base/text.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace fairlead::audit {
namespace {

constexpr std::size_t kLimit = 16 * 1024;

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  [[nodiscard]] int get() const { return descriptor_; }
  [[nodiscard]] bool valid() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

tl::unexpected<Error> systemFail(const ErrorCode& code, const std::string& path, int error) {
  return fail(code, fmt::format("audit key {}: {}", printable(path), std::strerror(error)));
}

Result<void> checkRights(const std::string& path, struct stat const& status) {
  if (!S_ISREG(status.st_mode))
    return fail(kKeyUnsafe, fmt::format("audit key {} is no regular file", printable(path)));
  if (status.st_uid != ::geteuid() && status.st_uid != 0)
    return fail(kKeyUnsafe, fmt::format("audit key {} belongs to uid {}", printable(path), status.st_uid),
                "give it to the user who runs the daemon");
  if ((status.st_mode & 077) != 0)
    return fail(kKeyUnsafe, fmt::format("audit key {} has mode {:04o}", printable(path), status.st_mode & 07777),
                "chmod 600 it, and make a new key if others could read it");
  return {};
}

bool writeAll(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const auto written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool syncFolder(const std::string& path) {
  auto folder = std::filesystem::path(path).parent_path().string();
  const File file(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return file.valid() && ::fsync(file.get()) == 0;
}

}  // namespace

Result<std::string> readKeyFile(const std::string& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file.valid() && errno == ENOENT)
    return fail(kKeyMissing, fmt::format("audit key {} does not exist", printable(path)),
                "restore it from the backup; without it new audit records cannot be signed with the known key");
  if (!file.valid()) return systemFail(kKeyNotRead, path, errno);
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return systemFail(kKeyNotRead, path, errno);
  if (auto rights = checkRights(path, status); !rights) return tl::unexpected(rights.error());
  std::string content(kLimit + 1, '\0');
  std::size_t size = 0;
  while (size < content.size()) {
    const auto got = ::read(file.get(), content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return systemFail(kKeyNotRead, path, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > kLimit) return fail(kKeyInvalid, fmt::format("audit key {} is longer than any key", printable(path)));
  content.resize(size);
  return content;
}

Result<void> writeKeyFile(const std::string& path, std::string_view content) {
  const File file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid() && errno == EEXIST)
    return fail(kKeyExists, fmt::format("{} exists already and is not replaced", printable(path)));
  if (!file.valid()) return systemFail(kKeyNotWritten, path, errno);
  if (::fchmod(file.get(), 0600) == 0 && writeAll(file.get(), content) && ::fsync(file.get()) == 0 && syncFolder(path))
    return {};
  const int error = errno;
  ::unlink(path.c_str());
  return systemFail(kKeyNotWritten, path, error);
}

}  // namespace fairlead::audit
