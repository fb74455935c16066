// What slurmdbd keeps: accounts, associations, QOS, and jobs that have been.
#pragma once

#include <fairlead/codec/slurm/states.hpp>
#include <fairlead/codec/slurm/values.hpp>

namespace fairlead::codec::slurm {

struct SlurmAccount {
  std::string name, description, organization;
  std::string parent;  ///< where the source tells it
  Words coordinators;
  bool deleted = false;

  bool operator==(const SlurmAccount&) const = default;
};

/// Limits of an association or a QOS. nullopt and empty lists: no limit.
struct SlurmLimits {
  std::optional<std::int64_t> maxJobs, maxSubmit;  ///< of the association; per user for a QOS
  std::optional<std::int64_t> maxJobsPerAccount, maxSubmitPerAccount;
  std::optional<std::int64_t> groupJobs, groupSubmit;
  TimeLimit maxWall, groupWall;
  Tres maxPerJob, maxPerNode, maxPerUser, maxPerAccount, minPerJob;
  Tres group, groupMinutes, groupRunMinutes, maxMinutesPerJob;

  bool operator==(const SlurmLimits&) const = default;
};

/// Who may charge which account: a user in an account (and partition), or an account itself where `user` is empty.
struct SlurmAssociation {
  std::optional<std::int64_t> id;
  std::string cluster, account, user, partition, parentAccount, defaultQos, lineage;
  Words qos;
  std::int64_t shares = 1;  ///< kSharesParent: its parent's
  bool isDefault = false;
  std::optional<std::int64_t> priority;
  SlurmLimits limits;

  bool operator==(const SlurmAssociation&) const = default;
};
inline constexpr std::int64_t kSharesParent = -1;

struct SlurmQos {
  std::int64_t id = 0;  ///< 0 where the source does not tell it
  std::string name, description;
  std::int64_t priority = 0;
  Words flags;  ///< upper case with underscores: `DENY_LIMIT`
  Words preempts, preemptModes;
  std::optional<std::int64_t> usageFactorMilli;  ///< thousandths
  std::optional<Milliseconds> graceTime;
  SlurmLimits limits;

  bool operator==(const SlurmQos&) const = default;
};

struct SlurmUser {
  std::string name, defaultAccount, defaultWckey;
  Words adminLevels;

  bool operator==(const SlurmUser&) const = default;
};

struct SlurmCluster {
  std::string name, controllerHost;
  std::int64_t controllerPort = 0, rpcVersion = 0;
  std::string nodes;
  Tres tres;

  bool operator==(const SlurmCluster&) const = default;
};

/// A part of a job: `batch`, `extern`, `interactive`, or a numbered one started by srun.
struct SlurmStep {
  std::string id;  ///< `batch`, `0`, `0+1`
  std::string name;
  JobState state = JobState::unknown;
  std::string stateText;
  std::optional<TimePoint> start, end;
  HostSet nodes;
  std::optional<ExitCode> exit;
  Tres allocated;

  bool operator==(const SlurmStep&) const = default;
};

/// One run of a job in the database. A requeued job has a row for each run: same id and submit instant may differ,
/// start instants do. A pending element of an array that was cancelled has no row at all.
struct SlurmAccountedJob {
  std::uint32_t id = 0;
  std::optional<std::uint32_t> arrayJobId, arrayTaskId;
  std::string arrayTaskText;  ///< of elements that never split off
  std::optional<std::uint32_t> hetJobId;
  std::uint32_t hetOffset = 0;
  std::string sluid, originalSluid;
  std::string cluster, name, user, group, account, partition, qos, wckey, reservation;
  std::optional<std::uint32_t> uid;
  std::optional<std::int64_t> associationId;
  JobState state = JobState::unknown;
  JobFlags flags;
  std::string stateText;  ///< verbatim: `CANCELLED by 3001`
  Words unknownStates;
  std::string cancelledBy;  ///< user name or id where Slurm tells one
  std::string reason;
  std::optional<TimePoint> submitTime, eligibleTime, startTime, endTime;
  std::optional<Milliseconds> elapsed, suspended, planned;
  TimeLimit limit;
  HostSet nodes;
  std::optional<std::int64_t> nodeCount, cpus;
  Tres requested, allocated;
  std::optional<ExitCode> exit, derivedExit;  ///< slurmdb v0.0.38 loses the code of failed jobs: nullopt
  std::uint32_t restarts = 0;                 ///< from 24.11; before, count the rows
  std::string failedNode;
  std::optional<std::int64_t> priority;
  std::string comment, adminComment, systemComment, constraints, workDir, submitLine, licenses, container;
  std::string stdoutPattern, stderrPattern, stdoutExpanded, stderrExpanded;
  Words dbFlags;  ///< `STARTED_ON_SCHEDULE` ...
  std::vector<SlurmStep> steps;

  bool damaged = false;  ///< a value could not be read and is unset here; a report tells which

  bool operator==(const SlurmAccountedJob&) const = default;
};

}  // namespace fairlead::codec::slurm
