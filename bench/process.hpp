// Child processes and temporary folders of a measurement.
#pragma once

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <sys/types.h>
#include <vector>

namespace fairlead::bench {

/// Ends a measurement with a sentence for people.
struct Failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Standard output of a program without its last newline; empty when it fails.
[[nodiscard]] std::string outputOf(const std::vector<std::string>& command);

/// A child that is killed with us. Not movable, so that the pid has one owner.
class Child {
 public:
  /// Output of the child goes to the end of `log`.
  Child(const std::vector<std::string>& command, const std::filesystem::path& log);
  /// Kills what still runs.
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool running();
  /// SIGTERM, and SIGKILL after `limit`. True when it ended by itself in time.
  bool end(std::chrono::seconds limit);
  /// A value of /proc/PID/status in bytes, such as `VmRSS`; 0 when it is gone.
  [[nodiscard]] std::uint64_t memory(const std::string& field) const;
  /// User and system time so far.
  [[nodiscard]] std::chrono::duration<double> cpuTime() const;

 private:
  pid_t pid_ = -1;
};

/// Under /var/tmp, which is a disk where /tmp may be memory. Removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A port of 127.0.0.1 that was free a moment ago.
[[nodiscard]] std::uint16_t freePort();

}  // namespace fairlead::bench
