#include "local/log_copy.hpp"

#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fairlead::engine::local {
namespace {

std::string replacement(char letter, const LaunchOrder& order, std::int32_t rank) {
  switch (letter) {
    case 'j':
      return order.workload;
    case 'x':
      return order.name;
    case 'A':
      return order.arrayParent.empty() ? order.workload : order.arrayParent;
    case 'a':
      return order.arrayIndex < 0 ? "0" : std::to_string(order.arrayIndex);
    case 'u':
      return order.unixUser;
    case 'N':
      return order.node;
    case 't':
      return std::to_string(rank);
    case '%':
      return "%";
    default:
      return std::string("%") + letter;
  }
}

Result<Fd> openCopy(const std::string& path, bool append, const Identity& identity) {
  const AsUser user(identity);
  const int mode = append ? O_APPEND : O_TRUNC;
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | mode, 0644));
  struct stat info{};
  if (!fd || ::fstat(fd.get(), &info) != 0) return failErrno(fmt::format("log file {}", path));
  const bool null = S_ISCHR(info.st_mode) && path == "/dev/null";
  if (!S_ISREG(info.st_mode) && !null) return fail(kUnsafePath, fmt::format("log file {} is not a plain file", path));
  return fd;
}

}  // namespace

std::string expandPattern(std::string_view pattern, const LaunchOrder& order, std::int32_t rank) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '%' && i + 1 < pattern.size())
      text += replacement(pattern[++i], order, rank);
    else
      text += pattern[i];
  }
  return text;
}

Result<void> LogCopies::open(const LaunchOrder& order, const LaunchMember& member, const Identity& identity,
                             const RankContext& context) {
  const std::string* patterns[2] = {&order.logs.standardOutput, &order.logs.standardError};
  if (patterns[1]->empty()) patterns[1] = patterns[0];  // as sbatch: errors go where output goes
  for (int stream = 0; stream < 2; ++stream) {
    if (patterns[stream]->empty()) continue;
    auto path = expandPattern(*patterns[stream], order, member.rank);
    if (!path.starts_with('/')) path = workingDirectory(order, member, context) + "/" + path;
    auto& file = files_[path];
    if (!file) {
      auto opened = openCopy(path, order.logs.append, identity);
      if (!opened) return tl::unexpected(opened.error());
      file = std::move(*opened);
    }
    targets_[{member.rank, stream}] = file.get();
  }
  return {};
}

void LogCopies::append(std::int32_t rank, int stream, std::string_view bytes) {
  const auto found = targets_.find({rank, stream});
  if (found != targets_.end()) (void)writeAll(found->second, bytes);
}

}  // namespace fairlead::engine::local
