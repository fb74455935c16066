// Evidence of the out-of-memory killer where there is no control group.
#pragma once

#include "local/posix.hpp"

#include <sys/types.h>

namespace fairlead::engine::local {

/// Reads what is new in the kernel's log; true when a line says that the kernel killed this process for want of memory.
[[nodiscard]] bool kernelKilled(const Fd& kernelLog, pid_t pid);

}  // namespace fairlead::engine::local
