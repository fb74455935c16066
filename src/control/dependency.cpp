#include <fairlead/control/dependency.hpp>
#include <fairlead/control/state.hpp>

namespace fairlead::control {

using Condition = model::Dependency::Condition;

DependencyState dependencyState(const model::Workload* row, Condition condition) {
  if (row == nullptr) return DependencyState::never;
  const bool ended = model::isFinal(row->state);
  bool holds = false;
  switch (condition) {
    case Condition::succeeded:
      holds = row->state == model::WorkloadState::succeeded;
      break;
    case Condition::failed:
      holds = ended && row->state != model::WorkloadState::succeeded;
      break;
    case Condition::finished:
      holds = ended;
      break;
    case Condition::started:
      holds = static_cast<bool>(row->startedAt);
      break;
  }
  if (holds) return DependencyState::fulfilled;
  return ended ? DependencyState::never : DependencyState::open;
}

DependencyState dependencyState(const State& state, const model::Dependency& dependency) {
  const auto id = parseId<model::WorkloadTag>(dependency.workload);
  return dependencyState(id ? state.workload(*id) : nullptr, dependency.condition);
}

}  // namespace fairlead::control
