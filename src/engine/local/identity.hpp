// Whom work runs as.
#pragma once

#include <fairlead/base/result.hpp>

#include <string>
#include <sys/types.h>
#include <vector>

namespace fairlead::engine::local {

struct Identity {
  bool switches = false;  ///< false: we are not root, everything runs as ourselves
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
  std::string name;
  std::string home;
  std::string shell;
};

/// The identity that work of `unixUser` gets here. When we are root: that user exactly, kUnknownUser when there is none
/// and when the name is empty. When not: ourselves, whatever the name.
[[nodiscard]] Result<Identity> resolveIdentity(const std::string& unixUser);

/// Becomes the user for good: groups, group, user, real, effective and saved. True on success; verify nothing else
/// after false but to leave the process.
[[nodiscard]] bool becomeForGood(const Identity& identity);

/// While it lives, files are opened with the user's rights. For single-threaded processes. Ends the process where the
/// kernel refuses to switch, since going on as root would be worse.
class AsUser {
 public:
  explicit AsUser(const Identity& identity);
  ~AsUser();
  AsUser(const AsUser&) = delete;
  AsUser& operator=(const AsUser&) = delete;

 private:
  bool switched_ = false;
  gid_t groupBefore_ = 0;
  std::vector<gid_t> groupsBefore_;
};

}  // namespace fairlead::engine::local
