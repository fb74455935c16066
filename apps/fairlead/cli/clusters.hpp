// What `get clusters` and `clusters get` share.
#pragma once

#include "context.hpp"

namespace fairlead::cli {

[[nodiscard]] Exit getClusters(const Context& context);

}  // namespace fairlead::cli
