// A plan's placements, as changes of a transaction.
#pragma once

#include "transaction.hpp"

#include <fairlead/policy/plan.hpp>

namespace fairlead::control {

/// Makes an attempt and a start intent for each placed decision whose workload is still queued.
void carryOut(Transaction& tx, const policy::Plan& plan);

}  // namespace fairlead::control
