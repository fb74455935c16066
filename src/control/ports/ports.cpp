#include <fairlead/control/ports/engine_port.hpp>
#include <fairlead/control/ports/store_port.hpp>

namespace fairlead::control {

bool ChangeSet::empty() const {
  return specs.empty() && workloads.empty() && attempts.empty() && intents.empty() && events.empty() &&
         audits.empty() && postings.empty() && versions.empty() && idempotency.empty() && checkpoints.empty() &&
         !auditHead && dropEventsBefore == 0 && !dropIdempotencyBefore;
}

}  // namespace fairlead::control
