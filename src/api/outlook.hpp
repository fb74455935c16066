// What waiting workloads wait for, for lists: one planning serves all of them for a moment.
#pragma once

#include <fairlead/control/control.hpp>
#include <fairlead/policy/plan.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace fairlead::api {

/// Thread-safe. Plans at most once a second, on the thread that asks.
class Outlook {
 public:
  Outlook(control::Control& control, policy::PolicyConfig config) : control_(control), config_(config) {}

  struct Picture {
    TimePoint at;
    std::unordered_map<model::WorkloadId, std::string> waitingFor;
  };
  [[nodiscard]] std::shared_ptr<const Picture> picture();
  /// A few words; empty when it does not wait. Under the lock of `state`.
  [[nodiscard]] std::string waitingFor(const Picture& picture, const control::State& state,
                                       const model::Workload& row) const;

 private:
  control::Control& control_;
  const policy::PolicyConfig config_;
  std::mutex mutex_;
  std::shared_ptr<const Picture> picture_;
};

}  // namespace fairlead::api
