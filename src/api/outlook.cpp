#include "outlook.hpp"

namespace fairlead::api {
namespace {
constexpr Milliseconds kFresh{1'000};
}

std::shared_ptr<const Outlook::Picture> Outlook::picture() {
  const std::lock_guard lock(mutex_);  // who comes meanwhile waits for the same picture
  const auto now = control_.now();
  if (picture_ && now - picture_->at < kFresh && picture_->at <= now) return picture_;
  const auto snapshot = control_.read([&](const control::State& state) { return state.snapshot(config_.depth); });
  const auto plan = policy::plan(snapshot, config_, now);
  auto fresh = std::make_shared<Picture>();
  fresh->at = now;
  for (const auto& decision : plan.decisions)
    if (decision.verdict != model::Verdict::placed && !decision.reasons.empty())
      fresh->waitingFor.emplace(decision.workload, model::renderShort(decision.reasons.front()));
  picture_ = std::move(fresh);
  return picture_;
}

std::string Outlook::waitingFor(const Picture& picture, const control::State& state, const model::Workload& row) const {
  using model::Reason;
  using model::ReasonCode;
  const bool waits = row.state == model::WorkloadState::held || row.state == model::WorkloadState::queued;
  if (row.native)
    return waits ? model::renderShort(Reason{ReasonCode::nativeWaits, {row.native->cluster, row.native->reason}}) : "";
  if (row.state == model::WorkloadState::held) return model::renderShort(Reason{ReasonCode::held, {}});
  if (const auto* attempt = state.attempt(row.currentAttempt);
      row.state == model::WorkloadState::starting && attempt != nullptr && !attempt->nativeReason.empty())
    return attempt->nativeReason.substr(0, attempt->nativeReason.find(':'));
  if (row.state != model::WorkloadState::queued) return {};
  if (const auto found = picture.waitingFor.find(row.id); found != picture.waitingFor.end()) return found->second;
  switch (state.waitKind(row, picture.at)) {
    case control::WaitKind::dependency:
      return "a dependency";
    case control::WaitKind::time:
      return row.attempts > 0 ? "its back-off" : "its begin time";
    case control::WaitKind::none:
      break;
  }
  const auto position = static_cast<std::int64_t>(state.queuePosition(row));
  if (position == 0) return {};
  return model::renderShort(Reason{ReasonCode::beyondDepth, {position, static_cast<std::int64_t>(config_.depth)}});
}

}  // namespace fairlead::api
