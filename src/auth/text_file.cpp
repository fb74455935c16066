#include "text_file.hpp"

#include <fairlead/auth/errors.hpp>
#include <fairlead/base/text.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fairlead::auth {
namespace {

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

tl::unexpected<Error> notRead(const std::string& path, std::string_view why) {
  return fail(kFileNotRead, fmt::format("{}: {}", printable(path), why));
}

}  // namespace

Result<std::string> readTextFile(const std::string& path, std::size_t limit, unsigned forbidden) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  struct stat status{};
  if (file.number < 0 || ::fstat(file.number, &status) != 0) return notRead(path, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return notRead(path, "not a regular file");
  if ((status.st_mode & forbidden) != 0)
    return fail(kFileUnsafe, fmt::format("{} has mode {:04o}", printable(path), status.st_mode & 07777),
                fmt::format("chmod {} {}", (forbidden & 020) != 0 ? "go-w" : "o-w", printable(path)));
  std::string content(limit + 1, '\0');
  std::size_t size = 0;
  while (size < content.size()) {
    const auto got = ::read(file.number, content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return notRead(path, std::strerror(errno));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > limit) return notRead(path, fmt::format("longer than {} bytes", limit));
  content.resize(size);
  return content;
}

}  // namespace fairlead::auth
