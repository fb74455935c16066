// The model version that an attempt reads.
#pragma once

#include "local/fields.hpp"
#include "local/identity.hpp"
#include "local/launch_order.hpp"

namespace fairlead::engine::local {

/// Reads the model whole, with the user's rights, and compares its digest. Field `problem` says what is wrong, and is
/// missing when the bytes are exactly those of the version.
[[nodiscard]] Fields verifyModel(const LaunchOrder& order, const Identity& identity);

}  // namespace fairlead::engine::local
