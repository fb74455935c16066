// Looking for bytes in JSON, sixteen and more at a time where the machine can.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fairlead::codec::slurm {

/// The first byte that is no white space, or `end`.
[[nodiscard]] const char* skipSpace(const char* at, const char* end);
/// The first quote or backslash, or `end`.
[[nodiscard]] const char* findQuote(const char* at, const char* end);

/// Where a walk over nested brackets stands; kept between pieces of a text.
struct Nesting {
  std::uint64_t depth = 0;
  bool inString = false;
  bool escaped = false;
};
/// Walks on until `nesting.depth` is zero again behind a bracket; the byte behind it, or nullptr where the piece ends
/// first. The brackets are only counted, not matched by kind.
[[nodiscard]] const char* skipNested(const char* at, const char* end, Nesting& nesting);

}  // namespace fairlead::codec::slurm
