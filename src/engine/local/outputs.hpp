// Immutable copies of what an attempt declares as its outputs.
#pragma once

#include "local/identity.hpp"
#include "local/launch_order.hpp"

#include <fairlead/model/observation.hpp>

#include <string>
#include <vector>

namespace fairlead::engine::local {

/// Copies each declared output into the artifact store. Files are opened with the user's rights and written with ours.
/// What cannot be taken is told in OutputArtifact::problem; the other outputs are taken nevertheless.
[[nodiscard]] std::vector<model::OutputArtifact> takeOutputs(const LaunchOrder& order, const Identity& identity,
                                                             const std::string& workingDirectory);

}  // namespace fairlead::engine::local
