// Named health checks behind /healthz (is the process worth keeping?) and /readyz (should it get requests?).
#pragma once

#include <fairlead/base/clock.hpp>

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::obs {

enum class HealthKind : std::uint8_t { liveness, readiness };

struct HealthFinding {
  std::string name;
  bool healthy = false;
  std::string reason;       ///< why not, for people; empty when healthy
  Milliseconds since = {};  ///< how long it has been so
};

struct HealthReport {
  bool healthy = true;
  std::vector<HealthFinding> findings;  ///< in order of name
};

/// One line a check: `ok store`, `failing engine/local: cannot read /proc, for 12s`. For humans; programs read the
/// status code.
[[nodiscard]] std::string toText(const HealthReport& report);

/// Thread-safe. A check starts out failing ("starting") until its owner reports. Readiness includes the liveness
/// checks.
class Health {
 public:
  /// `clock` must outlive this.
  explicit Health(const ClockPort& clock) : clock_(clock) {}

  /// A check that its owner sets. Adding a name twice is a bug of ours.
  void add(std::string_view name, HealthKind kind);
  /// A check that fails by itself when beat() was not called for `limit`: for loops that must not hang.
  void addHeartbeat(std::string_view name, HealthKind kind, Milliseconds limit);

  /// For names that were added.
  void ok(std::string_view name);
  void failing(std::string_view name, std::string reason);
  void beat(std::string_view name) { ok(name); }

  [[nodiscard]] HealthReport report(HealthKind kind) const;

 private:
  struct Check {
    HealthKind kind = HealthKind::readiness;
    Milliseconds limit = {};  ///< 0: no heartbeat
    bool healthy = false;
    std::string reason;
    Milliseconds changed = {};
    Milliseconds lastBeat = {};
  };

  Check& find(std::string_view name);
  [[nodiscard]] static HealthFinding judge(const std::string& name, const Check& check, Milliseconds now);

  const ClockPort& clock_;
  mutable std::mutex mutex_;
  std::map<std::string, Check, std::less<>> checks_;
};

}  // namespace fairlead::obs
