// Event streams: from the control core's event hub to many clients.
#pragma once

#include "call.hpp"

#include <fairlead/control/control.hpp>
#include <fairlead/obs/metrics.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>

namespace fairlead::api {

/// Thread-safe.
class EventFeed {
 public:
  EventFeed(control::Control& control, std::size_t maxStreams, obs::Gauge open);

  /// Which events of which projects; an empty list: all of them.
  struct Filter {
    std::string project;                              ///< the only one; empty: see `visible`
    std::function<bool(const std::string&)> visible;  ///< by project; empty: every project
    model::WorkloadId workload;                       ///< 0: all
  };
  /// Answers the call with a stream that goes on after the event `after`, or with one `reset` event when that is too
  /// old.
  void open(const CallPtr& call, Filter filter, std::uint64_t after);
  void closeAll();
  [[nodiscard]] std::size_t count() const { return open_->load(); }

 private:
  std::shared_ptr<const std::string> render(const model::Event& event);
  void keep(const std::shared_ptr<net::EventStream>& stream);

  control::Control& control_;
  const std::size_t limit_;
  obs::Gauge gauge_;
  std::shared_ptr<std::atomic<std::size_t>> open_ = std::make_shared<std::atomic<std::size_t>>(0);
  std::mutex mutex_;
  std::uint64_t renderedSequence_ = 0;
  std::shared_ptr<const std::string> rendered_;
  std::vector<std::weak_ptr<net::EventStream>> streams_;
};

}  // namespace fairlead::api
