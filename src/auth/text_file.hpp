// Reads a file that says who may do what.
#pragma once

#include <fairlead/base/result.hpp>

#include <string>

namespace fairlead::auth {

/// The whole regular file, at most `limit` bytes. Refused when its mode has one of `forbidden` (022: writable by others
/// than the owner). Errors: kFileNotRead, kFileUnsafe.
[[nodiscard]] Result<std::string> readTextFile(const std::string& path, std::size_t limit, unsigned forbidden);

}  // namespace fairlead::auth
