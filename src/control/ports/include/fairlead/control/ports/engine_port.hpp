// What control needs of an engine. Adapters (local, slurm, kubernetes, sim) implement it.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/model/inventory.hpp>
#include <fairlead/model/observation.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fairlead::control {

/// All that an engine needs to start an attempt; complete, so that a repeat after a crash is the same order.
struct StartOrder {
  model::Intent intent;
  model::Workload workload;
  model::Attempt attempt;
  std::string modelUri;  ///< file:///... of the model version that the spec names; empty: none
  model::Digest modelDigest{};
};

/// An attempt that control believes to be alive, told to an engine at start so that it can look for it.
struct KnownAttempt {
  model::AttemptId attempt;
  model::AttemptState state;
  std::uint64_t observed = 0;
  std::string nativeId = {};  ///< empty: not taken yet, as far as was told
  std::string workloadName = {};
  std::string unixUser = {};
};

enum class DispatchOutcome : std::uint8_t {
  done,   ///< taken; observations follow. A repeat of a done intent answers done again and does nothing
  retry,  ///< not now (engine down, slow, full): the same intent will be given again
};

/// Where an engine reports. Thread-safe; never blocks for long. The engine may call from any of its threads.
class EngineSink {
 public:
  virtual ~EngineSink() = default;
  /// Facts about attempts. A refusal of a start order is an Observation of kind refused.
  virtual void observe(std::vector<model::Observation> observations) = 0;
  /// Native jobs that are new or have changed, or all of them: a repeat does nothing. One that has ended is told once
  /// more, with its end; one that is not told any more stays what it was.
  virtual void native(std::vector<model::NativeJob> jobs) = 0;
  /// All nodes of the cluster as they are now; replaces what was reported before.
  virtual void inventory(std::string cluster, std::vector<model::Node> nodes) = 0;
  /// The answer to an intent given by dispatch.
  virtual void dispatched(model::IntentId intent, DispatchOutcome outcome, std::string reason) = 0;
};

enum class LogStream : std::uint8_t { standardOutput, standardError };

struct LogQuery {
  model::AttemptId attempt;
  std::int32_t rank = 0;
  LogStream stream = LogStream::standardOutput;
  std::uint64_t offset = 0;     ///< bytes from the beginning of all that was ever written
  std::int64_t tailBytes = -1;  ///< -1: from offset; else start so many bytes before the end, at a line
  std::size_t limit = 1 << 20;  ///< at most so many bytes are returned
};

struct LogChunk {
  std::string bytes;
  std::uint64_t offset = 0;  ///< of the first byte; above the asked one when older bytes were rotated away
  std::uint64_t end = 0;     ///< offset to go on from
  bool complete = false;     ///< the stream has ended and `end` is its end
};

/// What an engine can do with an attempt that it holds. Absolute, so that a repeat changes nothing.
enum class AdjustKind : std::uint8_t {
  hold,     ///< not started yet: keep it from starting
  release,  ///< let it start
  suspend,  ///< its processes stand still and keep their memory
  resume,
  priority,   ///< value: Fairlead's priority
  timeLimit,  ///< value: the whole limit in ms, from its start
};

struct Adjustment {
  model::AttemptId attempt;
  AdjustKind kind = AdjustKind::hold;
  std::int64_t value = 0;
};

struct EngineAbilities {
  bool hold = false;       ///< hold and release: it has a queue of its own
  bool suspend = false;    ///< suspend and resume
  bool priority = false;   ///< of what waits in its queue
  bool timeLimit = false;  ///< of what it holds
  bool nodes = false;      ///< drain and resume
  bool operator==(const EngineAbilities&) const = default;
};

/// To take a node out of service, or back.
struct NodeOrder {
  std::string node;
  bool drain = true;   ///< what runs may go on; nothing new. Else: takes work again
  std::string reason;  ///< for people; with who asked
};

/// How an engine stands with its cluster, for people.
struct EngineStatus {
  bool answers = true;             ///< was read lately enough to be believed
  TimePoint readAt;                ///< of the last believed reading; 0: never
  std::string product;             ///< `Slurm 24.11.5`, `local processes`
  std::string way;                 ///< `REST v0.0.42`, `command line`; empty: none is needed
  std::string trouble;             ///< what fails now; empty: nothing
  std::vector<std::string> notes;  ///< what else people should know: doubts, how far history is read
};

class EnginePort {
 public:
  virtual ~EnginePort() = default;
  /// The cluster's name; constant.
  [[nodiscard]] virtual const std::string& cluster() const = 0;
  /// Begins to report to `sink` (inventory first) and looks for `known` attempts. Called once, before any dispatch.
  virtual Result<void> start(EngineSink& sink, std::vector<KnownAttempt> known) = 0;
  /// No reports after it returns. Running work goes on.
  virtual void shutdown() = 0;
  /// Asynchronous; the outcome comes through EngineSink::dispatched. Never blocks on the engine.
  virtual void dispatchStart(StartOrder order) = 0;
  virtual void dispatchStop(model::Intent intent) = 0;
  virtual void dispatchSignal(model::Intent intent) = 0;
  /// Any thread. notFound when the attempt or its logs are unknown here.
  [[nodiscard]] virtual Result<LogChunk> readLog(const LogQuery& query) = 0;
  /// The attempt is final and its row is durable: the engine may forget what it kept to prove it. Logs stay by their
  /// own rule.
  virtual void settled(model::AttemptId attempt) = 0;
  /// Constant. Any thread.
  [[nodiscard]] virtual EngineAbilities abilities() const { return {}; }
  /// Any thread; quick.
  [[nodiscard]] virtual EngineStatus status() const { return {}; }
  /// Any thread; blocks until the engine has answered. What it refuses, or cannot, is the error.
  [[nodiscard]] virtual Result<void> adjust(const Adjustment& adjustment);
  [[nodiscard]] virtual Result<void> orderNode(const NodeOrder& order);
};

inline constexpr ErrorCode kEngineCannot{"control/engine-cannot", ErrorKind::conflict, "not possible on this cluster"};

}  // namespace fairlead::control

namespace fairlead {
template <>
inline constexpr auto kEnumNames<control::AdjustKind> =
    std::to_array<std::pair<control::AdjustKind, std::string_view>>({
        {control::AdjustKind::hold, "hold"},
        {control::AdjustKind::release, "release"},
        {control::AdjustKind::suspend, "suspend"},
        {control::AdjustKind::resume, "resume"},
        {control::AdjustKind::priority, "priority"},
        {control::AdjustKind::timeLimit, "time-limit"},
    });
}  // namespace fairlead
