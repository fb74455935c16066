// States, flags and reasons of jobs and nodes: Slurm's word, ours, and what to tell people. Tables: job_states.cpp,
// node_states.cpp, reasons_*.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace fairlead::codec::slurm {

/// The base state of a job. `unknown`: the word is not in the table, or only a flag is shown.
enum class JobState : std::uint8_t {
  unknown,
  pending,
  running,
  suspended,
  completed,
  cancelled,
  failed,
  timeout,
  nodeFail,
  preempted,
  bootFail,
  deadline,
  outOfMemory,
};
/// True for states from which a job only comes back by a requeue. False for unknown: nothing is concluded from it.
[[nodiscard]] bool isFinal(JobState state);

/// What may stand beside the base state.
enum class JobFlag : std::uint8_t {
  completing,
  configuring,
  expediting,
  launchFailed,
  powerUpNode,
  reconfigFail,
  requeued,
  requeueFed,
  requeueHold,
  resizing,
  reservationDeletedHold,
  revoked,
  signaling,
  specialExit,
  stageOut,
  stopped,
  updateDb,
};

/// The base state of a node.
enum class NodeState : std::uint8_t { unknown, down, idle, allocated, mixed, error, future };

enum class NodeFlag : std::uint8_t {
  blocked,
  cloud,
  completing,
  drain,
  dynamicFuture,
  dynamicNorm,
  externalNode,
  fail,
  invalid,
  invalidReg,
  maintenance,
  notResponding,
  planned,
  poweredDown,
  poweringDown,
  poweringUp,
  powerDownPending,
  powerDrain,
  powerUpPending,
  rebootCanceled,
  rebootIssued,
  rebootRequested,
  reserved,
  resume,
  perfCounters,
  undrain,
};

/// A small set of flags.
template <class Flag>
class FlagSet {
 public:
  constexpr void add(Flag flag) { bits_ |= bit(flag); }
  [[nodiscard]] constexpr bool has(Flag flag) const { return (bits_ & bit(flag)) != 0; }
  [[nodiscard]] constexpr bool empty() const { return bits_ == 0; }
  bool operator==(const FlagSet&) const = default;

 private:
  static constexpr std::uint32_t bit(Flag flag) { return std::uint32_t{1} << static_cast<unsigned>(flag); }
  std::uint32_t bits_ = 0;
};
using JobFlags = FlagSet<JobFlag>;
using NodeFlags = FlagSet<NodeFlag>;

/// One word of Slurm's and what it means. Texts are for people: `what` is true of the thing now, `change` says what
/// would make it otherwise (empty where nothing will).
struct JobStateRow {
  std::string_view word;   ///< `OUT_OF_MEMORY`
  std::string_view brief;  ///< `OOM`: what squeue's short column shows; empty where there is none
  JobState state;          ///< unknown for a flag
  std::int16_t flag;       ///< a JobFlag, or -1
  std::string_view what;
  std::string_view change;
};
struct NodeStateRow {
  std::string_view word;  ///< upper case as in JSON and scontrol
  NodeState state;        ///< unknown for a flag
  std::int16_t flag;      ///< a NodeFlag, or -1
  std::string_view what;
  std::string_view change;
};

/// Who can make a reason go away; also its family.
enum class ReasonKind : std::uint8_t {
  none,         ///< not waiting for anything named
  queue,        ///< others are before it
  capacity,     ///< what it wants is in use
  limit,        ///< a limit of QOS, association, account, user, partition or licence
  dependency,   ///< another job
  time,         ///< an instant that comes by itself
  hold,         ///< a person must release it
  impossible,   ///< never on this cluster as it is
  nodeTrouble,  ///< nodes are down, drained or fail
  accounting,   ///< account, QOS or association is wrong
  ended,        ///< how it ended
  systemFault,  ///< Slurm itself could not
};

/// Whose limit a reason of kind `limit` names.
enum class LimitScope : std::uint8_t { none, partition, qos, qosAccount, qosUser, association, job, array, site };

struct ReasonRow {
  std::string_view word;  ///< `QOSMaxJobsPerUserLimit`, as squeue and JSON write it
  ReasonKind kind;
  LimitScope scope;
  /// What is limited: a TRES type (`cpu`, `mem`, `node`, `gres`, `license`, `energy`, `billing`, `bb`), or `jobs`,
  /// `submit`, `wall`, `tasks`; empty where the reason names nothing.
  std::string_view resource;
  std::string_view what;
  std::string_view change;
};

/// Rows by exact word (short forms of states too, any case for nodes); nullptr for words not declared. A reason may be
/// followed by details (`RaisedSignal:15(Terminated)`, `ReqNodeNotAvail, UnavailableNodes:n1`): the row of its first
/// word is given.
[[nodiscard]] const JobStateRow* findJobState(std::string_view word);
[[nodiscard]] const NodeStateRow* findNodeState(std::string_view word);
[[nodiscard]] const ReasonRow* findReason(std::string_view text);

[[nodiscard]] std::span<const JobStateRow> jobStateTable();
[[nodiscard]] std::span<const NodeStateRow> nodeStateTable();
[[nodiscard]] std::span<const ReasonRow> reasonTable();

/// The row of a state; `unknown` has none.
[[nodiscard]] const JobStateRow* rowOf(JobState state);
[[nodiscard]] const JobStateRow* rowOf(JobFlag flag);
[[nodiscard]] const NodeStateRow* rowOf(NodeState state);
[[nodiscard]] const NodeStateRow* rowOf(NodeFlag flag);

}  // namespace fairlead::codec::slurm
