// The states and state flags of jobs in 22.05, 24.11 and 26.05: squeue(1), "JOB STATE CODES", of those releases, and
// the enumerations of v0.0.40 to v0.0.45 in slurmrestd's own description (GET /openapi/v3).
#include <fairlead/codec/slurm/states.hpp>

#include <array>

namespace fairlead::codec::slurm {
namespace {

constexpr JobStateRow state(std::string_view word, std::string_view brief, JobState value, std::string_view what,
                            std::string_view change) {
  return {word, brief, value, -1, what, change};
}

constexpr JobStateRow flag(std::string_view word, std::string_view brief, JobFlag value, std::string_view what,
                           std::string_view change) {
  return {word, brief, JobState::unknown, static_cast<std::int16_t>(value), what, change};
}

using enum JobState;

// clang-format off
constexpr std::array kRows = std::to_array<JobStateRow>({
    state("PENDING", "PD", pending, "waits for an allocation", "its reason says what it waits for"),
    state("RUNNING", "R", running, "has an allocation", "it ends, or reaches its time limit"),
    state("SUSPENDED", "S", suspended, "has an allocation, and its processes are stopped; CPUs may be used by others", "whoever suspended it, or gang scheduling, resumes it"),
    state("COMPLETED", "CD", completed, "ended with exit code 0 on all nodes", ""),
    state("CANCELLED", "CA", cancelled, "was cancelled by its user or an administrator; it may never have started", ""),
    state("FAILED", "F", failed, "ended with another exit code than 0, by a signal, or could not be launched", "look at the exit code and its output"),
    state("TIMEOUT", "TO", timeout, "reached its time limit", "submit it with a longer limit, or let it write checkpoints"),
    state("NODE_FAIL", "NF", nodeFail, "a node of its allocation failed", "submit it again, or allow requeue"),
    state("PREEMPTED", "PR", preempted, "was ended for work of higher priority", "submit it again, or use a QOS that is not preempted"),
    state("BOOT_FAIL", "BF", bootFail, "its nodes could not be booted", "an administrator looks at the nodes"),
    state("DEADLINE", "DL", deadline, "could not end before its deadline", "submit it with a later deadline"),
    state("OUT_OF_MEMORY", "OOM", outOfMemory, "used more memory than it asked for", "submit it with more memory"),

    flag("COMPLETING", "CG", JobFlag::completing, "is ending: some of its processes or its epilog are still there", "the last process ends"),
    flag("CONFIGURING", "CF", JobFlag::configuring, "has an allocation whose nodes are being made ready or booted", "the nodes are ready"),
    flag("EXPEDITING", "", JobFlag::expediting, "is being looked at for an expedited requeue", "slurmctld decides"),
    flag("LAUNCH_FAILED", "", JobFlag::launchFailed, "could not be launched", "look at its reason; the node's prolog or its environment failed"),
    flag("POWER_UP_NODE", "", JobFlag::powerUpNode, "has nodes that are powered down and must boot", "the nodes have booted"),
    flag("RECONFIG_FAIL", "", JobFlag::reconfigFail, "its nodes could not be reconfigured", "an administrator looks at the nodes"),
    flag("REQUEUED", "RQ", JobFlag::requeued, "is going back to the queue", "its last run has ended completely"),
    flag("REQUEUE_FED", "RF", JobFlag::requeueFed, "is going back to the queue of its federation", "its last run has ended completely"),
    flag("REQUEUE_HOLD", "RH", JobFlag::requeueHold, "is going back to the queue and will be held there", "somebody releases it"),
    flag("RESIZING", "RS", JobFlag::resizing, "is changing its size", "the change is done"),
    flag("RESV_DEL_HOLD", "RD", JobFlag::reservationDeletedHold, "is held because its reservation was deleted", "it is moved out of the reservation and released"),
    flag("REVOKED", "RV", JobFlag::revoked, "runs on another cluster of its federation", ""),
    flag("SIGNALING", "SI", JobFlag::signaling, "is being sent a signal", "the signal has been delivered"),
    flag("SPECIAL_EXIT", "SE", JobFlag::specialExit, "was requeued in a special state and is held", "somebody releases it"),
    flag("STAGE_OUT", "SO", JobFlag::stageOut, "is copying files out of its burst buffer", "the copy is done"),
    flag("STOPPED", "ST", JobFlag::stopped, "has an allocation, and its processes are stopped; it keeps its CPUs", "it is sent SIGCONT"),
    flag("UPDATE_DB", "", JobFlag::updateDb, "its row in the database is being updated", "the update is done"),
});
// clang-format on

}  // namespace

std::span<const JobStateRow> jobStateTable() { return kRows; }

const JobStateRow* findJobState(std::string_view word) {
  for (const auto& row : kRows)
    if (row.word == word || (!row.brief.empty() && row.brief == word)) return &row;
  return nullptr;
}

const JobStateRow* rowOf(JobState value) {
  for (const auto& row : kRows)
    if (row.flag < 0 && row.state == value) return &row;
  return nullptr;
}

const JobStateRow* rowOf(JobFlag value) {
  for (const auto& row : kRows)
    if (row.flag == static_cast<std::int16_t>(value)) return &row;
  return nullptr;
}

bool isFinal(JobState value) { return value != unknown && value != pending && value != running && value != suspended; }

}  // namespace fairlead::codec::slurm
