// The states and flags of nodes in 22.05, 24.11 and 26.05: sinfo(1), "NODE STATE CODES", of those releases; the
// enumerations of v0.0.40 to v0.0.45 in slurmrestd's own description (GET /openapi/v3); lower case in v0.0.38 and
// sinfo.
#include "text.hpp"

#include <fairlead/codec/slurm/states.hpp>

#include <array>

namespace fairlead::codec::slurm {
namespace {

constexpr NodeStateRow state(std::string_view word, NodeState value, std::string_view what, std::string_view change) {
  return {word, value, -1, what, change};
}

constexpr NodeStateRow flag(std::string_view word, NodeFlag value, std::string_view what, std::string_view change) {
  return {word, NodeState::unknown, static_cast<std::int16_t>(value), what, change};
}

using F = NodeFlag;

// clang-format off
constexpr std::array kRows = std::to_array<NodeStateRow>({
    state("UNKNOWN", NodeState::unknown, "slurmctld has just started and has not heard from the node", "the node registers"),
    state("DOWN", NodeState::down, "is not available", "it registers again, or an administrator resumes it"),
    state("IDLE", NodeState::idle, "has no job", ""),
    state("ALLOCATED", NodeState::allocated, "all its CPUs are allocated", "a job ends"),
    state("ALLOC", NodeState::allocated, "all its CPUs are allocated", "a job ends"),
    state("MIXED", NodeState::mixed, "some of it is allocated", ""),
    state("MIX", NodeState::mixed, "some of it is allocated", ""),
    state("ERROR", NodeState::error, "is in an error state", "an administrator looks at it"),
    state("FUTURE", NodeState::future, "is declared for later and not there yet", "the node is installed and registers"),

    flag("BLOCKED", F::blocked, "a job with exclusive topology holds its block", "that job ends"),
    flag("CLOUD", F::cloud, "is made when needed", ""),
    flag("COMPLETING", F::completing, "jobs on it are ending; it takes no new one", "their last processes and the epilog end"),
    flag("COMP", F::completing, "jobs on it are ending; it takes no new one", "their last processes and the epilog end"),
    flag("DRAIN", F::drain, "takes no new jobs, by order of an administrator or a health check", "an administrator resumes it"),
    flag("DRAINED", F::drain, "takes no new jobs and has none", "an administrator resumes it"),
    flag("DRAINING", F::drain, "takes no new jobs and still has some", "an administrator resumes it"),
    flag("DRNG", F::drain, "takes no new jobs and still has some", "an administrator resumes it"),
    flag("DYNAMIC_FUTURE", F::dynamicFuture, "joined by itself in the place of a future node", ""),
    flag("DYNAMIC_NORM", F::dynamicNorm, "joined by itself", ""),
    flag("EXTERNAL", F::externalNode, "has no slurmd", ""),
    flag("FAIL", F::fail, "is expected to fail and takes no new jobs", "an administrator resumes it"),
    flag("FAILING", F::fail, "is expected to fail and still has jobs", "an administrator resumes it"),
    flag("FAILG", F::fail, "is expected to fail and still has jobs", "an administrator resumes it"),
    flag("INVALID", F::invalid, "has no valid state", "an administrator looks at it"),
    flag("INVALID_REG", F::invalidReg, "registered with less than slurm.conf says", "its configuration is put right and slurmd restarted"),
    flag("INVAL", F::invalidReg, "registered with less than slurm.conf says", "its configuration is put right and slurmd restarted"),
    flag("MAINTENANCE", F::maintenance, "is in a maintenance reservation", "the reservation ends"),
    flag("MAINT", F::maintenance, "is in a maintenance reservation", "the reservation ends"),
    flag("NOT_RESPONDING", F::notResponding, "does not answer; it is set down after SlurmdTimeout", "its slurmd answers"),
    flag("NO_RESPOND", F::notResponding, "does not answer; it is set down after SlurmdTimeout", "its slurmd answers"),
    flag("PERFCTRS", F::perfCounters, "its hardware counters are in use", ""),
    flag("NPC", F::perfCounters, "its hardware counters are in use", ""),
    flag("PLANNED", F::planned, "backfill keeps it for a job of higher priority", "that job starts"),
    flag("PLND", F::planned, "backfill keeps it for a job of higher priority", "that job starts"),
    flag("POWERED_DOWN", F::poweredDown, "is switched off", "a job needs it, or it is powered up"),
    flag("POWERING_DOWN", F::poweringDown, "is being switched off", "it is off, and can be started again"),
    flag("POWERING_UP", F::poweringUp, "is being started", "it has booted and registers"),
    flag("POWER_DOWN", F::powerDownPending, "will be switched off once it is idle", "it is off, and can be started again"),
    flag("POWER_DOWN_ASAP", F::powerDownPending, "takes no new jobs and is switched off once it is idle", "it is off, and can be started again"),
    flag("POWER_DOWN_FORCE", F::powerDownPending, "is switched off now, and its jobs with it", "it is off, and can be started again"),
    flag("POWER_DRAIN", F::powerDrain, "takes no new jobs and is switched off once it is idle", "it is off, and can be started again"),
    flag("POWER_UP", F::powerUpPending, "will be started", "it has booted and registers"),
    flag("REBOOT", F::rebootRequested, "will be rebooted once it is idle", "it has booted and registers"),
    flag("REBOOT_REQUESTED", F::rebootRequested, "will be rebooted once it is idle", "it has booted and registers"),
    flag("REBOOT_ISSUED", F::rebootIssued, "is being rebooted", "it has booted and registers"),
    flag("REBOOT_CANCELED", F::rebootCanceled, "its reboot was called off", ""),
    flag("REBOOT_CANCEL", F::rebootCanceled, "its reboot was called off", ""),
    flag("RESERVED", F::reserved, "is in a reservation", "the reservation ends, or the job uses it"),
    flag("RESV", F::reserved, "is in a reservation", "the reservation ends, or the job uses it"),
    flag("RESUME", F::resume, "is being resumed", ""),
    flag("UNDRAIN", F::undrain, "is being resumed", ""),
});
// clang-format on

}  // namespace

std::span<const NodeStateRow> nodeStateTable() { return kRows; }

const NodeStateRow* findNodeState(std::string_view word) {
  for (const auto& row : kRows)
    if (equalsNoCase(row.word, word)) return &row;
  return nullptr;
}

const NodeStateRow* rowOf(NodeState value) {
  for (const auto& row : kRows)
    if (row.flag < 0 && row.state == value && value != NodeState::unknown) return &row;
  return nullptr;
}

const NodeStateRow* rowOf(NodeFlag value) {
  for (const auto& row : kRows)
    if (row.flag == static_cast<std::int16_t>(value)) return &row;
  return nullptr;
}

}  // namespace fairlead::codec::slurm
