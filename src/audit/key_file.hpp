// The signing key's file: read and made with care for who else may see it.
#pragma once

#include <fairlead/base/result.hpp>

#include <string>
#include <string_view>

namespace fairlead::audit {

/// The whole file, at most 16 KiB; refused unless regular, of this user or root, and closed to group and others.
[[nodiscard]] Result<std::string> readKeyFile(const std::string& path);
/// Makes the file with mode 0600 and flushes it and its folder. Refused when it exists; removed again on failure.
[[nodiscard]] Result<void> writeKeyFile(const std::string& path, std::string_view content);

}  // namespace fairlead::audit
