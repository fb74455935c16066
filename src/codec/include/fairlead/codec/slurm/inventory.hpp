// Nodes, partitions, reservations, licences, switches: what a cluster has.
#pragma once

#include <fairlead/codec/slurm/states.hpp>
#include <fairlead/codec/slurm/values.hpp>

namespace fairlead::codec::slurm {

struct SlurmNode {
  std::string name;
  std::string address, hostname;
  NodeState state = NodeState::unknown;
  NodeFlags flags;
  std::string stateText;  ///< Slurm's words joined by `+`: `IDLE+DRAIN`
  Words unknownStates;
  std::string reason;  ///< why drained or down, by whom and when: the next two
  std::string reasonUser;
  std::optional<TimePoint> reasonSince;
  std::int64_t cpus = 0, cpusAllocated = 0, cpusEffective = 0;
  std::int64_t boards = 1, sockets = 1, coresPerSocket = 1, threadsPerCore = 1;
  Bytes memory, memoryAllocated;
  std::optional<Bytes> memoryFree;
  std::int64_t weight = 1;
  Words features, activeFeatures;
  std::vector<GresEntry> gres;      ///< configured
  std::vector<GresEntry> gresUsed;  ///< with indices where Slurm tells them
  Tres tres, tresUsed;              ///< configured and allocated: compare with the two above
  Words partitions;
  std::string version, architecture, os, owner, comment, extra, instanceId, instanceType;
  std::string reservation;      ///< in force now
  std::string topologyAddress;  ///< `spine.leaf1.n1`, from 25.05 `default:...`; empty where Slurm does not say
  std::optional<TimePoint> bootTime, slurmdStartTime, lastBusy, resumeAfter;

  bool damaged = false;  ///< a value could not be read and is unset here; a report tells which

  bool operator==(const SlurmNode&) const = default;
};

struct SlurmPartition {
  std::string name;
  std::string state;  ///< UP, DOWN, DRAIN, INACTIVE
  bool isDefault = false, hidden = false, rootOnly = false, exclusiveUser = false;
  Words flags;
  HostSet nodes;
  std::int64_t totalNodes = 0, totalCpus = 0;
  Tres tres;
  Words allowAccounts, denyAccounts, allowGroups, allowQos, denyQos;  ///< empty allow list: everybody
  std::string qos;                                                    ///< whose limits rule the partition
  TimeLimit defaultTime, maxTime;
  std::optional<std::int64_t> minNodes, maxNodes, maxCpusPerNode;  ///< nullopt: unlimited or unset
  std::optional<Bytes> defaultMemoryPerNode, defaultMemoryPerCpu, maxMemoryPerNode, maxMemoryPerCpu;
  std::int64_t priorityTier = 1, priorityFactor = 1;
  Words preemptModes;
  std::optional<Milliseconds> graceTime;
  std::string overSubscribe;  ///< NO, YES:4, FORCE:4, EXCLUSIVE
  std::string billingWeights;

  bool operator==(const SlurmPartition&) const = default;
};

struct SlurmReservation {
  std::string name;
  std::optional<TimePoint> start, end;
  HostSet nodes;
  std::int64_t nodeCount = 0, coreCount = 0;
  std::string partition, features, licenses, burstBuffer;
  Words users, groups, accounts, flags;
  Tres tres;
  bool active = false;  ///< where Slurm says so; else compare the instants

  bool operator==(const SlurmReservation&) const = default;
};

struct SlurmLicense {
  std::string name;
  std::int64_t total = 0, used = 0, free = 0, reserved = 0;
  bool remote = false;

  bool operator==(const SlurmLicense&) const = default;
};

/// One line of `scontrol show topology`: a switch of a tree, or a block.
struct SlurmSwitch {
  std::string name;
  bool block = false;
  std::int32_t level = 0;
  HostSet nodes;
  Words children;  ///< switches below, expanded

  bool operator==(const SlurmSwitch&) const = default;
};

/// A controller as `ping` sees it.
struct SlurmPing {
  std::string host;
  bool responding = false;
  bool primary = false;
  std::optional<std::int64_t> latencyMicroseconds;

  bool operator==(const SlurmPing&) const = default;
};

}  // namespace fairlead::codec::slurm
