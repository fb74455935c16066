// Live events to many listeners, in order, without gaps.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/control/ports/store_port.hpp>
#include <fairlead/model/records.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace fairlead::control {

/// Called with each matching event, in rising order, from whichever thread publishes or subscribes, never from two at
/// once for one listener; must be quick. False: the listener is gone and is dropped. An event with sequence 0 only asks
/// whether it is still there.
using EventListener = std::function<bool(const model::Event&)>;

enum class SubscribeOutcome : std::uint8_t {
  live,    ///< all events after the asked one were given or will be
  tooOld,  ///< events after the asked one are already gone: the client must read the state again
};

/// Thread-safe.
class EventHub {
 public:
  /// Keeps the newest `kept` events in memory; older ones are read from the store while it has them.
  EventHub(StorePort& store, std::size_t kept);

  /// Control thread, after the commit.
  void publish(const std::vector<model::Event>& events);
  /// `project` empty: all projects. `after`: sequence of the last event the client has; `head()` for "from now on".
  [[nodiscard]] Result<SubscribeOutcome> subscribe(const std::string& project, std::uint64_t after,
                                                   EventListener listener);
  /// Asks all listeners whether they are still there, and drops those that are not: one whose project is quiet is not
  /// asked otherwise. When it returns, no listener that says no is running.
  void sweep();
  [[nodiscard]] std::uint64_t head() const;
  [[nodiscard]] std::size_t listeners() const;
  /// Told once at start: where the sequence stands.
  void reset(std::uint64_t head, std::uint64_t oldestInStore);
  /// Events with a smaller sequence are gone from the store.
  void dropped(std::uint64_t oldestInStore);

 private:
  bool replayKept(const std::string& project, std::uint64_t after, const EventListener& listener);

  StorePort& store_;
  const std::size_t kept_;
  mutable std::mutex mutex_;
  std::deque<model::Event> ring_;
  std::uint64_t head_ = 0;
  std::uint64_t oldestInStore_ = 0;
  std::unordered_map<std::string, std::vector<EventListener>> byProject_;  ///< "" : all
};

}  // namespace fairlead::control
