// The rows of live state: workload, attempt, intent.
#pragma once

#include <fairlead/base/units.hpp>
#include <fairlead/model/ids.hpp>
#include <fairlead/model/spec.hpp>
#include <fairlead/model/states.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fairlead::model {

/// What is to happen to an attempt that was told to stop.
enum class StopPurpose : std::uint8_t { none, cancel, requeue, timeLimit, preempt };

/// Of a native job: one that people started on a cluster themselves. It is seen, counted and charged, never touched.
struct NativeOrigin {
  std::string cluster;
  std::string id;         ///< the engine's own: `1234`, `1234_7`; comes round again, so `submittedAt` belongs to it
  std::string account;    ///< what the cluster charges
  std::string queue;      ///< partition or namespace
  std::string qos;        ///< empty where the engine has none
  std::string state;      ///< the engine's own word
  std::string reason;     ///< its word for why it waits or ended
  std::int32_t jobs = 1;  ///< pending elements of an array that are one record
  bool operator==(const NativeOrigin&) const = default;
};
/// Null: the workload is ours.
using NativePtr = std::shared_ptr<const NativeOrigin>;

struct Workload {
  WorkloadId id;
  std::string name;
  std::string project;
  std::string submitter;  ///< principal name
  std::string unixUser;   ///< whom it runs as; never empty for engines that run processes
  SpecPtr spec;
  Labels labels;
  WorkloadState state = WorkloadState::queued;
  StopPurpose stopPurpose = StopPurpose::none;
  FailureCategory failure = FailureCategory::none;  ///< of the last ended attempt
  std::int32_t priority = 0;                        ///< starts as the spec's, operators may change it
  std::uint32_t attempts = 0;                       ///< made so far
  std::uint64_t revision = 1;                       ///< grows with every change; the ETag
  AttemptId currentAttempt;                         ///< the newest, 0 before the first
  WorkloadId arrayParent;                           ///< 0: not an element
  std::int32_t arrayIndex = -1;                     ///< -1: not an element
  std::int32_t elementsStarted = 0;  ///< of an array's record: how many elements have become rows of their own
  TimePoint submittedAt;
  TimePoint queuedAt;                   ///< last time it entered the queue: age counts from here
  TimePoint notBefore;                  ///< begin time or end of back-off; 0: now
  TimePoint startedAt;                  ///< of the newest attempt; 0: not yet
  TimePoint endedAt;                    ///< 0 while not final
  std::vector<std::string> avoidNodes;  ///< nodes whose fault ended an attempt
  std::array<std::uint16_t, kEnumNames<FailureCategory>.size()>
      failures{};       ///< ended attempts by FailureCategory: the retry budgets
  std::string message;  ///< last thing worth telling, for people
  NativePtr native;     ///< set for native jobs only
};

struct DeviceSlice {
  std::int32_t index = 0;  ///< Device::index on the node
  MilliDevices milli{1000};
  bool operator==(const DeviceSlice&) const = default;
};

/// First character of a node's name that stands for one which the engine's own queue will choose.
inline constexpr char kUnknownNode = '?';

struct MemberPlacement {
  std::int32_t role = 0;  ///< index in Spec::roles
  std::int32_t rank = 0;  ///< over all roles
  std::string node;
  std::string vendor;  ///< of its devices; empty when it has none
  std::string model;
  std::vector<DeviceSlice> devices;
  MilliCpus cpus;
  Bytes memory;
  bool operator==(const MemberPlacement&) const = default;
};

/// How one member ended.
struct MemberEnd {
  std::int32_t rank = 0;      ///< -1: one of them, which is not known
  std::int32_t exitCode = 0;  ///< meaningful when signal is 0
  std::int32_t signal = 0;    ///< 0: exited
  bool outOfMemory = false;
  TimePoint at;
  bool operator==(const MemberEnd&) const = default;
};

struct Attempt {
  AttemptId id;
  WorkloadId workload;
  std::uint32_t number = 1;  ///< 1 is the first
  std::string cluster;
  std::string nativeId;  ///< the engine's name for it
  AttemptState state = AttemptState::planned;
  FailureCategory failure = FailureCategory::none;
  std::vector<MemberPlacement> placement;
  std::vector<MemberEnd> ends;
  TimePoint plannedAt;
  TimePoint startedAt;
  TimePoint stopAt;  ///< when the first stop intent was committed
  TimePoint endedAt;
  std::uint32_t stopIntents = 0;
  std::uint32_t signalIntents = 0;
  std::string nativeState;  ///< the engine's own word
  std::string nativeReason;
  std::string resumedFrom;     ///< checkpoint handed over at start; empty: from the beginning
  std::string checkpoint;      ///< newest valid checkpoint known at its end
  TimePoint checkpointAt;      ///< when that checkpoint was complete; 0: none
  std::uint64_t observed = 0;  ///< highest Observation::sequence taken in
};

enum class IntentState : std::uint8_t { open, done };

struct Intent {
  IntentId id;
  WorkloadId workload;
  std::string cluster;
  IntentState state = IntentState::open;
  TimePoint createdAt;
  int signal = 0;       ///< for signal; for stop: the stop signal
  int firstSignal = 0;  ///< for stop: sent first so that a checkpoint is written; 0: none
  Milliseconds firstGrace;
  Milliseconds grace;  ///< for stop: before SIGKILL
  std::string reason;  ///< for people and the engine's records
};

}  // namespace fairlead::model

namespace fairlead {
template <>
inline constexpr auto kEnumNames<model::StopPurpose> = std::to_array<std::pair<model::StopPurpose, std::string_view>>({
    {model::StopPurpose::none, "none"},
    {model::StopPurpose::cancel, "cancel"},
    {model::StopPurpose::requeue, "requeue"},
    {model::StopPurpose::timeLimit, "time-limit"},
    {model::StopPurpose::preempt, "preempt"},
});
template <>
inline constexpr auto kEnumNames<model::IntentState> = std::to_array<std::pair<model::IntentState, std::string_view>>(
    {{model::IntentState::open, "open"}, {model::IntentState::done, "done"}});
}  // namespace fairlead
