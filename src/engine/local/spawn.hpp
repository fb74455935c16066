// Starting supervisors from the daemon: without copying the daemon's memory, and with one ready ahead of need.
#pragma once

#include "local/posix.hpp"

#include <fairlead/base/result.hpp>

#include <deque>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace fairlead::engine::local {

/// For one thread.
class SupervisorSpawner {
 public:
  SupervisorSpawner(std::vector<std::string> argv, std::int32_t spares);
  /// Tells spares to end and waits for them.
  ~SupervisorSpawner();
  SupervisorSpawner(const SupervisorSpawner&) = delete;
  SupervisorSpawner& operator=(const SupervisorSpawner&) = delete;

  /// A supervisor for this attempt folder, in a session of its own. It is our child: wait for it when it has ended.
  [[nodiscard]] Result<pid_t> start(const std::string& attemptFolder);
  /// Brings the number of spares up, a little after the last start, so that loading one does not slow that start down.
  void refill();
  /// When refill has something to do (monotonic); nothing: it has not.
  [[nodiscard]] std::optional<Milliseconds> refillAt() const;

 private:
  struct Spare {
    pid_t pid = 0;
    Fd channel;
  };
  [[nodiscard]] Result<pid_t> spawn(const std::string& argument, int input);

  std::vector<std::string> argv_;
  std::size_t wanted_;
  std::deque<Spare> spares_;
  Milliseconds refillAt_;
};

/// What a supervisor keeps of our environment: nothing that a workload could see, as ranks get an environment of their
/// own.
[[nodiscard]] std::vector<std::string> supervisorEnvironment();
/// The small program beside ours, which loads in a tenth of the time; where only our own was copied, that.
[[nodiscard]] std::vector<std::string> supervisorProgram();

[[nodiscard]] Fd openPid(pid_t pid);

}  // namespace fairlead::engine::local
