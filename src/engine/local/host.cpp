#include "local/local_engine.hpp"

#include <algorithm>
#include <iterator>
#include <sys/sysinfo.h>
#include <tuple>
#include <unistd.h>

namespace fairlead::engine::local {
namespace {

/// Declared devices stand for what is found under the same vendor and index.
void mergeDevices(std::vector<model::Device>& found, const std::vector<model::Device>& declared) {
  for (auto device : declared) {
    device.declared = true;
    const auto same = [&](const model::Device& d) { return d.vendor == device.vendor && d.index == device.index; };
    std::erase_if(found, same);
    found.push_back(std::move(device));
  }
  std::sort(found.begin(), found.end(), [](const model::Device& a, const model::Device& b) {
    return std::tie(a.vendor, a.index) < std::tie(b.vendor, b.index);
  });
}

}  // namespace

model::Node readHost(const LocalOptions& options, std::vector<std::string>& problems) {
  model::Node node;
  node.cluster = options.cluster;
  node.name = options.nodeName;
  node.labels = options.labels;
  node.cpus = options.cpus.count > 0 ? options.cpus : MilliCpus{std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)) * 1000};
  struct sysinfo info{};
  if (options.memory.count > 0)
    node.memory = options.memory;
  else if (::sysinfo(&info) == 0)
    node.memory = {static_cast<std::int64_t>(info.totalram) * info.mem_unit};
  if (options.findDevices) {
    auto report = engine::findDevices(options.deviceRoots);
    node.devices = std::move(report.devices);
    std::move(report.problems.begin(), report.problems.end(), std::back_inserter(problems));
  }
  mergeDevices(node.devices, options.devices);
  return node;
}

}  // namespace fairlead::engine::local
