// Sums are made in 128 bits; what leaves is 64. Real clusters stay far below; absurd rows must not end the process.
#pragma once

#include <fairlead/base/units.hpp>

#include <algorithm>
#include <limits>

namespace fairlead::ledger {

[[nodiscard]] inline std::int64_t saturated(Int128 value) {
  constexpr Int128 kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(value, -kMost, kMost));
}

}  // namespace fairlead::ledger
