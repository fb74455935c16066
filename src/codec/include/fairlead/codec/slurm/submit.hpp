// A submission, an update and a signal, before any release's spelling.
#pragma once

#include <fairlead/codec/slurm/values.hpp>

#include <utility>

namespace fairlead::codec::slurm {

/// One role of a submission; more than one make a heterogeneous job.
struct SlurmComponent {
  std::int64_t nodes = 1;
  std::int64_t maxNodes = 0;  ///< 0: exactly `nodes`
  std::int64_t tasksPerNode = 1;
  std::int64_t cpusPerTask = 0;        ///< 0: the cluster's default
  std::optional<Bytes> memoryPerNode;  ///< whole MiB are asked for, rounded up
  std::string partition, account, qos, reservation, constraint;
  std::vector<GresEntry> gresPerNode;        ///< name, type and count are used
  std::string requiredNodes, excludedNodes;  ///< compact host lists
  std::string licenses;
  std::optional<std::int64_t> switches;  ///< at most this many leaf switches
  std::optional<Milliseconds> switchesWait;
  std::optional<std::int64_t> segment;  ///< nodes a block segment, from 24.05
  bool exclusive = false;
  bool overSubscribe = false;

  bool operator==(const SlurmComponent&) const = default;
};

struct SlurmSubmit {
  std::string script;  ///< starts with `#!`; travels in the body or through stdin, never in argv
  std::string name, comment, workDir, dependency, wckey;
  std::string stdoutPattern, stderrPattern, stdinPattern;
  std::vector<std::pair<std::string, std::string>> environment;  ///< whole; may hold secrets: never in argv
  std::vector<std::string> arguments;                            ///< of the script
  std::string array;                                             ///< `0-7%3`
  std::vector<SlurmComponent> components;                        ///< at least one
  std::optional<Milliseconds> timeLimit;                         ///< rounded up to minutes
  std::optional<TimePoint> begin, deadline;
  std::optional<std::int32_t> signal;  ///< sent before the end ...
  std::int64_t signalSeconds = 0;      ///< ... by so much
  bool signalBatchShell = false;
  std::optional<std::int64_t> nice, priority;
  std::optional<bool> requeue;
  bool hold = false;
  bool killOnInvalidDependency = false;
  std::string container;
  std::string openMode;  ///< `append`, `truncate` or empty
  /// Site plugins' options (pyxis, apptainer), name and value: `container-image`. Command line only.
  std::vector<std::pair<std::string, std::string>> pluginOptions;

  bool operator==(const SlurmSubmit&) const = default;
};

/// What to change of a job; nullopt leaves it.
struct SlurmJobUpdate {
  std::optional<Milliseconds> timeLimit;
  std::optional<std::int64_t> priority, nice;
  std::optional<std::string> comment, partition, qos, account, reservation, name;
  std::optional<bool> hold;

  bool operator==(const SlurmJobUpdate&) const = default;
};

/// Accepted: the id; `messages` are what Slurm said beside it (a held job is told by an error there).
struct SlurmSubmitted {
  std::uint32_t jobId = 0;
  std::vector<std::string> messages;

  bool operator==(const SlurmSubmitted&) const = default;
};

}  // namespace fairlead::codec::slurm
