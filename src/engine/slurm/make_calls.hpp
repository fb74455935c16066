// Which way to a cluster its options ask for.
#pragma once

#include "slurm/calls.hpp"

#include <fairlead/engine/slurm.hpp>

#include <memory>

namespace fairlead::engine::slurm {

/// Error: kSlurmOptions. Nothing is asked yet.
[[nodiscard]] Result<std::unique_ptr<SlurmCalls>> makeCalls(const SlurmOptions& options);

}  // namespace fairlead::engine::slurm
