// Which accelerators this host has, as far as its drivers tell.
#pragma once

#include <fairlead/model/inventory.hpp>

#include <string>
#include <vector>

namespace fairlead::engine {

/// Where to look. The defaults are the host's; tests give folders of their own.
struct DeviceRoots {
  std::string nvml = "libnvidia-ml.so.1";  ///< loaded at run time; empty: not looked for
  std::string kfd = "/dev/kfd";
  std::string kfdTopology = "/sys/class/kfd/kfd/topology/nodes";
  std::string drm = "/sys/class/drm";
  std::string dev = "/dev";        ///< holds davinci0, davinci1 ...
  std::string npuSmi = "npu-smi";  ///< a program; found through PATH; empty: not asked
};

struct DeviceReport {
  std::vector<model::Device> devices;  ///< ordered by vendor, then index
  std::vector<std::string> problems;   ///< what could not be read, for people
};

/// Never throws, never takes longer than a few seconds. Not thread-safe in itself (drivers), so call from one thread.
[[nodiscard]] DeviceReport findDevices(const DeviceRoots& roots);

}  // namespace fairlead::engine
