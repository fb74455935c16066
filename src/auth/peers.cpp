#include "names.hpp"

#include <fairlead/auth/errors.hpp>
#include <fairlead/auth/principals.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <grp.h>
#include <optional>
#include <pwd.h>
#include <unistd.h>

namespace fairlead::auth {
namespace {

constexpr std::size_t kMostRecordBytes = 4 * 1024 * 1024;  // a group of a whole company in one record
constexpr int kMostGroups = 65'536;
constexpr std::size_t kMostKnown = 100'000;

tl::unexpected<Error> lookupFailed(std::uint32_t uid, int error) {
  return fail(kUserLookupFailed, fmt::format("user database, uid {}: {}", uid, std::strerror(error)),
              "try again later");
}

std::optional<std::string> groupName(gid_t gid) {
  std::string buffer(4'096, '\0');
  group record{};
  group* found = nullptr;
  int error = 0;
  while ((error = ::getgrgid_r(gid, &record, buffer.data(), buffer.size(), &found)) == ERANGE &&
         buffer.size() < kMostRecordBytes)
    buffer.resize(buffer.size() * 2);
  if (error != 0 || found == nullptr || !isPrincipalName(found->gr_name)) return {};
  return std::string(found->gr_name);
}

std::vector<std::string> groupNames(const std::string& user, gid_t primary) {
  int count = 64;
  std::vector<gid_t> gids(static_cast<std::size_t>(count));
  while (::getgrouplist(user.c_str(), primary, gids.data(), &count) < 0) {
    count = std::min(std::max(count, static_cast<int>(gids.size()) * 2), kMostGroups);
    if (static_cast<int>(gids.size()) >= count) break;
    gids.resize(static_cast<std::size_t>(count));
  }
  gids.resize(std::min(gids.size(), static_cast<std::size_t>(std::max(count, 0))));
  std::vector<std::string> names;
  for (const auto gid : gids)
    if (auto name = groupName(gid)) names.push_back(std::move(*name));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

bool meansUnknown(int error) { return error == 0 || error == ENOENT || error == ESRCH; }

}  // namespace

Result<UserEntry> lookupUser(std::uint32_t uid) {
  std::string buffer(4'096, '\0');
  passwd record{};
  passwd* found = nullptr;
  int error = 0;
  while ((error = ::getpwuid_r(uid, &record, buffer.data(), buffer.size(), &found)) == ERANGE &&
         buffer.size() < kMostRecordBytes)
    buffer.resize(buffer.size() * 2);
  if (found == nullptr && !meansUnknown(error)) return lookupFailed(uid, error);
  if (found == nullptr || !isPrincipalName(found->pw_name))
    return fail(kUnknownUser, fmt::format("uid {} has no user name on this machine", uid));
  UserEntry entry{found->pw_name, {}};
  entry.groups = groupNames(entry.name, found->pw_gid);
  return entry;
}

PeerOptions standardPeerOptions() {
  PeerOptions options;
  options.siteAdminUids = {0, ::geteuid()};
  return options;
}

PeerResolver::PeerResolver(PeerOptions options, const ClockPort& clock, UserLookup lookup)
    : options_(std::move(options)), clock_(clock), lookup_(std::move(lookup)) {}

Result<Principal> PeerResolver::ask(std::uint32_t uid) const {
  auto user = lookup_(uid);
  if (!user) return tl::unexpected(std::move(user.error()));
  Principal principal;
  principal.name = user->name;
  principal.unixUser = user->name;
  principal.groups = std::move(user->groups);
  const auto contains = [](const auto& list, const auto& value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  principal.siteAdmin = contains(options_.siteAdminUids, uid);
  for (const auto& group : options_.siteAdminGroups)
    principal.siteAdmin = principal.siteAdmin || contains(principal.groups, group);
  principal.how = fmt::format("unix peer uid {}", uid);
  return principal;
}

Result<Principal> PeerResolver::principalOf(std::uint32_t uid) {
  const auto now = clock_.monotonic();
  {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(uid);
    if (known != known_.end() && now < known->second.until) return known->second.principal;
  }
  auto principal = ask(uid);  // without the lock: it may take seconds, and others must not wait for it
  const std::lock_guard lock(mutex_);
  if (!principal && principal.error().code == &kUserLookupFailed) {
    const auto known = known_.find(uid);
    return known != known_.end() && known->second.principal && now < known->second.staleUntil ? known->second.principal
                                                                                              : principal;
  }
  if (known_.size() >= kMostKnown) known_.clear();
  const auto keep = principal ? options_.keep : options_.keepUnknown;
  known_.insert_or_assign(uid, Known{principal, now + keep, now + keep * 10});
  return principal;
}

}  // namespace fairlead::auth
