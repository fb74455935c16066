// A cluster's nodes as ours. Pure.
#pragma once

#include "slurm/allocation.hpp"

#include <fairlead/model/inventory.hpp>

#include <string>
#include <vector>

namespace fairlead::engine::slurm {

struct ClusterInventory {
  std::vector<model::Node> nodes;   ///< ordered by name
  std::vector<DeviceKind> kinds;    ///< each once, ordered
  ClusterDevices devices;           ///< of the same nodes
  std::vector<std::string> doubts;  ///< where two sources disagree, for people
};

/// Generic resources that the accelerator table knows become devices: by type (`gpu:h100`), or by name and vendor where
/// the type tells nothing. What is not an accelerator is left out. What is in use is what Slurm says is allocated; of
/// two sources that disagree, the larger.
[[nodiscard]] ClusterInventory readInventory(const std::string& cluster, const std::vector<wire::SlurmNode>& nodes);

}  // namespace fairlead::engine::slurm
