// Opaque cursors: where a list goes on, bound to the list and its filters.
#pragma once

#include "call.hpp"

#include <cstdint>
#include <string>

namespace fairlead::api {

/// Of `call`'s list, with its filters, after the item numbered `position`.
[[nodiscard]] std::string makeCursor(const Call& call, std::uint64_t position);
/// The position of the call's cursor; 0 without one. Error kBadCursor: not made by makeCursor, or for another list or
/// other filters.
[[nodiscard]] Result<std::uint64_t> takeCursor(const Call& call);

}  // namespace fairlead::api
