// Which jobs of other people are to be told: those that are new or have changed since, and the ends of those that the
// queue does not hold any more.
#pragma once

#include "slurm/calls.hpp"
#include "slurm/native_form.hpp"
#include "slurm/native_runs.hpp"

#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace fairlead::engine::slurm {

/// Holds a few dozen bytes for every job of the last reading, and for those gone whose end is not known. One thread
/// for all but isAlive.
class NativeJobs {
 public:
  NativeJobs(NativeForm form, OwnerOf ownerOf) : form_(std::move(form)), ownerOf_(std::move(ownerOf)) {}

  /// Takes one believed reading. `whole`: what it does not hold is not in the queue. `now`: monotonic.
  [[nodiscard]] std::vector<model::NativeJob> take(const wire::SlurmList<wire::SlurmJob>& read, bool whole,
                                                   const std::string& cluster, const ClusterDevices& devices,
                                                   Milliseconds now);
  /// What slurmdbd is to be asked now, if anything: ends, and first submissions of jobs that ran before.
  [[nodiscard]] std::optional<HistoryQuery> question(Milliseconds now);
  /// The answer to the last question; null: there was none that can be relied on.
  [[nodiscard]] std::vector<model::NativeJob> takeAnswer(const wire::SlurmList<wire::SlurmAccountedJob>* answer,
                                                         const RunReading& reading, const ClusterDevices& devices,
                                                         Milliseconds now);
  /// The next reading tells all.
  void tellAgain();
  /// True for a job, by nativeName, that has not ended as far as the queue told. Any thread.
  [[nodiscard]] bool isAlive(const std::string& name) const;
  /// Jobs whose end was never found because too many were looked for; grows.
  [[nodiscard]] std::size_t givenUp() const { return givenUp_; }

 private:
  struct Told {
    std::uint32_t job = 0;
    std::uint64_t digest = 0;
    TimePoint submitted, latest;  ///< the first submission, and the one that the queue shows
    std::uint32_t run = 0;        ///< whose start was told with its place; 0: none
    std::uint32_t reading = 0;    ///< that held it last
    bool ours = false, ended = false;
    bool array = false;  ///< the part of one that has not split
    bool said = false;   ///< something was told of it
  };
  /// A question to slurmdbd about a job.
  struct Ask {
    std::uint32_t job = 0;
    TimePoint submitted;  ///< as the queue shows it
    Milliseconds at, pause;
    std::int32_t failures = 0;
    bool gone = false;  ///< else: it ran before, and when it came first is asked
  };

  void takeJob(const wire::SlurmJob& job, const ClusterDevices& devices, Milliseconds now);
  [[nodiscard]] bool isOfOurs(const wire::SlurmJob& job, const Told* told) const;
  void noteOurs(const wire::SlurmJob& job);
  /// Nothing: not known yet.
  [[nodiscard]] std::optional<TimePoint> firstSubmission(const std::string& name, const wire::SlurmJob& job,
                                                         const Told* told, Milliseconds now);
  void noteGone(Milliseconds now);
  template <class Job>
  void endSpentArray(const std::string& name, const Job& last);
  void answerGone(const std::string& name, const std::vector<Runs>* jobs, const ClusterDevices& devices);
  void answerFirst(const std::string& name, const Ask& ask, const std::vector<Runs>* jobs,
                   const ClusterDevices& devices);

  NativeForm form_;
  OwnerOf ownerOf_;
  mutable std::mutex mutex_;  ///< of told_
  std::unordered_map<std::string, Told> told_;
  std::map<std::string, Ask> asks_;
  std::vector<std::string> asked_;  ///< names of the last question
  // Of the reading under way: arrays' last elements, which took over the arrays' own ids, and heterogeneous jobs.
  std::map<std::uint32_t, const wire::SlurmJob*> lastElements_, leaders_;
  std::set<std::uint32_t> ourLeaders_;
  std::vector<model::NativeJob> out_;
  std::uint32_t reading_ = 0;
  std::size_t givenUp_ = 0;
};

}  // namespace fairlead::engine::slurm
