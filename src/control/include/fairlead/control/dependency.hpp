// How a workload's dependency stands.
#pragma once

#include <fairlead/model/workload.hpp>

#include <cstdint>

namespace fairlead::control {

class State;

enum class DependencyState : std::uint8_t {
  open,
  fulfilled,
  never,  ///< the other one is final and did not end the way that was asked for
};

/// `row` null: the other workload is not known (any more): never.
[[nodiscard]] DependencyState dependencyState(const model::Workload* row, model::Dependency::Condition condition);
[[nodiscard]] DependencyState dependencyState(const State& state, const model::Dependency& dependency);

}  // namespace fairlead::control
