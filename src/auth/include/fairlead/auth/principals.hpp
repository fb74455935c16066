// From the kernel's word about a unix socket's peer to a principal.
#pragma once

#include <fairlead/base/clock.hpp>
#include <fairlead/base/result.hpp>
#include <fairlead/model/tenancy.hpp>

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace fairlead::auth {

using model::Principal;

struct UserEntry {
  std::string name;
  std::vector<std::string> groups;  ///< names, sorted
};
/// Errors: kUnknownUser, kUserLookupFailed. May block: names can come from a directory server.
using UserLookup = std::function<Result<UserEntry>(std::uint32_t uid)>;
/// getpwuid_r and getgrouplist of this machine. Groups without a name are left out.
[[nodiscard]] Result<UserEntry> lookupUser(std::uint32_t uid);

struct PeerOptions {
  Milliseconds keep{60'000};                 ///< a known user
  Milliseconds keepUnknown{5'000};           ///< that a user is unknown
  std::vector<std::uint32_t> siteAdminUids;  ///< usually root and the daemon's own user, who can read its files anyway
  std::vector<std::string> siteAdminGroups;
};
/// siteAdminUids: 0 and this process's effective uid.
[[nodiscard]] PeerOptions standardPeerOptions();

/// Any thread; remembers users for a while. A user without a name fails closed. When the user database does not answer,
/// a user who was known goes on for ten times `keep`, so that a directory server's pause stops nobody at work.
class PeerResolver {
 public:
  /// `clock` must outlive it.
  PeerResolver(PeerOptions options, const ClockPort& clock, UserLookup lookup = lookupUser);
  /// Errors: kUnknownUser, kUserLookupFailed.
  [[nodiscard]] Result<Principal> principalOf(std::uint32_t uid);

 private:
  struct Known {
    Result<Principal> principal;
    Milliseconds until;
    Milliseconds staleUntil;
  };
  [[nodiscard]] Result<Principal> ask(std::uint32_t uid) const;

  const PeerOptions options_;
  const ClockPort& clock_;
  const UserLookup lookup_;
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, Known> known_;
};

}  // namespace fairlead::auth
