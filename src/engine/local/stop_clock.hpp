// The steps of an ordered end: a first signal, the stop signal, SIGKILL. Pure: it is given the time.
#pragma once

#include <fairlead/base/units.hpp>

#include <cstdint>
#include <optional>

namespace fairlead::engine::local {

struct StopPlan {
  int firstSignal = 0;  ///< 0: none
  Milliseconds firstGrace;
  int signal = 15;
  Milliseconds grace;  ///< before SIGKILL
};

enum class StopAction : std::uint8_t { nothing, sendFirst, sendStop, kill };

class StopClock {
 public:
  /// Begins, or hastens what has begun: a later plan never makes the end later.
  [[nodiscard]] StopAction begin(const StopPlan& plan, Milliseconds now);
  /// What is due at `now`. One step at most.
  [[nodiscard]] StopAction due(Milliseconds now);
  /// When to ask again.
  [[nodiscard]] std::optional<Milliseconds> next() const;
  [[nodiscard]] bool idle() const { return phase_ == Phase::idle; }
  /// True while ranks still have time to end by themselves.
  [[nodiscard]] bool inGrace() const { return phase_ == Phase::first || phase_ == Phase::stopping; }
  [[nodiscard]] const StopPlan& plan() const { return plan_; }

 private:
  enum class Phase : std::uint8_t { idle, first, stopping, killed };
  [[nodiscard]] StopAction enterStop(Milliseconds now);

  Phase phase_ = Phase::idle;
  StopPlan plan_;
  Milliseconds deadline_;
};

}  // namespace fairlead::engine::local
