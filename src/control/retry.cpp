#include "retry.hpp"

#include <algorithm>

namespace fairlead::control {

using model::FailureCategory;
using model::StopPurpose;
using model::WorkloadEvent;

namespace {

constexpr Milliseconds kLongestBackoff{600'000};

bool suspectsNode(FailureCategory category) {
  return category == FailureCategory::nodeLost || category == FailureCategory::engineLost;
}

bool covered(const model::RetryRule& rule, FailureCategory category, std::int32_t exitCode) {
  if (std::binary_search(rule.categories.begin(), rule.categories.end(), category)) return true;
  return category == FailureCategory::applicationExit &&
         std::binary_search(rule.exitCodes.begin(), rule.exitCodes.end(), exitCode);
}

Milliseconds backoff(const model::RetryRule& rule, std::uint32_t failuresSoFar) {
  Milliseconds wait = rule.backoff;
  for (std::uint32_t i = 0; i < failuresSoFar && wait < kLongestBackoff; ++i) wait += wait;
  return std::min(wait, kLongestBackoff);
}

}  // namespace

std::int32_t failingExitCode(const model::Attempt& attempt) {
  const model::MemberEnd* first = nullptr;
  for (const auto& end : attempt.ends)
    if (end.exitCode != 0 && end.signal == 0 && (first == nullptr || end.at < first->at)) first = &end;
  return first == nullptr ? 0 : first->exitCode;
}

AfterEnd afterEnd(const model::Workload& workload, const model::Attempt& attempt, FailureCategory category,
                  TimePoint now) {
  if (category == FailureCategory::none) return {WorkloadEvent::succeed, {}, false, false};
  if (workload.stopPurpose == StopPurpose::cancel) return {WorkloadEvent::stopped, {}, false, false};
  if (workload.stopPurpose == StopPurpose::requeue || workload.stopPurpose == StopPurpose::preempt)
    return {WorkloadEvent::retry, {}, false, false};
  const auto& rule = workload.spec->spec.retry;
  const auto used = workload.failures[static_cast<std::size_t>(category)];
  if (!covered(rule, category, failingExitCode(attempt)) || used >= rule.limit)
    return {WorkloadEvent::fail, {}, suspectsNode(category), true};
  return {WorkloadEvent::retry, now + backoff(rule, used), suspectsNode(category), true};
}

}  // namespace fairlead::control
