// The one entry of policy: what to start now, and for the rest, why not.
#pragma once

#include <fairlead/base/units.hpp>
#include <fairlead/model/cluster.hpp>
#include <fairlead/model/inventory.hpp>
#include <fairlead/model/reason.hpp>
#include <fairlead/model/workload.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fairlead::policy {

/// A node as the planner sees it: what it has, and what nobody holds.
struct NodeView {
  model::Node node;
  std::vector<MilliDevices> deviceFree;  ///< parallel to node.devices; 0 for unhealthy ones
  MilliCpus cpusFree;
  Bytes memoryFree;
};

/// A workload, or the waiting rest of an array, that may start as soon as there is room: not held, no open dependency,
/// begin time and back-off over.
struct QueueEntry {
  model::WorkloadId workload;
  std::string project;
  std::int32_t priority = 0;
  TimePoint queuedAt;
  model::SpecPtr spec;
  std::vector<std::string> avoidNodes;
  std::int32_t elementsWaiting = 1;  ///< of an array: elements not started yet
  std::int32_t elementsRunning = 0;  ///< of an array: elements alive, against its `parallel`
};

/// An attempt that holds devices.
struct RunningEntry {
  model::WorkloadId workload;
  std::string project;
  std::string cluster;
  std::vector<model::MemberPlacement> placement;
  TimePoint endsBy;  ///< start plus time limit; 0: no limit
};

/// What may be done on a cluster. One that has no entry takes everything that fits now.
struct ClusterEntry {
  std::string name;
  model::ClusterTerms terms;
  std::int32_t waiting = 0;  ///< attempts that were handed over and have not started
};

/// What policy reads: a consistent, immutable picture. Lists are in no promised order; `plan` orders what it must.
struct Snapshot {
  std::uint64_t revision = 0;
  std::vector<NodeView> nodes;
  std::vector<QueueEntry> queue;  ///< the first PolicyConfig::depth of the whole queue, by priority, then age
  std::size_t queueLength = 0;    ///< of the whole queue
  std::vector<RunningEntry> running;
  std::vector<ClusterEntry> clusters = {};
};

struct PolicyConfig {
  std::size_t depth = 1'000;  ///< how many queue entries one planning looks at
  Milliseconds reserveAfter{
      300'000};  ///< a blocked workload that has waited so long gets a reservation: nothing behind it may delay it
  std::size_t placementsPerPlan = 256;  ///< at most so many starts in one plan, so that a commit stays small
};

/// One verdict on one workload (or one element of an array).
struct Decision {
  model::WorkloadId workload;
  model::Verdict verdict = model::Verdict::notNow;
  std::size_t position = 0;                       ///< 1-based in the order of this plan
  std::string cluster;                            ///< when placed
  std::vector<model::MemberPlacement> placement;  ///< where the engine's own queue decides, nodes are `?1`, `?2`
  std::vector<model::Reason> reasons;             ///< most telling first; when placed: why here
  TimePoint estimatedStart;                       ///< 0: unknown
};

struct Plan {
  std::vector<Decision> decisions;  ///< in planning order; an array may have several placed ones
  std::optional<model::WorkloadId> reservedFor;
};

/// Pure and deterministic. Order: priority (higher first), then age, then id. Each workload whole or not at all. The
/// first blocked one that has waited `reserveAfter` gets a reservation; later ones start only where they cannot delay
/// it.
[[nodiscard]] Plan plan(const Snapshot& snapshot, const PolicyConfig& config, TimePoint now);

/// Who holds devices that the workload could use, soonest end first (0 last).
struct Holder {
  model::WorkloadId workload;
  std::string project;
  MilliDevices devices;
  TimePoint endsBy;
};

struct Explanation {
  Decision decision;
  std::vector<Holder> holders;
  std::optional<model::WorkloadId> reservedFor;
};

/// The verdict of `plan` on one workload of the snapshot, with who is in its way. Nothing when it is not in the
/// snapshot's queue.
[[nodiscard]] std::optional<Explanation> explain(const Snapshot& snapshot, const PolicyConfig& config,
                                                 model::WorkloadId workload, TimePoint now);

}  // namespace fairlead::policy
