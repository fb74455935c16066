// Which devices Slurm's texts mean, and what a job was given. Pure.
#pragma once

#include "slurm/submission.hpp"

#include <fairlead/model/workload.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fairlead::engine::slurm {

/// The kind that a resource is; nothing for what is no accelerator.
[[nodiscard]] std::optional<DeviceKind> deviceKindOf(const wire::GresEntry& gres);

/// A node's devices as Slurm names them: `IDX:2` of `gpu` is the third device whose gresName is `gpu`.
struct NodeDevices {
  std::vector<DeviceKind> kinds;     ///< parallel to model::Node::devices
  std::vector<MilliDevices> used;    ///< the same: in use by the last reading of nodes; empty: not told
  std::int64_t shardsPerDevice = 0;  ///< what its `shard` resource makes of each; 0: it has none
};
using ClusterDevices = std::map<std::string, NodeDevices, std::less<>>;

/// True where both name the same devices, whatever is in use.
[[nodiscard]] bool sameDevices(const ClusterDevices& a, const ClusterDevices& b);

/// Adds to `taken` (parallel to the node's devices) what `gres` names. Where it names no index, or one that the node
/// has not: so many by count, first of those in use, none that is taken already.
void takeDevices(const std::vector<wire::GresEntry>& gres, const NodeDevices& node, std::vector<MilliDevices>& taken);

/// Accelerators of `gres/...` counts, each once: those of a type, then what is left without one.
[[nodiscard]] std::vector<wire::GresEntry> deviceCounts(const wire::Tres& tres);

/// What a job holds, or held last: one component.
struct Allocation {
  std::vector<std::string> nodes;
  std::vector<wire::NodeGres> gres;  ///< parallel to `nodes`; empty: only the counts below are known
  wire::Tres counts;                 ///< over all nodes

  bool operator==(const Allocation&) const = default;
};

/// Per node of the allocation what it has of the node's devices, parallel to them. Counts are spread evenly over the
/// nodes that have such devices.
struct NodeShare {
  std::string node;
  NodeDevices devices;  ///< of a node that is not known: what must be there
  std::vector<MilliDevices> taken;
};
[[nodiscard]] std::vector<NodeShare> sharesOf(const Allocation& allocation, const ClusterDevices& cluster);

/// One member for each node and kind of device; CPUs and memory of a node go to its first one. Ranks count the members.
[[nodiscard]] std::vector<model::MemberPlacement> placementOf(const Allocation& allocation,
                                                              const ClusterDevices& cluster);

/// The members of an attempt of ours where Slurm put them: `roles[i]` is in `components[i]`. Empty where that cannot be
/// told: then it is as planned.
[[nodiscard]] std::vector<model::MemberPlacement> placementOf(const std::vector<RoleShape>& roles,
                                                              const std::vector<Allocation>& components,
                                                              const ClusterDevices& cluster);

}  // namespace fairlead::engine::slurm
