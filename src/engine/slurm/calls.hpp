// The one seam between the Slurm engine and a cluster: what it asks, in neutral values, and how that can fail.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/codec/slurm/requests.hpp>
#include <fairlead/codec/slurm/types.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fairlead::engine::slurm {

namespace wire = codec::slurm;

/// Who answers.
struct ServerInfo {
  std::string way;      ///< `REST v0.0.42`, `command line`
  std::string release;  ///< `24.11.5`; empty where it is not told
  std::string cluster;  ///< Slurm's own name of it; empty where it is not told
};

/// Which jobs of slurmdbd; all that is given must hold.
struct HistoryQuery {
  std::optional<TimePoint> from, to;  ///< alive at some instant between; to: now
  std::vector<std::uint32_t> ids;
  std::vector<std::string> names;  ///< exact
  bool everyRun = false;           ///< all runs of requeued jobs, not only the last
};

/// Implementations: REST, command line; in tests a script. Any thread; at most the configured number of calls run at
/// once, others wait for their turn. Every call ends within its time-out. An empty `user` is the one that reads.
///
/// Errors: kSlurmUnreachable (nothing was done), kSlurmUncertain (something may have been done; only of calls that
/// change something), kSlurmRefused, kSlurmDenied, kSlurmUnknownJob, kSlurmCredentials, kSlurmMalformed,
/// kSlurmUnsupported. Messages hold what Slurm said and its number.
class SlurmCalls {
 public:
  virtual ~SlurmCalls() = default;
  /// Finds the way in: newest common version, or the programs. Needed before any other call; may be repeated.
  [[nodiscard]] virtual Result<ServerInfo> connect() = 0;
  /// Every job that slurmctld knows; with `changedSince` possibly only those that changed (an implementation may answer
  /// with all).
  [[nodiscard]] virtual Result<wire::SlurmList<wire::SlurmJob>> jobs(std::optional<TimePoint> changedSince) = 0;
  [[nodiscard]] virtual Result<wire::SlurmList<wire::SlurmNode>> nodes() = 0;
  [[nodiscard]] virtual Result<wire::SlurmList<wire::SlurmPartition>> partitions() = 0;
  [[nodiscard]] virtual Result<wire::SlurmList<wire::SlurmAccountedJob>> history(const HistoryQuery& query) = 0;
  [[nodiscard]] virtual Result<wire::SlurmSubmitted> submit(const wire::SlurmSubmit& job, const std::string& user) = 0;
  /// Ends the job; of a heterogeneous one, the leader's id ends all.
  [[nodiscard]] virtual Result<void> cancel(std::uint32_t job, const std::string& user) = 0;
  /// kSlurmUnsupported: this way reaches the batch script only (slurmrestd before v0.0.40).
  [[nodiscard]] virtual Result<void> signal(std::uint32_t job, int number, wire::SignalScope scope,
                                            const std::string& user) = 0;
  [[nodiscard]] virtual Result<void> update(std::uint32_t job, const wire::SlurmJobUpdate& change,
                                            const std::string& user) = 0;
  [[nodiscard]] virtual Result<void> requeue(std::uint32_t job, const std::string& user) = 0;
  /// Lines of slurm.conf as slurmctld has them, name and value; kSlurmUnsupported where this way does not tell them.
  [[nodiscard]] virtual Result<std::vector<std::pair<std::string, std::string>>> settings() = 0;
  [[nodiscard]] virtual Result<void> setSuspended(std::uint32_t job, bool suspended) = 0;
  /// `reason` is needed to drain.
  [[nodiscard]] virtual Result<void> orderNode(wire::NodeAction action, const std::string& node,
                                               const std::string& reason) = 0;
  /// Ends calls under way and refuses later ones. Any thread.
  virtual void shutdown() = 0;
};

/// True when the same call may work later although nothing is wrong with it.
[[nodiscard]] bool mayWorkLater(const Error& error);
/// The error that stands for a refusal; `what` is what was asked (`submitting the job`).
[[nodiscard]] Error refusalOf(const wire::SlurmProblem& problem, const std::string& what);

/// The same for a request that changes something: where slurmctld may have taken it after all, kSlurmUncertain.
[[nodiscard]] Error refusedChange(const wire::SlurmProblem& problem, const std::string& what);
/// The first problem that is a failure, and no remark; nullptr: none.
[[nodiscard]] const wire::SlurmProblem* failureIn(const wire::SlurmAnswer& answer);
/// All errors of a request that was never sent, as one of kSlurmRefused.
[[nodiscard]] Error wrongRequest(const Errors& errors, const std::string& what);

}  // namespace fairlead::engine::slurm
