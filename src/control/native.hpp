// Takes native jobs into a transaction: what people start on a cluster themselves is in catalogue and ledger too.
#pragma once

#include "transaction.hpp"

#include <fairlead/model/observation.hpp>

namespace fairlead::control {

/// Brings the workload of this job, and the attempt of its current run, to what the engine says; makes them where they
/// are new. True when devices were taken or given back. Telling the same again changes nothing.
bool foldNative(Transaction& tx, const model::NativeJob& job);

}  // namespace fairlead::control
