// What people ask of a job or a node through us, beside starts and stops; answered by Slurm at once.
#include "slurm/slurm_engine.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::engine::slurm {

using control::AdjustKind;
using local::monotonicNow;

control::EngineAbilities SlurmEngine::abilities() const {
  const bool byCommands = options_.endpoint.empty();  // slurmrestd has no way to suspend
  return {.hold = true, .suspend = byCommands, .priority = true, .timeLimit = true, .nodes = true};
}

control::EngineStatus SlurmEngine::status() const {
  const std::lock_guard guard(mutex_);
  control::EngineStatus status;
  status.answers = believedAt_ && monotonicNow() - lastBelieved_ <= options_.staleAfter;
  status.readAt = believedAt_;
  status.product = server_.release.empty() ? "Slurm" : "Slurm " + server_.release;
  status.way = server_.way;
  status.trouble = lastTrouble_;
  status.notes = doubts_;
  for (const auto& [job, text] : doubles_) status.notes.push_back(text);
  return status;
}

namespace {

/// Holding is its owner's right; the rest is an operator's, who has been asked about by role here.
struct Change {
  wire::SlurmJobUpdate update;
  bool asOwner = false;
};

Change changeOf(const control::Adjustment& adjustment) {
  Change change;
  switch (adjustment.kind) {
    case AdjustKind::hold:
    case AdjustKind::release:
      change.update.hold = adjustment.kind == AdjustKind::hold;
      change.asOwner = true;
      break;
    case AdjustKind::priority:
      change.update.nice = -adjustment.value;  // Slurm's goes the other way: a higher one waits longer
      break;
    case AdjustKind::timeLimit:
      change.update.timeLimit = Milliseconds{adjustment.value};
      break;
    case AdjustKind::suspend:
    case AdjustKind::resume:
      break;
  }
  return change;
}

}  // namespace

Result<void> SlurmEngine::adjust(const control::Adjustment& adjustment) {
  AttemptMemory memory;
  {
    const std::lock_guard guard(mutex_);
    const auto found = tracked_.find(adjustment.attempt);
    if (found != tracked_.end()) memory = found->second.memory;
  }
  if (memory.job == 0 || memory.over)
    return fail(kSlurmUnknownJob,
                fmt::format("attempt {} has no job on {} now", toText(adjustment.attempt), options_.cluster));
  const bool suspends = adjustment.kind == AdjustKind::suspend || adjustment.kind == AdjustKind::resume;
  const auto change = changeOf(adjustment);
  auto done = suspends ? calls_->setSuspended(memory.job, adjustment.kind == AdjustKind::suspend)
                       : calls_->update(memory.job, change.update, change.asOwner ? memory.user : std::string());
  const std::lock_guard guard(mutex_);
  pollNow_ = true;
  pollerWake_.notify_all();
  return done;
}

Result<void> SlurmEngine::orderNode(const control::NodeOrder& order) {
  {
    const std::lock_guard guard(mutex_);
    const bool known = std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& n) { return n.name == order.node; });
    if (!known)
      return fail(kSlurmRefused, fmt::format("cluster {} has no node {}", options_.cluster, printable(order.node, 80)),
                  "list them with: fairlead get nodes");
  }
  auto done = calls_->orderNode(order.drain ? wire::NodeAction::drain : wire::NodeAction::resume, order.node,
                                printable(order.reason, 200));
  readNodesSoon_ = true;
  const std::lock_guard guard(mutex_);
  pollNow_ = true;
  pollerWake_.notify_all();
  return done;
}

}  // namespace fairlead::engine::slurm
