// The local engine: real processes on this host, each attempt under a supervisor of its own that outlives the daemon.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/control/ports/engine_port.hpp>
#include <fairlead/engine/devices.hpp>
#include <fairlead/model/inventory.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fairlead::engine {

/// Severity of a line given to LocalOptions::log.
enum class LogSeverity : std::uint8_t { info, warning, error };

struct LocalOptions {
  std::string cluster = "local";
  std::string nodeName;  ///< empty: the host's name
  std::string stateDir;  ///< absolute; made when missing. Holds `attempts/` and `artifacts/`
  /// argv of a supervisor; the attempt's folder is appended. Empty: `fairlead-supervisor` beside our own
  /// program where that is there, else `/proc/self/exe supervise`.
  std::vector<std::string> supervisor;
  std::vector<model::Device> devices;  ///< declared; used beside what is found
  bool findDevices = true;             ///< look for NVIDIA, AMD and Ascend devices on the host
  DeviceRoots deviceRoots;
  MilliCpus cpus;  ///< 0: the host's
  Bytes memory;    ///< 0: the host's
  model::Labels labels;
  Bytes logSegment{16 << 20};                    ///< a log file is closed and a new one begun at this size
  std::int32_t logSegments = 8;                  ///< so many are kept per stream; older ones go
  Milliseconds logRetention{14LL * 86'400'000};  ///< how long the logs of a settled attempt stay
  Bytes artifactLimit{1LL << 40};                ///< one output may be so large
  std::string cgroupRoot = "/sys/fs/cgroup";     ///< empty: no cgroups
  std::string bootIdFile = "/proc/sys/kernel/random/boot_id";
  std::int32_t spareSupervisors = 1;       ///< started ahead of need, so that a start costs no program load
  Milliseconds inventoryInterval{60'000};  ///< devices are looked at again so often
  /// Lines for the daemon's log. May be empty. Called from the engine's thread.
  std::function<void(LogSeverity, const std::string&)> log;
};

/// What this engine can and cannot do here, for `nodes` and the log: `memory limits through cgroup v1`.
struct LocalCapabilities {
  std::string cgroup;  ///< `v1`, `v2` or empty
  bool memoryLimits = false;
  bool runsAsUsers = false;  ///< the daemon is root
};
[[nodiscard]] LocalCapabilities localCapabilities(const LocalOptions& options);

/// Does nothing before `EnginePort::start`. Thread-safe as the port says.
[[nodiscard]] std::unique_ptr<control::EnginePort> makeLocalEngine(LocalOptions options);

/// The supervisor's main function, behind `fairlead-supervisor` and the hidden subcommand `supervise`. `arguments` is
/// one attempt folder, or `-` and the folder comes as one line on standard input, or `files` and what to do with a
/// user's files comes there. Returns the process's exit code: 0 also when the attempt failed.
[[nodiscard]] int superviseMain(const std::vector<std::string>& arguments);

}  // namespace fairlead::engine
