// Keeps a message that repeats from filling the log.
#pragma once

#include <fairlead/base/units.hpp>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace fairlead::obs {

/// Lets one message per key and interval through and counts the rest. Holds at most 1,024 keys; when full, the key that
/// passed longest ago is forgotten. Thread-safe.
///
///   if (auto pass = limit.pass("node-unreachable/" + name, clock.monotonic()))
///     log.warn("node unreachable", {{"node", name}, {"suppressed", pass->suppressed}});
class LogLimit {
 public:
  struct Pass {
    std::int64_t suppressed = 0;  ///< messages of this key kept back since the last one that passed
  };

  explicit LogLimit(Milliseconds interval) : interval_(interval) {}

  /// `monotonic` is the caller's monotonic clock. Nothing: keep this message back.
  [[nodiscard]] std::optional<Pass> pass(std::string_view key, Milliseconds monotonic);

 private:
  struct Entry {
    Milliseconds lastPassed;
    std::int64_t suppressed = 0;
  };

  void forgetOldest();

  const Milliseconds interval_;
  std::mutex mutex_;
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace fairlead::obs
