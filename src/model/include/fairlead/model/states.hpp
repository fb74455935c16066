// State machines of workload and attempt, as tables: every pair of state and event is decided.
#pragma once

#include <fairlead/base/enum_text.hpp>

#include <cstdint>
#include <optional>

namespace fairlead::model {

enum class WorkloadState : std::uint8_t {
  held,       ///< waits for a release by a person
  queued,     ///< waits for capacity, a dependency, a back-off or its begin time
  starting,   ///< an attempt is planned and handed to an engine
  running,    ///< its attempt runs
  stopping,   ///< its attempt was told to stop
  unknown,    ///< its engine does not answer; it may well be running
  succeeded,  ///< final
  failed,     ///< final: no attempt left, or a failure its retry rule does not cover
  cancelled,  ///< final
};

enum class WorkloadEvent : std::uint8_t {
  hold,           ///< a person holds it
  release,        ///< a person releases it
  place,          ///< a plan gave it devices
  start,          ///< its attempt runs
  succeed,        ///< its attempt ended well
  retry,          ///< its attempt ended and another may follow
  fail,           ///< its attempt ended and none may follow
  cancel,         ///< a person cancels it
  stopped,        ///< its attempt ended because of a cancel
  requeue,        ///< a person or the policy sends it back to the queue
  loseContact,    ///< no evidence about its attempt any more
  regainContact,  ///< evidence again: the attempt runs
};

enum class AttemptState : std::uint8_t {
  planned,    ///< committed, not yet accepted by the engine
  accepted,   ///< the engine has it and will start it
  running,    ///< processes run
  stopping,   ///< told to stop
  unknown,    ///< no evidence; keeps its devices
  succeeded,  ///< final
  failed,     ///< final
  cancelled,  ///< final: ended because it was told to
};

enum class AttemptEvent : std::uint8_t {
  accept,         ///< the engine took it
  refuse,         ///< the engine will not start it
  start,          ///< processes run
  stop,           ///< a stop intent went out
  succeed,        ///< ended well
  fail,           ///< ended badly, or positively lost
  stopped,        ///< ended after a stop
  loseContact,    ///< no evidence
  regainContact,  ///< evidence: it runs
};

/// The state after `event`, or nothing where the event is not allowed in `state` (a conflict for a person's command, a
/// late or repeated fact for an engine's). A final workload takes only `requeue`; a final attempt takes nothing.
[[nodiscard]] std::optional<WorkloadState> next(WorkloadState state, WorkloadEvent event);
[[nodiscard]] std::optional<AttemptState> next(AttemptState state, AttemptEvent event);

[[nodiscard]] constexpr bool isFinal(WorkloadState s) {
  return s == WorkloadState::succeeded || s == WorkloadState::failed || s == WorkloadState::cancelled;
}
[[nodiscard]] constexpr bool isFinal(AttemptState s) {
  return s == AttemptState::succeeded || s == AttemptState::failed || s == AttemptState::cancelled;
}
/// True while the attempt's devices are taken.
[[nodiscard]] constexpr bool holdsDevices(AttemptState s) { return !isFinal(s); }

/// Why an attempt ended badly.
enum class FailureCategory : std::uint8_t {
  none,
  applicationExit,  ///< exit code other than 0
  signal,           ///< killed by a signal nobody of ours sent
  outOfMemory,
  nodeLost,    ///< the host is gone, rebooted or was fenced
  engineLost,  ///< the engine lost the attempt while the host lives
  preempted,   ///< the policy took its devices
  timeLimit,
  cancelled,    ///< a person cancelled it
  startFailed,  ///< never ran: command missing, folder missing, refused
};

}  // namespace fairlead::model

namespace fairlead {
template <>
inline constexpr auto kEnumNames<model::WorkloadState> =
    std::to_array<std::pair<model::WorkloadState, std::string_view>>({
        {model::WorkloadState::held, "held"},
        {model::WorkloadState::queued, "queued"},
        {model::WorkloadState::starting, "starting"},
        {model::WorkloadState::running, "running"},
        {model::WorkloadState::stopping, "stopping"},
        {model::WorkloadState::unknown, "unknown"},
        {model::WorkloadState::succeeded, "succeeded"},
        {model::WorkloadState::failed, "failed"},
        {model::WorkloadState::cancelled, "cancelled"},
    });
template <>
inline constexpr auto kEnumNames<model::WorkloadEvent> =
    std::to_array<std::pair<model::WorkloadEvent, std::string_view>>({
        {model::WorkloadEvent::hold, "hold"},
        {model::WorkloadEvent::release, "release"},
        {model::WorkloadEvent::place, "place"},
        {model::WorkloadEvent::start, "start"},
        {model::WorkloadEvent::succeed, "succeed"},
        {model::WorkloadEvent::retry, "retry"},
        {model::WorkloadEvent::fail, "fail"},
        {model::WorkloadEvent::cancel, "cancel"},
        {model::WorkloadEvent::stopped, "stopped"},
        {model::WorkloadEvent::requeue, "requeue"},
        {model::WorkloadEvent::loseContact, "lose-contact"},
        {model::WorkloadEvent::regainContact, "regain-contact"},
    });
template <>
inline constexpr auto kEnumNames<model::AttemptState> =
    std::to_array<std::pair<model::AttemptState, std::string_view>>({
        {model::AttemptState::planned, "planned"},
        {model::AttemptState::accepted, "accepted"},
        {model::AttemptState::running, "running"},
        {model::AttemptState::stopping, "stopping"},
        {model::AttemptState::unknown, "unknown"},
        {model::AttemptState::succeeded, "succeeded"},
        {model::AttemptState::failed, "failed"},
        {model::AttemptState::cancelled, "cancelled"},
    });
template <>
inline constexpr auto kEnumNames<model::AttemptEvent> =
    std::to_array<std::pair<model::AttemptEvent, std::string_view>>({
        {model::AttemptEvent::accept, "accept"},
        {model::AttemptEvent::refuse, "refuse"},
        {model::AttemptEvent::start, "start"},
        {model::AttemptEvent::stop, "stop"},
        {model::AttemptEvent::succeed, "succeed"},
        {model::AttemptEvent::fail, "fail"},
        {model::AttemptEvent::stopped, "stopped"},
        {model::AttemptEvent::loseContact, "lose-contact"},
        {model::AttemptEvent::regainContact, "regain-contact"},
    });
template <>
inline constexpr auto kEnumNames<model::FailureCategory> =
    std::to_array<std::pair<model::FailureCategory, std::string_view>>({
        {model::FailureCategory::none, "none"},
        {model::FailureCategory::applicationExit, "exit"},
        {model::FailureCategory::signal, "signal"},
        {model::FailureCategory::outOfMemory, "out-of-memory"},
        {model::FailureCategory::nodeLost, "node-lost"},
        {model::FailureCategory::engineLost, "engine-lost"},
        {model::FailureCategory::preempted, "preempted"},
        {model::FailureCategory::timeLimit, "time-limit"},
        {model::FailureCategory::cancelled, "cancelled"},
        {model::FailureCategory::startFailed, "start-failed"},
    });
}  // namespace fairlead
