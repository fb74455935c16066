// AMD through the kernel's own topology: every node with a gfx target is a device, in the order that
// ROCR_VISIBLE_DEVICES counts.
#include "devices/vendors.hpp"
#include "local/fields.hpp"
#include "local/posix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace fairlead::engine::devices {
namespace {

using Properties = std::map<std::string, std::int64_t, std::less<>>;

/// `name value` lines.
Properties parseProperties(std::string_view text) {
  Properties properties;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto space = line.find(' ');
    if (space == std::string_view::npos) continue;
    unsigned long long value = 0;  // unique_id uses all 64 bits
    const auto digits = std::string(line.substr(space + 1));
    if (std::sscanf(digits.c_str(), "%llu", &value) == 1)
      properties[std::string(line.substr(0, space))] = static_cast<std::int64_t>(value);
  }
  return properties;
}

std::int64_t get(const Properties& properties, std::string_view name) {
  const auto found = properties.find(name);
  return found == properties.end() ? 0 : found->second;
}

/// Memory of the node's banks in device memory (heap types 1 and 2: visible and not visible to the host).
std::int64_t memoryOf(const std::string& node) {
  std::int64_t total = 0;
  auto banks = local::openFolder(node + "/mem_banks");
  if (!banks) return 0;
  auto names = local::listFolder(banks->get(), 64);
  if (!names) return 0;
  for (const auto& name : *names) {
    const auto text = local::readPath(node + "/mem_banks/" + name + "/properties", 4096);
    if (!text) continue;
    const auto bank = parseProperties(*text);
    const auto heap = get(bank, "heap_type");
    const auto size = get(bank, "size_in_bytes");
    if ((heap == 1 || heap == 2) && size > 0 && size < (1LL << 60)) total += size;
  }
  return total;
}

std::string productOf(const DeviceRoots& roots, const std::string& node, const Properties& properties) {
  const auto render = get(properties, "drm_render_minor");
  for (const auto& path : {fmt::format("{}/renderD{}/device/product_name", roots.drm, render), node + "/name"}) {
    auto text = local::readPath(path, 256);
    if (!text) continue;
    while (!text->empty() && text->back() == '\n') text->pop_back();
    if (!text->empty()) return *text;
  }
  const auto version = get(properties, "gfx_target_version");  // 90402 is gfx942
  return fmt::format("gfx{}{:x}{:x}", version / 10'000, version / 100 % 100, version % 100);
}

}  // namespace

void findAmd(const DeviceRoots& roots, DeviceReport& report) {
  if (roots.kfd.empty() || ::access(roots.kfd.c_str(), F_OK) != 0) return;
  auto nodes = local::openFolder(roots.kfdTopology);
  auto names = nodes ? local::listFolder(nodes->get(), 4096) : tl::unexpected(nodes.error());
  if (!names) {
    report.problems.push_back("AMD devices are not seen: " + names.error().message);
    return;
  }
  std::sort(names->begin(), names->end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;  // numbers
  });
  std::int32_t index = 0;
  for (const auto& name : *names) {
    const auto node = roots.kfdTopology + "/" + name;
    const auto text = local::readPath(node + "/properties", 64 << 10);
    if (!text) continue;
    const auto properties = parseProperties(*text);
    if (get(properties, "simd_count") <= 0 || get(properties, "gfx_target_version") <= 0) continue;  // a processor
    model::Device device;
    device.index = index++;
    device.vendor = "amd";
    device.model = canonicalModel(productOf(roots, node, properties));
    device.memory.count = memoryOf(node);
    if (const auto id = get(properties, "unique_id"); id != 0)
      device.uuid = fmt::format("GPU-{:016x}", static_cast<std::uint64_t>(id));
    report.devices.push_back(std::move(device));
  }
}

}  // namespace fairlead::engine::devices
