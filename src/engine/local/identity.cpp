#include "local/identity.hpp"

#include <fairlead/base/assert.hpp>
#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

namespace fairlead::engine::local {
namespace {

constexpr std::size_t kRecordBytes = 64 << 10;
constexpr int kMaxGroups = 65'536;

Identity fromRecord(const passwd& record) {
  Identity identity;
  identity.uid = record.pw_uid;
  identity.gid = record.pw_gid;
  identity.name = record.pw_name;
  identity.home = record.pw_dir != nullptr ? record.pw_dir : "/";
  identity.shell = record.pw_shell != nullptr && *record.pw_shell != '\0' ? record.pw_shell : "/bin/sh";
  return identity;
}

Identity ourselves() {
  std::vector<char> buffer(kRecordBytes);
  passwd record{};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &record, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
    return fromRecord(record);
  Identity identity;
  identity.uid = ::geteuid();
  identity.gid = ::getegid();
  identity.name = std::to_string(identity.uid);
  identity.home = "/";
  identity.shell = "/bin/sh";
  return identity;
}

}  // namespace

Result<Identity> resolveIdentity(const std::string& unixUser) {
  if (::geteuid() != 0) return ourselves();
  if (unixUser.empty())
    return fail(kUnknownUser, "the workload has no Unix user, and this engine runs work as its user only");
  std::vector<char> buffer(kRecordBytes);
  passwd record{};
  passwd* found = nullptr;
  const int error = ::getpwnam_r(unixUser.c_str(), &record, buffer.data(), buffer.size(), &found);
  if (error != 0 || found == nullptr)
    return fail(kUnknownUser, fmt::format("there is no Unix user {} on this host", unixUser));
  Identity identity = fromRecord(record);
  if (identity.uid == 0 && unixUser != "root")
    return fail(kUnknownUser,
                fmt::format("the Unix user {} has root's number; only root itself runs as root", unixUser));
  int count = kMaxGroups;
  identity.groups.resize(static_cast<std::size_t>(count));
  if (::getgrouplist(record.pw_name, record.pw_gid, identity.groups.data(), &count) < 0)
    return fail(kUnknownUser, fmt::format("the groups of Unix user {} cannot be read", unixUser));
  identity.groups.resize(static_cast<std::size_t>(count));
  identity.switches = true;
  return identity;
}

bool becomeForGood(const Identity& identity) {
  if (!identity.switches) return true;
  if (::setgroups(identity.groups.size(), identity.groups.data()) != 0) return false;
  if (::setresgid(identity.gid, identity.gid, identity.gid) != 0) return false;
  if (::setresuid(identity.uid, identity.uid, identity.uid) != 0) return false;
  return identity.uid == 0 || (::setuid(0) != 0 && ::geteuid() == identity.uid);
}

AsUser::AsUser(const Identity& identity) {
  if (!identity.switches || identity.uid == 0) return;
  groupBefore_ = ::getegid();
  groupsBefore_.resize(kMaxGroups);
  const int count = ::getgroups(kMaxGroups, groupsBefore_.data());
  groupsBefore_.resize(static_cast<std::size_t>(count < 0 ? 0 : count));
  const bool done = ::setgroups(identity.groups.size(), identity.groups.data()) == 0 && ::setegid(identity.gid) == 0 &&
                    ::seteuid(identity.uid) == 0;
  FL_ASSERT(done, "cannot take the user's identity");
  switched_ = true;
}

AsUser::~AsUser() {
  if (!switched_) return;
  const bool done =
      ::seteuid(0) == 0 && ::setegid(groupBefore_) == 0 && ::setgroups(groupsBefore_.size(), groupsBefore_.data()) == 0;
  FL_ASSERT(done, "cannot return from the user's identity");
}

}  // namespace fairlead::engine::local
