#include <fairlead/control/ports/engine_port.hpp>
#include <fairlead/control/ports/store_port.hpp>

namespace fairlead::control {

bool ChangeSet::empty() const {
  return specs.empty() && workloads.empty() && attempts.empty() && intents.empty() && events.empty() &&
         audits.empty() && postings.empty() && versions.empty() && idempotency.empty() && checkpoints.empty() &&
         !auditHead && dropEventsBefore == 0 && !dropIdempotencyBefore;
}

Result<void> EnginePort::adjust(const Adjustment& adjustment) {
  return fail(kEngineCannot, "cluster " + cluster() + " cannot change the " + std::string(toText(adjustment.kind)) +
                                 " of what it holds");
}

Result<void> EnginePort::orderNode(const NodeOrder& order) {
  return fail(kEngineCannot, "nodes of cluster " + cluster() + " cannot be drained from here",
              "take node " + order.node + " out of service where it is run");
}

}  // namespace fairlead::control
