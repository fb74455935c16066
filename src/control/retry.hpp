// Pure: what becomes of a workload whose attempt has ended.
#pragma once

#include <fairlead/model/workload.hpp>

namespace fairlead::control {

struct AfterEnd {
  model::WorkloadEvent event = model::WorkloadEvent::succeed;  ///< succeed, stopped, retry or fail
  TimePoint notBefore;                                         ///< for retry: end of the back-off; 0: at once
  bool avoidNodes = false;                                     ///< the nodes of the attempt are suspected
  bool countsFailure = false;                                  ///< takes one from the budget of its category
};

/// A purpose that people or the policy set (requeue, preempt) costs no budget. A failure of a category (or exit code)
/// that the retry rule names is tried again until that category has used `limit` attempts; back-off doubles with each,
/// up to ten minutes.
[[nodiscard]] AfterEnd afterEnd(const model::Workload& workload, const model::Attempt& attempt,
                                model::FailureCategory category, TimePoint now);

/// The exit code that failed the attempt: the first member's, by time, that is not 0.
[[nodiscard]] std::int32_t failingExitCode(const model::Attempt& attempt);

}  // namespace fairlead::control
