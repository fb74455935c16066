// Runs a function in a child process: for what changes the process itself (user, mounts, limits, sudden death).
#pragma once

#include <functional>
#include <string>

namespace fairlead::store {

/// The text that `work` returned in a forked child; "child died" when it did not return. Call it before threads are
/// started.
[[nodiscard]] std::string inChild(const std::function<std::string()>& work);

}  // namespace fairlead::store
