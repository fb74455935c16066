#include "local/stop_clock.hpp"

#include <algorithm>

namespace fairlead::engine::local {

StopAction StopClock::enterStop(Milliseconds now) {
  phase_ = Phase::stopping;
  deadline_ = now + plan_.grace;
  return StopAction::sendStop;
}

StopAction StopClock::begin(const StopPlan& plan, Milliseconds now) {
  switch (phase_) {
    case Phase::idle:
      plan_ = plan;
      if (plan.firstSignal == 0) return enterStop(now);
      phase_ = Phase::first;
      deadline_ = now + plan.firstGrace;
      return StopAction::sendFirst;
    case Phase::first:
      plan_.grace = std::min(plan_.grace, plan.grace);
      if (plan.firstSignal == 0) return enterStop(now);
      deadline_ = std::min(deadline_, now + plan.firstGrace);
      return StopAction::nothing;
    case Phase::stopping:
      if (plan.firstSignal == 0) deadline_ = std::min(deadline_, now + plan.grace);
      return StopAction::nothing;
    case Phase::killed:
      break;
  }
  return StopAction::nothing;
}

StopAction StopClock::due(Milliseconds now) {
  if (!inGrace() || now < deadline_) return StopAction::nothing;
  if (phase_ == Phase::first) return enterStop(now);
  phase_ = Phase::killed;
  return StopAction::kill;
}

std::optional<Milliseconds> StopClock::next() const { return inGrace() ? std::optional(deadline_) : std::nullopt; }

}  // namespace fairlead::engine::local
