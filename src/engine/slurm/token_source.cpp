#include "slurm/token_source.hpp"

#include "local/posix.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/engine/errors.hpp>
#include <fairlead/net/subprocess.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fairlead::engine::slurm {
namespace {

constexpr std::size_t kTokenBytes = 16 << 10;
constexpr Milliseconds kFileAge{60'000};

bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-' || c == '@';
}

std::string filled(std::string text, const std::string& user, std::int64_t seconds) {
  const auto put = [&](std::string_view mark, const std::string& value) {
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  };
  put("%u", user);
  put("%s", std::to_string(seconds));
  return text;
}

/// The token in what a program or a file gives. It becomes a header: nothing but the characters of tokens may be in it.
Result<Secret> readToken(std::string_view text, const std::string& source) {
  constexpr std::string_view kName = "SLURM_JWT=";
  if (const auto at = text.find(kName); at != std::string_view::npos) text.remove_prefix(at + kName.size());
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  text = text.substr(0, text.find_first_of(" \r\n\t"));
  const bool clean = std::all_of(text.begin(), text.end(), [](char c) { return plain(c) || c == '='; });
  if (text.empty() || text.size() > kTokenBytes || !clean)
    return fail(kSlurmCredentials, source + " gave no token", "it must print SLURM_JWT=... or the token alone");
  return Secret(std::string(text));
}

}  // namespace

bool isPlainUser(const std::string& user) {
  return !user.empty() && user.size() <= 64 && user[0] != '-' && user[0] != '.' &&
         std::all_of(user.begin(), user.end(), plain);
}

Result<Secret> TokenSource::fromCommand(const std::string& user) const {
  net::ProcessSpec spec;
  for (const auto& word : options_.command) spec.argv.push_back(filled(word, user, options_.lifespan.count / 1000));
  spec.env = options_.environment;
  spec.timeout = options_.timeout;
  spec.maxOutput = {static_cast<std::int64_t>(kTokenBytes)};
  const auto source = fmt::format("the token command {} for user {}", spec.argv[0], user);
  const auto result = net::runProcess(spec);
  if (!result) return fail(kSlurmCredentials, source + " cannot be run: " + result.error().message);
  if (result->timedOut) return fail(kSlurmCredentials, source + " did not end in time", "look at slurmctld and munge");
  if (!result->succeeded())
    return fail(kSlurmCredentials,
                fmt::format("{} ended with {}: {}", source, result->exitCode, printable(result->errors)),
                "the daemon must be root or SlurmUser to make tokens for others, and AuthAltTypes=auth/jwt be set");
  return readToken(result->output, source);
}

Result<Secret> TokenSource::fromFile(const std::string& user) const {
  const auto path = filled(options_.file, user, options_.lifespan.count / 1000);
  const auto source = "the token file " + path;
  const local::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat info{};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode))
    return fail(kSlurmCredentials, source + " cannot be read", "put the user's token there, mode 0600");
  if ((info.st_mode & 077) != 0 || (info.st_uid != ::geteuid() && info.st_uid != 0))
    return fail(kSlurmCredentials,
                fmt::format("{} has mode {:04o}: others could read it", source, info.st_mode & 07777),
                "chmod 600 it, owned by the daemon's user");
  std::string text(kTokenBytes, '\0');
  const auto n = ::read(file.get(), text.data(), text.size());
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return readToken(text, source);
}

Result<Secret> TokenSource::token(const std::string& user) {
  if (!isPlainUser(user)) return fail(kSlurmCredentials, fmt::format("`{}` is not a user's name", printable(user, 80)));
  {
    const std::lock_guard guard(mutex_);
    const auto found = held_.find(user);
    if (found != held_.end() && local::monotonicNow() < found->second.renewAt) return found->second.token;
  }
  auto fresh = options_.file.empty() ? fromCommand(user) : fromFile(user);
  if (!fresh) return fresh;
  const Milliseconds age = options_.file.empty() ? Milliseconds{options_.lifespan.count / 3 * 2} : kFileAge;
  const std::lock_guard guard(mutex_);
  held_[user] = {*fresh, local::monotonicNow() + age};
  return fresh;
}

bool TokenSource::renew(const std::string& user, const Secret& refused) {
  {
    const std::lock_guard guard(mutex_);
    const auto found = held_.find(user);
    if (found != held_.end() && found->second.token.matches(refused.reveal())) held_.erase(found);
  }
  if (options_.file.empty()) return !options_.command.empty();
  const auto now = token(user);
  return now && !now->matches(refused.reveal());
}

}  // namespace fairlead::engine::slurm
