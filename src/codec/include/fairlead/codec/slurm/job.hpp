// A job as slurmctld tells it, whatever the release and the way it was asked.
#pragma once

#include <fairlead/codec/slurm/states.hpp>
#include <fairlead/codec/slurm/values.hpp>

namespace fairlead::codec::slurm {

/// A job, or the part of an array that has not split yet. Empty texts, empty lists and nullopt: Slurm said nothing, or
/// said "unset". Numbers that Slurm writes as 0 for "none" (array, heterogeneous job) are nullopt here.
struct SlurmJob {
  std::uint32_t id = 0;                     ///< the raw id: of an element that has started, its own
  std::optional<std::uint32_t> arrayJobId;  ///< of arrays and their elements
  std::optional<std::uint32_t> arrayTaskId;
  std::string arrayTaskText;              ///< of the pending part: `3-7%3`
  std::optional<TaskSet> pendingTasks;    ///< the same, read
  std::optional<std::uint32_t> hetJobId;  ///< of components of a heterogeneous job: the leader's id
  std::uint32_t hetOffset = 0;
  std::string hetJobIdSet;  ///< `66-67`
  std::string sluid;        ///< Slurm's own identity of this run, from 26.05
  std::string cluster;
  std::string federationOrigin;    ///< the cluster of a federation where it was submitted
  std::string federationSiblings;  ///< clusters where it is alive

  std::string name;
  std::string user;  ///< may be empty where the controller cannot resolve the id
  std::optional<std::uint32_t> uid;
  std::optional<std::uint32_t> gid;
  std::string account;
  std::string partition;  ///< may be a list while pending
  std::string qos;
  std::string wckey;
  std::string reservation;

  JobState state = JobState::unknown;
  JobFlags flags;
  std::string stateText;  ///< Slurm's words, joined by a comma: `COMPLETED,COMPLETING`
  Words unknownStates;
  std::string reason;        ///< Slurm's word, verbatim; empty: none given
  std::string reasonDetail;  ///< text beside it, such as which nodes are not available
  bool held = false;         ///< priority zero; who holds says the reason (JobHeldUser, JobHeldAdmin)

  std::optional<TimePoint> submitTime;
  std::optional<TimePoint> eligibleTime;
  std::optional<TimePoint> startTime;    ///< of a pending job: when the scheduler expects it
  std::optional<TimePoint> endTime;      ///< of a running job: when its limit ends it
  std::optional<TimePoint> suspendTime;  ///< last suspended or resumed
  std::optional<TimePoint> deadline;
  std::optional<TimePoint> preemptTime;
  std::optional<Milliseconds> runTimeBeforeSuspend;
  TimeLimit limit;

  HostSet nodes;  ///< held now, or held last
  std::string batchHost;
  std::string requiredNodes, excludedNodes, scheduledNodes;
  std::string failedNode;  ///< the node whose failure ended or requeued it
  std::optional<std::int64_t> nodeCount, cpus, tasks;
  std::optional<Bytes> memoryPerNode, memoryPerCpu;
  Tres requested;
  Tres allocated;                    ///< empty while pending; 22.05 shows the last one of ended jobs
  std::vector<NodeGres> gresDetail;  ///< per node in the order of `nodes`, with indices; running jobs only
  std::string tresPerNode, tresPerJob, tresPerTask, tresPerSocket;  ///< as asked for, in the release's spelling
  std::string features, licenses, licensesAllocated;
  std::string dependency;
  std::int64_t nice = 0;
  std::optional<std::int64_t> priority;
  bool requeueAllowed = false;
  bool batch = false;  ///< false: salloc or srun
  bool exclusive = false;

  std::optional<ExitCode> exit;         ///< while it has not ended: of no meaning
  std::optional<ExitCode> derivedExit;  ///< the worst of its steps
  std::uint32_t restarts = 0;

  std::string comment, adminComment, systemComment;
  std::string command, submitLine, workDir;
  std::string stdoutPattern, stderrPattern, stdinPattern;  ///< as asked for; 24.11 shows them expanded
  std::string stdoutExpanded, stderrExpanded;              ///< where the release tells them
  std::string container;

  bool damaged = false;  ///< a value could not be read and is unset here; a report tells which

  bool operator==(const SlurmJob&) const = default;
};

}  // namespace fairlead::codec::slurm
