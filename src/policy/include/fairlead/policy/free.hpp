// What is free on a node, when a member comes or goes.
#pragma once

#include <fairlead/base/units.hpp>
#include <fairlead/model/inventory.hpp>
#include <fairlead/model/workload.hpp>

#include <vector>

namespace fairlead::policy {

/// Takes what `member` holds on `node` out of what is free there (sign -1), or gives it back (sign +1). A device is its
/// vendor and index. Devices that the node lacks are passed over; nothing goes below zero. `free` is parallel to
/// node.devices.
void adjustFree(const model::Node& node, std::vector<MilliDevices>& free, MilliCpus& cpus, Bytes& memory,
                const model::MemberPlacement& member, int sign);

}  // namespace fairlead::policy
