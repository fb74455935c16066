#include "devices/vendors.hpp"

#include <fairlead/model/accelerators.hpp>

#include <algorithm>
#include <tuple>

namespace fairlead::engine {
namespace devices {

std::string canonicalModel(std::string_view productText) {
  if (const auto* row = model::findAccelerator(productText)) return std::string(row->name);
  std::string name;
  for (const char c : productText) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
    if (c >= 'A' && c <= 'Z')
      name += static_cast<char>(c - 'A' + 'a');
    else if (letter)
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "unknown" : name;
}

}  // namespace devices

DeviceReport findDevices(const DeviceRoots& roots) {
  DeviceReport report;
  devices::findNvidia(roots, report);
  devices::findAmd(roots, report);
  devices::findAscend(roots, report);
  std::sort(report.devices.begin(), report.devices.end(), [](const model::Device& a, const model::Device& b) {
    return std::tie(a.vendor, a.index) < std::tie(b.vendor, b.index);
  });
  return report;
}

}  // namespace fairlead::engine
