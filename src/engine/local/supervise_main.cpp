#include "data/file_work.hpp"
#include "local/posix.hpp"
#include "local/supervisor.hpp"

#include <fairlead/engine/local.hpp>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

namespace fairlead::engine {
namespace {

constexpr std::size_t kPathLimit = 4096;

/// The folder that the daemon names when it needs this spare; empty when the daemon went away instead.
std::string waitForFolder() {
  std::string line;
  char c = 0;
  while (line.size() < kPathLimit) {
    const ssize_t n = ::read(0, &c, 1);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return {};
    if (c == '\n') return line;
    line += c;
  }
  return {};
}

/// A spare loads what looking up a user needs before anybody waits for it: the name service's modules, milliseconds.
void warmUp() {
  if (const auto* self = ::getpwuid(::geteuid())) {
    std::array<gid_t, 64> groups{};
    int count = groups.size();
    (void)::getgrouplist(self->pw_name, self->pw_gid, groups.data(), &count);
  }
}

/// Our own complaints go beside the attempt's other files.
void redirectTo(const std::string& folder) {
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int log =
      ::open((folder + "/supervisor.log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (null >= 0) ::dup2(null, 0);
  if (log >= 0) {
    ::dup2(log, 1);
    ::dup2(log, 2);
  }
  for (const int fd : {null, log})
    if (fd > 2) ::close(fd);
}

}  // namespace

int superviseMain(const std::vector<std::string>& arguments) {
  if (arguments.size() != 1) return 2;
  if (arguments[0] == data::kFileWorkWord) return data::fileWorkMain();
  const bool spare = arguments[0] == "-";
  if (spare) warmUp();
  auto folder = spare ? waitForFolder() : arguments[0];
  if (folder.empty()) return 0;
  if (!folder.starts_with('/')) return 2;
  redirectTo(folder);
  return local::Supervisor(std::move(folder)).run();
}

}  // namespace fairlead::engine
