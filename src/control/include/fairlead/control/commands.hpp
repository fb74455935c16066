// What may be asked of control, and what it answers.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/control/ports/engine_port.hpp>
#include <fairlead/model/records.hpp>
#include <fairlead/model/workload.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fairlead::control {

/// On whose behalf, and allowed by which rule. Made by the API from the authorisation decision; goes into the audit
/// record.
struct Actor {
  std::string principal;
  std::string unixUser;  ///< whom submitted work runs as
  std::string rule;      ///< `role member of project nlp`
  std::string requestId;
};

/// An idempotency key, already hashed: key = SHA-256(principal, key), body = SHA-256(method, path, body).
struct IdempotencyKey {
  model::Digest key{};
  model::Digest body{};
};

struct SubmitCommand {
  Actor actor;
  std::vector<model::Submission> submissions;  ///< all are taken or none; at most 10,000
  std::optional<IdempotencyKey> idempotency;
};

struct SubmitReply {
  model::WorkloadId first;  ///< the new workloads are first, first+1, ... first+count-1
  std::uint32_t count = 0;
  bool repeated = false;  ///< answered from the idempotency record
};

enum class ActionKind : std::uint8_t {
  hold,
  release,
  cancel,
  requeue,
  setPriority,
  signal,
  suspend,
  resume,
  setTimeLimit
};

struct ActCommand {
  Actor actor;
  ActionKind kind = ActionKind::cancel;
  model::WorkloadId workload;
  std::int64_t value = 0;                ///< priority, signal number, or time limit in ms
  std::optional<std::uint64_t> ifMatch;  ///< revision the caller has seen
  std::string message;                   ///< why, for people
};

struct ActReply {
  model::WorkloadState state = model::WorkloadState::queued;
  std::uint64_t revision = 0;
  bool changed = true;  ///< false: it already was so
  /// What is to be asked of the engine now, with Control::adjust: the row does not change, the engine's answer counts.
  std::optional<Adjustment> adjustment = {};
};

template <class Reply>
using ReplyTo = std::function<void(Result<Reply>)>;

}  // namespace fairlead::control

namespace fairlead {
template <>
inline constexpr auto kEnumNames<control::ActionKind> =
    std::to_array<std::pair<control::ActionKind, std::string_view>>({
        {control::ActionKind::hold, "hold"},
        {control::ActionKind::release, "release"},
        {control::ActionKind::cancel, "cancel"},
        {control::ActionKind::requeue, "requeue"},
        {control::ActionKind::setPriority, "set-priority"},
        {control::ActionKind::signal, "signal"},
        {control::ActionKind::suspend, "suspend"},
        {control::ActionKind::resume, "resume"},
        {control::ActionKind::setTimeLimit, "set-time-limit"},
    });
}  // namespace fairlead
