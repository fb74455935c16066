// The numbers that a training leaves beside its model.
#pragma once

#include <fairlead/base/result.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairlead::engine::data {

inline constexpr std::size_t kMetricsBytes = 1 << 20;
inline constexpr std::size_t kMetricsCount = 1'000;

/// The numbers of a flat JSON object by name, each exactly as written (`0.1` stays `0.1`), sorted by name. Members that
/// are no numbers are left out; anything but an object, and more than kMetricsCount numbers, is an error.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> parseMetrics(std::string_view json);

}  // namespace fairlead::engine::data
