#include "planning.hpp"

#include <fmt/format.h>

namespace fairlead::control {

using model::Workload;
using model::WorkloadEvent;
using model::WorkloadState;

namespace {

/// The index that the nth element (0-based) of an array has.
std::int32_t elementIndex(const model::ArrayRule& rule, std::int32_t nth) {
  for (const auto& range : rule.ranges) {
    const std::int32_t count = (range.last - range.first) / range.step + 1;
    if (nth < count) return range.first + nth * range.step;
    nth -= count;
  }
  FL_ASSERT(false, "an element beyond its array");
}

/// The next element of an array becomes a workload of its own.
Workload& startElement(Transaction& tx, Workload& array) {
  Workload element = array;
  element.arrayParent = array.id;
  element.arrayIndex = elementIndex(*array.spec->spec.array, array.elementsStarted);
  element.name = fmt::format("{}[{}]", array.name, element.arrayIndex);
  element.elementsStarted = 0;
  element.revision = 1;
  auto& added = tx.add(std::move(element));
  ++array.elementsStarted;
  tx.event("workload.queued", added);
  if (array.elementsStarted == model::elementCount(array.spec->spec)) {
    array.state = WorkloadState::running;
    array.startedAt = tx.now();
    tx.event("workload.running", array, {}, "all elements have started");
  }
  return added;
}

void startAttempt(Transaction& tx, Workload& row, const policy::Decision& decision) {
  model::Attempt attempt;
  attempt.workload = row.id;
  attempt.number = ++row.attempts;
  attempt.cluster = decision.cluster;
  attempt.placement = decision.placement;
  attempt.plannedAt = tx.now();
  const auto& added = tx.add(std::move(attempt));
  row.currentAttempt = added.id;
  row.notBefore = {};
  row.message.clear();
  tx.put(tx.intentFor(added, model::IntentKind::start, 0));
  const bool moved = tx.move(row, WorkloadEvent::place, added.id,
                             decision.reasons.empty() ? std::string() : model::render(decision.reasons.front()));
  FL_ASSERT(moved, "a queued workload can be placed");
}

}  // namespace

void carryOut(Transaction& tx, const policy::Plan& plan) {
  for (const auto& decision : plan.decisions) {
    if (decision.verdict != model::Verdict::placed) continue;
    const auto* row = tx.workload(decision.workload);
    if (row == nullptr || row->state != WorkloadState::queued) continue;
    auto& edited = tx.edit(decision.workload);
    const bool array = edited.spec->spec.array && !edited.arrayParent;
    startAttempt(tx, array ? startElement(tx, edited) : edited, decision);
  }
}

}  // namespace fairlead::control
