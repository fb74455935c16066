// Takes facts of engines into a transaction.
#pragma once

#include "transaction.hpp"

#include <fairlead/model/observation.hpp>
#include <fairlead/model/workload.hpp>

#include <vector>

namespace fairlead::control {

/// Idempotent: facts about unknown or ended attempts, and facts at or below Attempt::observed, change nothing. Returns
/// true when the attempt ended with this fact.
bool fold(Transaction& tx, const model::Observation& fact);

/// Makes a queued workload whose dependency can never be fulfilled fail, and all that depend on it in turn.
void failDependents(Transaction& tx, model::WorkloadId ended);

/// An element has ended: its array record may be over too.
void foldElement(Transaction& tx, const model::Workload& element);

}  // namespace fairlead::control
