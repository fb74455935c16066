// What can be wrong with a configuration.
#pragma once

#include <fairlead/base/result.hpp>

namespace fairlead::config {

inline constexpr ErrorCode kInvalidValue{"config/invalid-value", ErrorKind::invalid,
                                         "An option has a value that it cannot have."};
inline constexpr ErrorCode kUnknownOption{"config/unknown-option", ErrorKind::invalid, "There is no such option."};
inline constexpr ErrorCode kSecretInFlag{
    "config/secret-in-flag", ErrorKind::invalid,
    "Secrets are not taken from the command line, where every process can read them."};

}  // namespace fairlead::config
