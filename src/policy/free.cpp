#include <fairlead/policy/free.hpp>

#include <algorithm>

namespace fairlead::policy {
namespace {

template <class Unit>
void adjust(Quantity<Unit>& free, Quantity<Unit> held, int sign) {
  free.count = std::max<std::int64_t>(0, free.count + sign * held.count);
}

}  // namespace

void adjustFree(const model::Node& node, std::vector<MilliDevices>& free, MilliCpus& cpus, Bytes& memory,
                const model::MemberPlacement& member, int sign) {
  for (const auto& slice : member.devices)
    for (std::size_t i = 0; i < free.size(); ++i)
      if (node.devices[i].vendor == member.vendor && node.devices[i].index == slice.index)
        adjust(free[i], slice.milli, sign);
  adjust(cpus, member.cpus, sign);
  adjust(memory, member.memory, sign);
}

}  // namespace fairlead::policy
