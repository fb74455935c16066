// Which texts may be names.
#pragma once

#include <string_view>

namespace fairlead::auth {

/// Of a project or token: 1-63 of a-z 0-9 - . _, beginning and ending with a letter or digit.
[[nodiscard]] bool isPlainName(std::string_view name);
/// Of a user or group as the machine or a directory server names them: 1-256 bytes of UTF-8 without control characters,
/// spaces, and not beginning with `-`.
[[nodiscard]] bool isPrincipalName(std::string_view name);
/// Of a Unix user to run as: what useradd takes; never a number, which would be taken for a uid.
[[nodiscard]] bool isUnixName(std::string_view name);

}  // namespace fairlead::auth
