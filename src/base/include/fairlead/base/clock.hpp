// The clock port. Pure modules never read it: they are given `now`.
#pragma once

#include <fairlead/base/units.hpp>

namespace fairlead {

/// Thread-safe. `now` is wall time for rows and people; it may step. `monotonic` never goes back; use it for spans and
/// time-outs.
class ClockPort {
 public:
  virtual ~ClockPort() = default;
  [[nodiscard]] virtual TimePoint now() const = 0;
  /// Milliseconds since an arbitrary start of this process's world.
  [[nodiscard]] virtual Milliseconds monotonic() const = 0;
};

/// The machine's clocks.
class SystemClock final : public ClockPort {
 public:
  [[nodiscard]] TimePoint now() const override;
  [[nodiscard]] Milliseconds monotonic() const override;
};

/// A clock that stands still until it is told. For tests and simulation; not thread-safe.
class ManualClock final : public ClockPort {
 public:
  explicit ManualClock(TimePoint start) : now_(start) {}
  [[nodiscard]] TimePoint now() const override { return now_; }
  [[nodiscard]] Milliseconds monotonic() const override { return {now_.msSinceEpoch}; }
  void advance(Milliseconds span) { now_ = now_ + span; }
  void set(TimePoint moment) { now_ = moment; }

 private:
  TimePoint now_;
};

}  // namespace fairlead
