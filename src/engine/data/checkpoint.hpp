// Which checkpoint is the newest one that is whole.
#pragma once

#include <fairlead/base/units.hpp>
#include <fairlead/model/spec.hpp>

#include <string>

namespace fairlead::engine::data {

struct FoundCheckpoint {
  std::string path;     ///< absolute; empty: none is valid
  TimePoint completed;  ///< when it became whole
};

/// Looks at the entries of the rule's folder, newest first, and returns the first valid one. Call as the user whose
/// files they are. Symbolic links are not followed out of the folder; sizes and counts are bounded. An entry's time is
/// that of its marker or manifest, else the newest of the files directly in it; equal times are ordered by name.
[[nodiscard]] FoundCheckpoint newestCheckpoint(const model::CheckpointRule& rule, const std::string& workingDirectory);

}  // namespace fairlead::engine::data
