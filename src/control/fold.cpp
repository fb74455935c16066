#include "fold.hpp"

#include "retry.hpp"

#include <fairlead/control/dependency.hpp>
#include <fairlead/handoff/versions.hpp>
#include <fairlead/ledger/postings.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::control {

using model::Attempt;
using model::AttemptEvent;
using model::FailureCategory;
using model::Observation;
using model::ObservationKind;
using model::Workload;
using model::WorkloadEvent;

namespace {

std::string describeEnd(const Attempt& attempt, FailureCategory category, const std::string& reason) {
  if (category == FailureCategory::none) return "done";
  std::string text(toText(category));
  for (const auto& end : attempt.ends) {
    if (end.exitCode == 0 && end.signal == 0) continue;
    text = end.signal != 0 ? fmt::format("{} (rank {} killed by signal {})", text, end.rank, end.signal)
                           : fmt::format("{} (rank {} exited with {})", text, end.rank, end.exitCode);
    break;
  }
  return reason.empty() ? text : text + ": " + reason;
}

void mergeEnds(Attempt& attempt, const std::vector<model::MemberEnd>& ends) {
  for (const auto& end : ends) {
    const auto known =
        std::find_if(attempt.ends.begin(), attempt.ends.end(), [&](const auto& e) { return e.rank == end.rank; });
    if (known == attempt.ends.end()) attempt.ends.push_back(end);
  }
}

void takeWords(Attempt& attempt, const Observation& fact) {
  if (!fact.nativeId.empty()) attempt.nativeId = fact.nativeId;
  if (!fact.placement.empty()) attempt.placement = fact.placement;
  if (!fact.nativeState.empty()) attempt.nativeState = fact.nativeState;
  if (!fact.reason.empty()) attempt.nativeReason = fact.reason;
  if (!fact.resumedFrom.empty()) attempt.resumedFrom = fact.resumedFrom;
  if (!fact.checkpoint.empty()) {
    attempt.checkpoint = fact.checkpoint;
    attempt.checkpointAt = fact.checkpointAt;
  }
}

/// A fact that tells what is known already is no event.
void move(Transaction& tx, Workload& workload, WorkloadEvent event, model::AttemptId attempt, std::string detail) {
  if (next(workload.state, event) != workload.state) tx.move(workload, event, attempt, std::move(detail));
}

void takeOutputs(Transaction& tx, Workload& workload, const Attempt& attempt,
                 const std::vector<model::OutputArtifact>& outputs) {
  for (const auto& rule : workload.spec->spec.outputs) {
    const auto artifact =
        std::find_if(outputs.begin(), outputs.end(), [&](const auto& o) { return o.name == rule.name; });
    const std::string missing = artifact == outputs.end() ? "was not left" : artifact->problem;
    if (!missing.empty()) {
      workload.message = fmt::format("output {}: {}", rule.name, missing);
      tx.event("output.missing", workload, attempt.id, workload.message);
      continue;
    }
    if (rule.kind != model::OutputRule::Kind::model) continue;
    auto version = handoff::versionFrom(workload, attempt, rule, *artifact,
                                        tx.newestVersion(workload.project, rule.model), tx.now());
    if (!version) {
      workload.message = version.error().message;
      tx.event("output.missing", workload, attempt.id, workload.message);
      continue;
    }
    tx.event("model.created", workload, attempt.id, fmt::format("{} v{}", version->model, version->version));
    tx.put(std::move(*version));
  }
}

AttemptEvent finalEvent(FailureCategory category, WorkloadEvent event) {
  if (category == FailureCategory::none) return AttemptEvent::succeed;
  return event == WorkloadEvent::stopped ? AttemptEvent::stopped : AttemptEvent::fail;
}

void suspectNodes(Workload& workload, const Attempt& attempt) {
  for (const auto& member : attempt.placement)
    if (!member.node.starts_with(model::kUnknownNode) &&
        std::find(workload.avoidNodes.begin(), workload.avoidNodes.end(), member.node) == workload.avoidNodes.end())
      workload.avoidNodes.push_back(member.node);
}

/// The attempt is over: final state, postings, what becomes of the workload.
void end(Transaction& tx, Workload& workload, Attempt& attempt, FailureCategory category, const Observation& fact) {
  const auto outcome = afterEnd(workload, attempt, category, tx.now());
  if (category != FailureCategory::none && workload.stopPurpose == model::StopPurpose::preempt)
    category = FailureCategory::preempted;
  const auto after = next(attempt.state, finalEvent(category, outcome.event));
  FL_ASSERT(after.has_value(), "an attempt that lives can end");
  attempt.state = *after;
  attempt.failure = category;
  attempt.endedAt = std::max(fact.at, attempt.plannedAt);
  const bool lost = outcome.event == WorkloadEvent::retry || outcome.event == WorkloadEvent::fail;
  tx.post(ledger::postingsOf(workload, attempt, lost));
  const std::string detail = describeEnd(attempt, category, fact.reason);
  tx.event(fmt::format("attempt.{}", toText(attempt.state)), workload, attempt.id, detail);

  workload.failure = category;
  workload.message = category == FailureCategory::none ? std::string() : detail;
  if (outcome.countsFailure) ++workload.failures[static_cast<std::size_t>(category)];
  if (outcome.avoidNodes) suspectNodes(workload, attempt);
  if (category == FailureCategory::none) takeOutputs(tx, workload, attempt, fact.outputs);
  workload.stopPurpose = model::StopPurpose::none;
  if (outcome.event == WorkloadEvent::retry) {
    workload.notBefore = outcome.notBefore;
    workload.queuedAt = tx.now();
  }
  move(tx, workload, outcome.event, attempt.id, detail);
  if (!model::isFinal(workload.state)) return;
  workload.endedAt = attempt.endedAt;
  failDependents(tx, workload.id);
  if (workload.arrayParent) foldElement(tx, workload);
}

FailureCategory categoryOf(const Observation& fact) {
  if (fact.kind == ObservationKind::refused && fact.category == FailureCategory::none)
    return FailureCategory::startFailed;
  if (fact.kind == ObservationKind::lost && fact.category == FailureCategory::none) return FailureCategory::engineLost;
  return fact.category;
}

void started(Transaction& tx, Workload& workload, Attempt& attempt, const Observation& fact) {
  if (!attempt.startedAt) attempt.startedAt = std::max(fact.at, attempt.plannedAt);
  workload.startedAt = attempt.startedAt;
  move(tx, workload, WorkloadEvent::start, attempt.id,
       attempt.resumedFrom.empty() ? std::string() : "resumed from " + attempt.resumedFrom);
}

}  // namespace

bool fold(Transaction& tx, const Observation& fact) {
  const auto* known = tx.attempt(fact.attempt);
  if (known == nullptr || model::isFinal(known->state)) return false;
  if (fact.sequence != 0 && fact.sequence <= known->observed) return false;
  if (fact.kind == ObservationKind::alive && known->state != model::AttemptState::unknown) return false;
  auto& attempt = tx.editAttempt(fact.attempt);
  auto& workload = tx.edit(attempt.workload);
  attempt.observed = std::max(attempt.observed, fact.sequence);
  takeWords(attempt, fact);
  mergeEnds(attempt, fact.ends);
  switch (fact.kind) {
    case ObservationKind::accepted:
      attempt.state = next(attempt.state, AttemptEvent::accept).value_or(attempt.state);
      return false;
    case ObservationKind::started:
      attempt.state = next(attempt.state, AttemptEvent::start).value_or(attempt.state);
      started(tx, workload, attempt, fact);
      return false;
    case ObservationKind::memberEnded:
      return false;
    case ObservationKind::unreachable:
      attempt.state = next(attempt.state, AttemptEvent::loseContact).value_or(attempt.state);
      move(tx, workload, WorkloadEvent::loseContact, attempt.id, fact.reason);
      return false;
    case ObservationKind::alive: {
      // What it was before contact was lost: stopping when a stop went out, running when it ran, else accepted.
      const bool stopping = workload.stopPurpose != model::StopPurpose::none;
      attempt.state = stopping ? model::AttemptState::stopping
                               : next(attempt.state, AttemptEvent::regainContact).value_or(attempt.state);
      if (stopping)
        workload.state = model::WorkloadState::stopping;
      else
        move(tx, workload, WorkloadEvent::regainContact, attempt.id, {});
      return false;
    }
    case ObservationKind::refused:
    case ObservationKind::ended:
    case ObservationKind::lost:
      end(tx, workload, attempt, categoryOf(fact), fact);
      return true;
  }
  return false;
}

void failDependents(Transaction& tx, model::WorkloadId ended) {
  for (const auto id : tx.state().dependentsOf(ended)) {
    const auto* row = tx.workload(id);
    if (row == nullptr || row->state != model::WorkloadState::queued) continue;
    const auto spec = row->spec;
    for (const auto& dependency : spec->spec.dependencies) {
      const auto on = parseId<model::WorkloadTag>(dependency.workload);
      if (!on || *on != ended || dependencyState(tx.workload(ended), dependency.condition) != DependencyState::never)
        continue;
      auto& dependent = tx.edit(id);
      dependent.message = fmt::format("{} can no longer become {}", dependency.workload, toText(dependency.condition));
      dependent.failure = FailureCategory::cancelled;
      dependent.endedAt = tx.now();
      move(tx, dependent, WorkloadEvent::fail, {}, dependent.message);
      failDependents(tx, id);
      break;
    }
  }
}

void foldElement(Transaction& tx, const Workload& element) {
  auto& array = tx.edit(element.arrayParent);
  if (element.state != model::WorkloadState::succeeded && element.failure != FailureCategory::none)
    ++array.failures[static_cast<std::size_t>(element.failure)];
  if (model::isFinal(array.state) || array.elementsStarted < model::elementCount(array.spec->spec)) return;
  if (tx.elementsAlive(array.id) > 0) return;
  const bool bad = std::any_of(array.failures.begin(), array.failures.end(), [](auto n) { return n > 0; });
  const auto event = array.stopPurpose == model::StopPurpose::cancel ? WorkloadEvent::stopped
                     : bad                                           ? WorkloadEvent::fail
                                                                     : WorkloadEvent::succeed;
  array.endedAt = tx.now();
  move(tx, array, event, {}, {});
  failDependents(tx, array.id);
}

}  // namespace fairlead::control
