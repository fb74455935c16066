// Finds workloads by id, prefix or name, and copies rows out of live state as views.
#pragma once

#include "service.hpp"
#include "shapes/record_views.hpp"

#include <functional>
#include <string_view>

namespace fairlead::api {

/// The workload that `text` names: an id, a unique prefix of one (three characters behind `w-` or more), or a name that
/// one workload alone has (first among those that have not ended, then among all). Only what the caller may see counts.
/// Errors: kNotFound, kAmbiguous. Reads all rows for a name: not on an I/O thread.
[[nodiscard]] Result<model::Workload> findWorkload(Service& service, const Call& call, std::string_view text);
/// A copy of the row; no question asked.
[[nodiscard]] std::optional<model::Workload> rowOf(Service& service, model::WorkloadId id);

/// Visits rows with falling id, `batch` rows under one lock, so that a long scan holds up nobody. Returns the id to go
/// on before (0: all were seen), after at most `most` rows or when `visit` returned false.
model::WorkloadId scanWorkloads(Service& service, model::WorkloadId before, std::size_t most,
                                const std::function<bool(const control::State&, const model::Workload&)>& visit);

/// Under the lock.
[[nodiscard]] WorkloadLine lineOf(const control::State& state, const model::Workload& row);
[[nodiscard]] AttemptView attemptView(const model::Workload& workload, model::Attempt attempt);
/// Device time and money of one workload so far, what runs now included. Reads the store.
[[nodiscard]] Result<CostView> costOf(Service& service, const model::Workload& row);

}  // namespace fairlead::api
