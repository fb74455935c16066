// What can go wrong in obs.
#pragma once

#include <fairlead/base/result.hpp>

namespace fairlead::obs {

inline constexpr ErrorCode kLogFileNotOpened{"obs/log-file-not-opened", ErrorKind::unavailable,
                                             "The log file cannot be opened for writing."};

}  // namespace fairlead::obs
