// A look at a Slurm cluster before, or while, it is connected: what is there, what is missing, and the line that helps.
#pragma once

#include <fairlead/control/ports/finding.hpp>
#include <fairlead/engine/slurm.hpp>
#include <fairlead/model/cluster.hpp>

#include <vector>

namespace fairlead::engine {

/// Reads only. Blocks for at most some calls' time-outs; what depends on something that is missing is left out.
[[nodiscard]] std::vector<control::Finding> checkSlurm(const SlurmOptions& options, const model::ClusterTerms& terms);

}  // namespace fairlead::engine
