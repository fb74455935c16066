// Checks path, query and headers of a request against the declarations of its route.
#pragma once

#include "call.hpp"

#include <fairlead/base/result.hpp>

namespace fairlead::api {

/// Fills `call.params`; all that is wrong at once. `path`: values of the template's variables, in order.
[[nodiscard]] Errors takeParams(Call& call, const std::vector<std::string_view>& path);
/// The body's content type and size.
[[nodiscard]] Errors checkBody(const Call& call);

}  // namespace fairlead::api
