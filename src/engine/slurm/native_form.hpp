// Jobs of other people as control is told of them. No I/O; one thread at a time.
#pragma once

#include "slurm/allocation.hpp"

#include <fairlead/model/observation.hpp>

#include <compare>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fairlead::engine::slurm {

/// A job's name in Slurm's own way: `66_7` an element, `66` the part of an array that has not split yet (its brackets
/// change with every start), `70+1` a component, else `71`.
[[nodiscard]] std::string nativeName(const wire::SlurmJob& job);
[[nodiscard]] std::string nativeName(const wire::SlurmAccountedJob& job);

/// The project that an account stands for: the one configured, else the account's own name made fit for one
/// (codec::isName); `unassigned` where nothing of it is.
[[nodiscard]] std::string projectOf(const std::string& account,
                                    const std::vector<std::pair<std::string, std::string>>& configured);

/// What was asked for, as far as it is told. Equal ones share one document.
struct NativeAsk {
  model::TaskClass taskClass = model::TaskClass::training;
  std::int64_t members = 1;  ///< nodes
  std::string vendor, model;
  std::int64_t devices = 0, cpus = 0, memory = 0;  ///< per node; memory in bytes
  std::int64_t limit = 0;                          ///< milliseconds; 0: none
  auto operator<=>(const NativeAsk&) const = default;
};

class NativeForm {
 public:
  NativeForm(std::string cluster, std::vector<std::pair<std::string, std::string>> projects)
      : cluster_(std::move(cluster)), projects_(std::move(projects)) {}

  /// The job as it is. `submitted`: its first submission, since Slurm submits anew what it requeues. `interactive`:
  /// Slurm says that no batch script runs. Not for jobs whose state says nothing.
  [[nodiscard]] model::NativeJob ofJob(const wire::SlurmJob& job, TimePoint submitted, bool interactive,
                                       const ClusterDevices& devices);
  /// One job's runs, oldest first, that have all ended: what is to be told, in that order, so that each is charged for
  /// its own time. `goesOn`: another run follows that is told by its reading.
  [[nodiscard]] std::vector<model::NativeJob> ofRuns(std::span<const wire::SlurmAccountedJob* const> runs, bool goesOn,
                                                     const ClusterDevices& devices);
  /// The part of an array that never split, now that nothing of it waits any more; `element` is one of that array.
  template <class Job>
  [[nodiscard]] model::NativeJob ofSpentArray(const Job& element, TimePoint submitted);

 private:
  template <class Job>
  [[nodiscard]] model::NativeJob fill(const Job& job, bool interactive);
  [[nodiscard]] model::NativeJob ofRun(const wire::SlurmAccountedJob& run, std::uint32_t number, TimePoint submitted,
                                       const ClusterDevices& devices);
  [[nodiscard]] model::SpecPtr specOf(const NativeAsk& ask);

  std::string cluster_;
  std::vector<std::pair<std::string, std::string>> projects_;
  std::map<NativeAsk, model::SpecPtr> specs_;  ///< at most kMostSpecs
};

}  // namespace fairlead::engine::slurm
