// Devices in the few words of a table cell.
#pragma once

#include <fairlead/model/workload.hpp>

#include <string>

namespace fairlead::api {

/// What a spec asks for, its first alternative in all roles: `32 h100`, `0.5 h100`, `4 nvidia`, `2 devices`; empty
/// without devices.
[[nodiscard]] std::string wantedDevicesText(const model::Spec& spec);
/// What it asks for in milli-devices, first alternative.
[[nodiscard]] MilliDevices wantedDevices(const model::Spec& spec);
/// What an attempt holds: `16 h100 + 4 l40s`.
[[nodiscard]] std::string placedDevicesText(const std::vector<model::MemberPlacement>& placement);

}  // namespace fairlead::api
