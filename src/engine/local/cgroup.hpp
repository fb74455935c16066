// The control group of an attempt, with one group a rank inside: memory limits, evidence of the out-of-memory killer,
// and a way to end everything. Works on v1 (memory hierarchy) and v2; does nothing where the host does not let us.
#pragma once

#include "local/posix.hpp"

#include <fairlead/base/result.hpp>
#include <fairlead/base/units.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace fairlead::engine::local {

enum class CgroupVersion : std::uint8_t { none, v1, v2 };

/// Where attempts' groups go on this host, made where missing.
struct CgroupBase {
  CgroupVersion version = CgroupVersion::none;
  std::string folder;
  bool memoryLimits = false;
};
[[nodiscard]] CgroupBase findCgroupBase(const std::string& root);

class Cgroup {
 public:
  Cgroup() = default;
  /// Makes the group. A group that cannot be made is no failure: `path()` is empty then.
  Cgroup(const CgroupBase& base, const std::string& name);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Makes a rank's group. Returns the open `cgroup.procs` to write "0" into; nothing where there is no group. A memory
  /// limit that was asked for and cannot be set on a host that has limits is an error.
  [[nodiscard]] Result<Fd> addRank(std::int32_t rank, std::int64_t memoryLimit);
  /// How many processes of the rank the kernel killed for want of memory.
  [[nodiscard]] std::int64_t outOfMemoryKills(std::int32_t rank) const;

 private:
  CgroupBase base_;
  std::string path_;
};

/// Kills all processes of the group at `path` and below, and removes it. False when some are left after `limit`.
bool endCgroup(const std::string& path, Milliseconds limit);

}  // namespace fairlead::engine::local
