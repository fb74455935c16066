// Names of Linux signals.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fairlead::codec {

/// `USR1`, `SIGUSR1` in any case, `10`; 1 to 64.
[[nodiscard]] std::optional<int> parseSignal(std::string_view text);
/// `USR1`; `34` for those without a name.
[[nodiscard]] std::string signalName(int signal);

}  // namespace fairlead::codec
