// Names, folders, variables and log files of a batch script's workload.
#pragma once

#include "sbatch_request.hpp"

namespace fairlead::codec {

/// A name made of what --job-name or the script is called.
[[nodiscard]] std::string sbatchName(SbatchWork& work);
[[nodiscard]] std::string sbatchDirectory(SbatchWork& work);
[[nodiscard]] model::LogFiles sbatchLogs(SbatchWork& work);

struct SbatchCounts {
  std::int64_t nodes = 1;
  std::int64_t tasksPerNode = 1;
  std::int64_t devices = 0;
};
/// What --export carries, and the variables of Slurm that are known before the start.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> sbatchEnvironment(SbatchWork& work,
                                                                                 const SbatchCounts& counts);

}  // namespace fairlead::codec
