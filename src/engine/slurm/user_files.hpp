// Files of users, read and made with their rights, by a program of its own each time: a file system that hangs costs a
// time-out, never a thread of the daemon.
#pragma once

#include "local/identity.hpp"

#include <fairlead/base/result.hpp>
#include <fairlead/base/units.hpp>

#include <cstdint>
#include <string>

namespace fairlead::engine::slurm {

struct FilePart {
  std::string bytes;
  std::uint64_t size = 0;  ///< of the whole file when it was looked at
};

/// At most `limit` bytes from `offset`. Errors: kNotFound with the system's word, kFileFailed. Blocks up to 20 s.
[[nodiscard]] Result<FilePart> readUserFile(const local::Identity& user, const std::string& path, std::uint64_t offset,
                                            std::size_t limit);
[[nodiscard]] Result<std::uint64_t> userFileSize(const local::Identity& user, const std::string& path);
/// Makes the folder and those above it, mode 0700. Blocks up to 20 s.
[[nodiscard]] Result<void> makeUserFolder(const local::Identity& user, const std::string& path);

}  // namespace fairlead::engine::slurm
