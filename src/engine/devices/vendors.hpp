// The vendors that findDevices asks, each on its own.
#pragma once

#include <fairlead/engine/devices.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace fairlead::engine::devices {

void findNvidia(const DeviceRoots& roots, DeviceReport& report);
void findAmd(const DeviceRoots& roots, DeviceReport& report);
void findAscend(const DeviceRoots& roots, DeviceReport& report);

/// The canonical name of the accelerator table for what a driver prints; where the table has none, the text itself in
/// lower case with dashes, so that two unlike devices never share a name.
[[nodiscard]] std::string canonicalModel(std::string_view productText);

}  // namespace fairlead::engine::devices
