// The items of a JSON array as pieces of its text, without a tree.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace fairlead::api {

/// Finds where items begin and end; what is inside them is checked by whoever decodes them. Nothing when `text` is no
/// array of objects, or holds more than `most`; `why` then says so.
[[nodiscard]] std::optional<std::vector<std::string_view>> sliceArray(std::string_view text, std::size_t most,
                                                                      std::string_view& why);

}  // namespace fairlead::api
