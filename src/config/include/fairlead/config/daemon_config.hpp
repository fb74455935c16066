// What can be set for the daemon, as plain values. The declarations behind them are in daemon_config.cpp, one line
// each.
#pragma once

#include <fairlead/base/units.hpp>
#include <fairlead/config/resolve.hpp>

#include <string>
#include <vector>

namespace fairlead::config {

/// Accelerators that are declared, not found.
struct DeclaredDevices {
  std::string vendor;
  std::string model;  ///< a name of the accelerator table
  std::int64_t count = 0;
  Bytes memory;  ///< per device; 0: as the accelerator table says
};

/// Every path is as given or made absolute by its source; empty: not set.
struct DaemonConfig {
  std::string stateDirectory;
  std::string projects;  ///< file of projects, members, roles
  std::string prices;    ///< file of prices
  std::string clusters;  ///< folder of cluster documents

  struct Store {
    std::string kind;  ///< sqlite or memory
    std::string path;
  } store;

  struct Listen {
    std::string unixSocket;
    std::string tcp;             ///< address:port; empty: none
    std::string tlsCertificate;  ///< PEM; both or none
    std::string tlsKey;
    std::string tokens;  ///< file of bearer tokens (digests)
  } listen;

  struct Http {
    std::int64_t ioThreads = 0;
    std::int64_t workers = 0;
    std::int64_t maxConnections = 0;
    Bytes maxBody;
    Milliseconds headerTimeout;
    Milliseconds bodyTimeout;
    Milliseconds idleTimeout;
    Milliseconds writeTimeout;
    Milliseconds streamHeartbeat;
    Bytes streamQueue;
  } http;

  struct Policy {
    std::int64_t depth = 0;
    Milliseconds reserveAfter;
    std::int64_t startsPerPlan = 0;
  } policy;

  struct Control {
    Milliseconds planInterval;
    Milliseconds engineRetry;
    std::int64_t eventsInMemory = 0;
    std::int64_t eventsKept = 0;
    Milliseconds idempotencyKept;
    std::int64_t inboxLimit = 0;
  } control;

  struct Audit {
    std::string key;
    std::int64_t checkpointEvery = 0;
  } audit;

  struct LocalEngine {
    bool enabled = true;
    std::string cluster;  ///< its name as a cluster
    bool discover = true;
    std::vector<DeclaredDevices> devices;
    std::int64_t cpus = 0;  ///< 0: all of this host
    Bytes memory;           ///< 0: all of this host
    Bytes logBytes;
    std::int64_t logFiles = 0;
  } local;

  struct Log {
    std::string level;
    std::string format;
    std::string file;
  } log;
};

/// The declarations, in the order of the documentation.
[[nodiscard]] std::vector<OptionDef> daemonOptions();
/// `settings` come from resolve(daemonOptions(), ...).
[[nodiscard]] DaemonConfig daemonConfig(const Settings& settings);
/// Both steps, and the rules between options.
[[nodiscard]] Checked<DaemonConfig> loadDaemonConfig(const Inputs& inputs);

}  // namespace fairlead::config
