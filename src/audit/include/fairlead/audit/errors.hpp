// What can go wrong in audit.
#pragma once

#include <fairlead/base/result.hpp>

namespace fairlead::audit {

inline constexpr ErrorCode kKeyMissing{"audit/key-missing", ErrorKind::unavailable,
                                       "The file of the audit signing key does not exist."};
inline constexpr ErrorCode kKeyExists{"audit/key-exists", ErrorKind::conflict,
                                      "There is already a file where the audit signing key would be made."};
inline constexpr ErrorCode kKeyNotWritten{"audit/key-not-written", ErrorKind::unavailable,
                                          "The audit signing key cannot be written."};
inline constexpr ErrorCode kKeyNotRead{"audit/key-not-read", ErrorKind::unavailable,
                                       "The audit signing key cannot be read."};
inline constexpr ErrorCode kKeyUnsafe{"audit/key-unsafe", ErrorKind::invalid,
                                      "The file of the audit signing key is open to others."};
inline constexpr ErrorCode kKeyInvalid{"audit/key-invalid", ErrorKind::invalid, "This is not an Ed25519 key in PEM."};

}  // namespace fairlead::audit
