// What can go wrong in auth.
#pragma once

#include <fairlead/base/result.hpp>

namespace fairlead::auth {

inline constexpr ErrorCode kUnknownUser{"auth/unknown-user", ErrorKind::denied,
                                        "The calling user is not known to this machine."};
inline constexpr ErrorCode kUserLookupFailed{"auth/user-lookup-failed", ErrorKind::unavailable,
                                             "The machine's user database does not answer."};
/// One code and one text for a token that is unknown, expired or malformed: which of them is nobody's business.
inline constexpr ErrorCode kTokenRefused{"auth/token-refused", ErrorKind::denied, "The token is not accepted."};
inline constexpr ErrorCode kFileNotRead{"auth/file-not-read", ErrorKind::unavailable, "The file cannot be read."};
inline constexpr ErrorCode kFileUnsafe{"auth/file-unsafe", ErrorKind::invalid,
                                       "The file can be changed by others, who could give themselves any right."};
inline constexpr ErrorCode kProjectInvalid{"auth/project-invalid", ErrorKind::invalid, "The project is not valid."};
inline constexpr ErrorCode kTokenInvalid{"auth/token-invalid", ErrorKind::invalid, "The token entry is not valid."};

}  // namespace fairlead::auth
