// Files and folders of users: read, copied and digested without leaving where they are said to be.
#pragma once

#include "local/identity.hpp"
#include "local/posix.hpp"

#include <fairlead/base/result.hpp>
#include <fairlead/model/spec.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace fairlead::engine::data {

using local::Fd;
using local::Identity;

/// Counts down; an error when it is used up.
struct TreeBudget {
  std::int64_t bytes = 0;
  std::int64_t entries = 1'000'000;
  std::string_view what = "it";  ///< for the message

  [[nodiscard]] Result<void> take(std::int64_t moreBytes, std::int64_t moreEntries);
};

/// Opens a plain file or folder for reading. Relative: below `base` only, through no symbolic link. Absolute: as given,
/// but for a link in the last place. `..` is refused. Never blocks on a pipe.
[[nodiscard]] Result<Fd> openBelow(const std::string& base, const std::string& path);
/// The same below an open folder.
[[nodiscard]] Result<Fd> openBelow(int folder, const std::string& path);

/// Copies an open file or folder to `folder`/`name`, made read-only. Symbolic links and special files inside are
/// refused. The source is read with the user's rights, the copy is written with ours. Nothing is left when it fails.
[[nodiscard]] Result<void> copyTree(const Fd& source, int folder, const std::string& name, const Identity& identity,
                                    TreeBudget& budget);

struct TreeDigest {
  model::Digest digest{};
  Bytes size;
};
/// SHA-256 of a file's bytes; of a folder: of its sorted lines `hex  relative/path\n`, one a file. Names with control
/// characters or backslashes are refused, so no two folders share lines.
[[nodiscard]] Result<TreeDigest> digestTree(const Fd& root, TreeBudget& budget);

}  // namespace fairlead::engine::data
