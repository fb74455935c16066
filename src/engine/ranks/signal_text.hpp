// A signal's name for people.
#pragma once

#include <cstring>
#include <string>

namespace fairlead::engine {

/// `SIGUSR1`; `signal 34` for those without a name.
[[nodiscard]] inline std::string signalText(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

}  // namespace fairlead::engine
