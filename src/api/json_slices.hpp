// Pieces of JSON text, without a tree.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace fairlead::api {

/// Finds where the items of an array begin and end; what is inside them is checked by whoever decodes them. Nothing
/// when `text` is no array of objects, or holds more than `most`; `why` then says so.
[[nodiscard]] std::optional<std::vector<std::string_view>> sliceArray(std::string_view text, std::size_t most,
                                                                      std::string_view& why);

/// The object that is the value of the first top-level member `key` of an object; empty when there is none. `key` must
/// be written without escapes.
[[nodiscard]] std::string_view sliceMember(std::string_view object, std::string_view key);

}  // namespace fairlead::api
