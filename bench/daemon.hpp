// The real daemon, started as anybody would start it, with a state folder of its own.
#pragma once

#include "http_load.hpp"
#include "process.hpp"

#include <memory>
#include <string>
#include <vector>

namespace fairlead::bench {

struct DaemonSetup {
  std::filesystem::path binary;
  int devices = 1;   ///< declared h100
  int projects = 1;  ///< p0, p1 ...; whoever runs this is admin of each
  bool tcp = false;
};

/// One thread. Throws Failed with the end of the daemon's log.
class Daemon {
 public:
  explicit Daemon(DaemonSetup setup);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  /// Time from starting the program until /readyz says yes.
  std::chrono::duration<double> start(std::chrono::seconds limit = std::chrono::seconds(60));
  /// SIGTERM; throws when it needs force.
  void stop();
  [[nodiscard]] const Endpoint& unixSocket() const { return unix_; }
  [[nodiscard]] const Endpoint& tcp() const { return tcp_; }
  [[nodiscard]] const Child& process() const { return *child_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  void writeConfig() const;
  [[nodiscard]] std::string logTail() const;

  DaemonSetup setup_;
  TemporaryFolder folder_;
  Endpoint unix_, tcp_;
  std::unique_ptr<Child> child_;
};

/// Submits something that holds every device until cancelled, and waits until it runs; so that all else queues.
class Blocker {
 public:
  Blocker(const Endpoint& where, int devices);
  ~Blocker();
  Blocker(const Blocker&) = delete;
  Blocker& operator=(const Blocker&) = delete;

 private:
  Endpoint where_;
  std::string id_;
};

/// Value of a text member in a flat piece of JSON, such as `id`; empty when it is not there.
[[nodiscard]] std::string_view textMember(std::string_view json, std::string_view name);

}  // namespace fairlead::bench
