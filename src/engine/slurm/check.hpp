// The look itself, over calls that a test may make.
#pragma once

#include "slurm/calls.hpp"

#include <fairlead/engine/slurm_check.hpp>

#include <vector>

namespace fairlead::engine::slurm {

[[nodiscard]] std::vector<control::Finding> check(SlurmCalls& calls, const SlurmOptions& options,
                                                  const model::ClusterTerms& terms);

}  // namespace fairlead::engine::slurm
