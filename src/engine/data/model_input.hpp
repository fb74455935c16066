// The model version that an attempt reads.
#pragma once

#include "local/fields.hpp"
#include "local/identity.hpp"

#include <cstdint>
#include <string>

namespace fairlead::engine::data {

struct ModelInput {
  std::string path;        ///< absolute
  std::string digest;      ///< hexadecimal
  std::int64_t limit = 0;  ///< bytes
};

/// Reads the model whole, with the user's rights, and compares its digest. Field `problem` says what is wrong, and is
/// missing when the bytes are exactly those of the version; `absent` is there beside it when the path cannot be opened.
/// For single-threaded processes: the user's identity is kept.
[[nodiscard]] local::Fields verifyModel(const ModelInput& model, const local::Identity& identity);

}  // namespace fairlead::engine::data
