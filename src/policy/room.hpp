// What is free where, and whether a whole gang fits into it.
#pragma once

#include <fairlead/policy/plan.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace fairlead::policy {

/// Free capacity of one node while a plan is made.
struct NodeRoom {
  const model::Node* node = nullptr;
  std::vector<MilliDevices> free;  ///< parallel to node->devices
  MilliCpus cpus;
  Bytes memory;
};

/// One cluster's nodes, ordered by name.
struct ClusterRoom {
  std::string cluster;
  std::vector<NodeRoom> nodes;
};

/// Clusters by name, nodes by name; only nodes that may take new work. `whole`: as if nothing ran on them.
[[nodiscard]] std::vector<ClusterRoom> makeRooms(const std::vector<NodeView>& views, bool whole);

struct Placement {
  std::string cluster;
  std::vector<model::MemberPlacement> members;
};

/// A fit, or why there is none (most telling first).
struct FitResult {
  std::optional<Placement> placement;
  std::vector<model::Reason> reasons;
};

/// Clusters that a project may not use.
struct Closed {
  std::string project;
  std::vector<std::string> clusters;  ///< ordered
  [[nodiscard]] bool has(const std::string& cluster) const {
    return std::binary_search(clusters.begin(), clusters.end(), cluster);
  }
};

/// Places all roles of `spec` on one cluster that is not closed, each role on one kind of device, or nothing. Does not
/// change `rooms`.
[[nodiscard]] FitResult fitGang(const std::vector<ClusterRoom>& rooms, const model::Spec& spec,
                                const std::vector<std::string>& avoid, const Closed& closed);

/// Takes a placement out of the rooms (sign -1), or gives it back (sign +1). Places that the rooms lack are passed
/// over; free capacity never goes below zero.
void adjust(std::vector<ClusterRoom>& rooms, const std::string& cluster,
            const std::vector<model::MemberPlacement>& members, int sign);

/// `h100`, `nvidia devices`, `devices with 64GiB`, `shares of h100`: for reasons.
[[nodiscard]] std::string kindText(const model::DeviceRequest& request);

}  // namespace fairlead::policy
