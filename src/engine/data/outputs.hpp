// Immutable copies of what an attempt declares as its outputs.
#pragma once

#include "local/identity.hpp"

#include <fairlead/model/observation.hpp>
#include <fairlead/model/spec.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::engine::data {

/// Where copies go. A copy that is not whole yet is `.INTENT.OUTPUT`.
struct ArtifactStore {
  std::string path;        ///< absolute; the folder is there
  std::int64_t limit = 0;  ///< bytes of one output
  std::string intent;      ///< of the attempt's start
};

/// Copies each declared output into the artifact store. Files are opened with the user's rights and written with ours.
/// What cannot be taken is told in OutputArtifact::problem; the other outputs are taken nevertheless. For
/// single-threaded processes.
[[nodiscard]] std::vector<model::OutputArtifact> takeOutputs(const std::vector<model::OutputRule>& rules,
                                                             const ArtifactStore& to, const local::Identity& identity,
                                                             const std::string& workingDirectory);

/// Name of a copy in the store that is not whole yet.
[[nodiscard]] std::string halfName(const std::string& intent, const std::string& output);

/// An artifact as one text, and back; nothing when the text does not have the form.
[[nodiscard]] std::string encodeOutput(const model::OutputArtifact& output);
[[nodiscard]] std::optional<model::OutputArtifact> decodeOutput(std::string_view text);

}  // namespace fairlead::engine::data
