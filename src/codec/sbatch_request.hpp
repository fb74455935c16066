// What a batch script asked for, before it becomes a workload.
#pragma once

#include "sbatch_values.hpp"

#include <fairlead/codec/sbatch.hpp>
#include <fairlead/codec/tree.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::codec {

/// One option as written.
struct SbatchGiven {
  std::string option;  ///< `--gres`, in its long form
  std::string value;   ///< empty where it has none
  bool hasValue = false;
  Place place;  ///< line 0: from the command line
};

/// A value with the option that set it. The last one wins, as in sbatch.
template <class T>
struct SbatchOption {
  std::optional<T> value;
  SbatchGiven given;

  void set(const SbatchGiven& from, T content) {
    given = from;
    value = std::move(content);
  }
  [[nodiscard]] explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
};

using GresList = std::vector<GresRequest>;

struct SbatchRequest {
  SbatchOption<std::string> jobName, account, comment, wckey, chdir, output, error, array;
  SbatchOption<NodeCounts> nodes;
  SbatchOption<std::int64_t> tasks, tasksPerNode, tasksPerGpu, cpusPerTask, cpusPerGpu, leastCpus, socketsPerNode;
  SbatchOption<GresList> gres, gpus, gpusPerNode, gpusPerTask, gpusPerSocket;
  SbatchOption<Bytes> memory, memoryPerCpu, memoryPerGpu;
  SbatchOption<Milliseconds> timeLimit;
  SbatchOption<TimePoint> begin;
  SbatchOption<std::vector<model::Dependency>> dependencies;
  SbatchOption<bool> requeue, append;
  SbatchOption<std::int32_t> priority;
  SbatchOption<std::string> exportList;
  SbatchOption<model::CheckpointRule> signal;
  SbatchOption<std::string> partition, qos, constraint, reservation, licenses;
  SbatchOption<std::int64_t> switches;
  bool hold = false;
  bool exclusive = false;
};

/// The work in progress: the request, and what there is to say about it.
struct SbatchWork {
  const SbatchContext& context;
  SbatchRequest request;
  std::vector<NotMapped> notMapped;
  Errors errors;

  void fault(const SbatchGiven& given, const ErrorCode& code, std::string message, std::string remedy);
  void notMap(const SbatchGiven& given, std::string why) {
    notMapped.push_back({given.option, given.value, std::move(why)});
  }
};

/// Reads the words of one line, or of the command line, into `work`.
void readSbatchOptions(SbatchWork& work, const std::vector<std::string>& words, const std::vector<Place>& places);
/// The workload of a request without errors; adds errors where parts do not fit together.
[[nodiscard]] WorkloadDocument makeSbatchWorkload(SbatchWork& work, std::string_view script);

}  // namespace fairlead::codec
