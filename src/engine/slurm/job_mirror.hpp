// The queue as it was read last, and whether that reading may be believed. Pure; for one thread at a time.
#pragma once

#include "slurm/fate.hpp"

#include <fairlead/model/ids.hpp>

#include <map>
#include <string>
#include <vector>

namespace fairlead::engine::slurm {

/// A job that carries one of our intents.
struct SeenJob {
  JobFacts facts;
  std::string user;  ///< empty where Slurm could not name it
  std::string name;
};

/// What a reading is worth.
struct ReadVerdict {
  bool present = false;  ///< what stands in it is so
  bool whole = false;    ///< what does not stand in it is not in the queue
  std::string doubt;     ///< why not, for people; empty: none
};

class JobMirror {
 public:
  /// `slurmCluster`: Slurm's name of the cluster that must answer; empty: any, but always the same.
  explicit JobMirror(std::string slurmCluster) : cluster_(std::move(slurmCluster)) {}

  /// Takes one reading of all jobs; keeps the former where it is not `present`.
  ReadVerdict take(const wire::SlurmList<wire::SlurmJob>& read);
  /// Jobs that carry the attempt's start intent, the latest submitted first.
  [[nodiscard]] std::vector<SeenJob> find(model::AttemptId attempt) const;
  [[nodiscard]] const std::map<model::AttemptId, std::vector<SeenJob>>& ours() const { return ours_; }
  [[nodiscard]] std::size_t jobs() const { return jobs_; }
  /// Slurm's name of the cluster; empty where nobody told it yet.
  [[nodiscard]] const std::string& cluster() const { return cluster_; }

 private:
  [[nodiscard]] ReadVerdict judge(const wire::SlurmList<wire::SlurmJob>& read);

  std::string cluster_;
  std::size_t jobs_ = 0;   ///< of the last believed reading
  bool believed_ = false;  ///< some reading was whole
  std::int32_t emptyInRow_ = 0;
  std::map<model::AttemptId, std::vector<SeenJob>> ours_;
};

}  // namespace fairlead::engine::slurm
