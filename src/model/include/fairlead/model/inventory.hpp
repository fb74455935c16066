// Hosts and accelerators as an engine reports them.
#pragma once

#include <fairlead/base/enum_text.hpp>
#include <fairlead/base/units.hpp>
#include <fairlead/model/spec.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace fairlead::model {

/// How far shares of one device are kept apart. `hard`: hardware partitions; `soft`: a driver or library holds limits;
/// `none`: only counted.
enum class Isolation : std::uint8_t { none, soft, hard };

struct Device {
  std::int32_t index = 0;  ///< as the vendor's visible-devices variable counts it
  std::string uuid;        ///< empty where the vendor gives none
  std::string vendor;      ///< lower case: nvidia, amd, huawei
  std::string model;       ///< canonical name of the accelerator table
  Bytes memory;
  MilliDevices capacity{1000};
  Isolation shareIsolation = Isolation::none;
  bool healthy = true;
  std::string healthReason;
  bool declared = false;  ///< written in the configuration, not found on the host
  bool operator==(const Device&) const = default;
};

enum class NodeState : std::uint8_t {
  ready,
  draining,  ///< what runs may go on; nothing new
  down,      ///< positively gone
  unknown,   ///< does not answer; what runs there may be alive
};

/// What an engine says is in use on a node, by whomever. It may know of jobs that nobody else may see.
struct NodeUse {
  std::vector<MilliDevices> devices;  ///< parallel to Node::devices; empty: not told
  MilliCpus cpus;
  Bytes memory;
  bool operator==(const NodeUse&) const = default;
};

struct Node {
  std::string cluster;
  std::string name;  ///< unique in its cluster
  NodeState state = NodeState::ready;
  std::string stateReason;
  MilliCpus cpus;
  Bytes memory;
  std::vector<Device> devices;
  Labels labels;
  NodeUse used;
  bool operator==(const Node&) const = default;
};

/// One row of the accelerator table (data/accelerators.csv; the source of each row stands there).
struct AcceleratorModel {
  std::string_view vendor;           ///< lower case: nvidia, amd, huawei ...
  std::string_view name;             ///< canonical, lower case: h100, mi300x, ascend-910b
  std::string_view productText;      ///< as the vendor prints it
  std::int64_t memoryGib = 0;        ///< nominal, 0 where not public
  std::string_view visibleVariable;  ///< what a process reads to see only its devices (CUDA_VISIBLE_DEVICES)
  std::string_view stack;            ///< cuda, rocm, cann ...
  std::string_view family;  ///< a family that the name does not show by a `-`: ascend-910b of ascend-910b3; else empty
};

}  // namespace fairlead::model

namespace fairlead {
template <>
inline constexpr auto kEnumNames<model::Isolation> = std::to_array<std::pair<model::Isolation, std::string_view>>(
    {{model::Isolation::none, "none"}, {model::Isolation::soft, "soft"}, {model::Isolation::hard, "hard"}});
template <>
inline constexpr auto kEnumNames<model::NodeState> = std::to_array<std::pair<model::NodeState, std::string_view>>({
    {model::NodeState::ready, "ready"},
    {model::NodeState::draining, "draining"},
    {model::NodeState::down, "down"},
    {model::NodeState::unknown, "unknown"},
});
}  // namespace fairlead
