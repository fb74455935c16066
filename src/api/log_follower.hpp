// Followed logs: one thread reads on where each client stands.
#pragma once

#include "call.hpp"

#include <fairlead/control/control.hpp>
#include <fairlead/obs/metrics.hpp>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace fairlead::api {

/// Thread-safe.
class LogFollower {
 public:
  LogFollower(control::Control& control, std::size_t limit, Milliseconds poll, obs::Gauge open);
  ~LogFollower() { stop(); }

  struct Order {
    model::WorkloadId workload;
    control::LogQuery query;  ///< attempt 0: waits for the workload's next attempt
    bool events = false;      ///< as server-sent events with the offset as id, else as plain bytes
  };
  /// Answers the call with a stream that ends with the attempt.
  void follow(const CallPtr& call, Order order);
  void closeAll();
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  struct Follower {
    std::shared_ptr<net::EventStream> stream;
    Order order;
    Clock::time_point next;
    Clock::duration pause{};
  };
  enum class Progress : std::uint8_t { grew, idle, over };

  void run();
  Progress advance(Follower& follower);
  bool findAttempt(Follower& follower, bool& over) const;
  [[nodiscard]] bool attemptOver(model::AttemptId attempt) const;

  control::Control& control_;
  const std::size_t limit_;
  const Clock::duration poll_;
  obs::Gauge gauge_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::unique_ptr<Follower>> arrived_;
  std::size_t open_ = 0;
  bool stopping_ = false;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace fairlead::api
