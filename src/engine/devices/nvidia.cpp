// NVML through dlopen, so that one binary runs on hosts with and without the driver.
#include "devices/vendors.hpp"

#include <fairlead/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <dlfcn.h>
#include <memory>

namespace fairlead::engine::devices {
namespace {

// The part of NVML's stable C interface that is used; nvmlReturn_t 0 is success.
using Handle = void*;
struct Memory {
  unsigned long long total = 0, free = 0, used = 0;
};
constexpr int kSuccess = 0;
constexpr int kNotFound = 9;  ///< NVML_ERROR_DRIVER_NOT_LOADED: a host without the device
constexpr unsigned kMaxDevices = 1024;
constexpr unsigned kTextBytes = 96;

struct Nvml {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*handle)(unsigned, Handle*) = nullptr;
  int (*name)(Handle, char*, unsigned) = nullptr;
  int (*uuid)(Handle, char*, unsigned) = nullptr;
  int (*memory)(Handle, Memory*) = nullptr;
  int (*migMode)(Handle, unsigned*, unsigned*) = nullptr;  ///< missing in old drivers
};

template <class Function>
bool load(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

bool loadAll(void* library, Nvml& nvml) {
  (void)load(library, "nvmlDeviceGetMigMode", nvml.migMode);
  return load(library, "nvmlInit_v2", nvml.init) && load(library, "nvmlShutdown", nvml.shutdown) &&
         load(library, "nvmlDeviceGetCount_v2", nvml.count) &&
         load(library, "nvmlDeviceGetHandleByIndex_v2", nvml.handle) && load(library, "nvmlDeviceGetName", nvml.name) &&
         load(library, "nvmlDeviceGetUUID", nvml.uuid) && load(library, "nvmlDeviceGetMemoryInfo", nvml.memory);
}

model::Device unhealthy(unsigned index, const std::string& reason) {
  model::Device device;
  device.index = static_cast<std::int32_t>(index);
  device.vendor = "nvidia";
  device.model = "unknown";
  device.healthy = false;
  device.healthReason = reason;
  return device;
}

model::Device readDevice(const Nvml& nvml, unsigned index) {
  Handle handle = nullptr;
  if (const int code = nvml.handle(index, &handle); code != kSuccess)
    return unhealthy(index, fmt::format("NVML gives no handle for it (error {})", code));
  char name[kTextBytes] = {}, uuid[kTextBytes] = {};
  Memory memory;
  const int named = nvml.name(handle, name, kTextBytes - 1);
  const int identified = nvml.uuid(handle, uuid, kTextBytes - 1);
  const int measured = nvml.memory(handle, &memory);
  auto device = unhealthy(index, "");
  device.model = named == kSuccess ? canonicalModel(name) : "unknown";
  device.uuid = identified == kSuccess ? printable(uuid) : "";
  device.memory.count = static_cast<std::int64_t>(std::min(memory.total, 1ULL << 60));
  device.healthy = named == kSuccess && identified == kSuccess && measured == kSuccess;
  if (!device.healthy)
    device.healthReason = fmt::format("NVML cannot read it (errors {}, {}, {})", named, identified, measured);
  unsigned current = 0, pending = 0;
  if (nvml.migMode != nullptr && nvml.migMode(handle, &current, &pending) == kSuccess && current == 1) {
    // A card cut into MIG instances is not usable whole, and its instances have no index of their own.
    device.healthy = false;
    device.healthReason = "it is cut into MIG instances, which this engine does not hand out yet";
  }
  return device;
}

}  // namespace

void findNvidia(const DeviceRoots& roots, DeviceReport& report) {
  if (roots.nvml.empty()) return;
  // Never closed: the driver's threads may outlive a handle.
  void* library = ::dlopen(roots.nvml.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;  // no driver, no devices
  Nvml nvml;
  if (!loadAll(library, nvml)) {
    report.problems.push_back(roots.nvml + " lacks functions of NVML; NVIDIA devices are not seen");
    return;
  }
  if (const int code = nvml.init(); code != kSuccess) {
    if (code != kNotFound)
      report.problems.push_back(fmt::format("NVML does not start (error {}); NVIDIA devices are not seen", code));
    return;
  }
  unsigned count = 0;
  if (const int code = nvml.count(&count); code != kSuccess)
    report.problems.push_back(fmt::format("NVML does not count its devices (error {})", code));
  else
    for (unsigned index = 0; index < std::min(count, kMaxDevices); ++index)
      report.devices.push_back(readDevice(nvml, index));
  nvml.shutdown();
}

}  // namespace fairlead::engine::devices
