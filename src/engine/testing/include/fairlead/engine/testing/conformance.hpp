// One suite for every engine adapter. An adapter's test file makes a GoogleTest parameter of each case and runs it on a
// subject over its harness. Everything is real: processes, files, the engine's own daemons.
#pragma once

#include <fairlead/control/ports/engine_port.hpp>
#include <fairlead/engine/testing/remembering_sink.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::engine::testing {

/// How to get at the adapter under test. What it cannot do it says, and the case that needs it is skipped aloud.
class EngineHarness {
 public:
  virtual ~EngineHarness() = default;
  /// The engine as a new daemon makes it, over what the former one left. Not started yet.
  virtual std::unique_ptr<control::EnginePort> open() = 0;
  /// A folder that the suite and the work both see and write, for all attempts of this subject.
  virtual std::string folder() = 0;
  virtual std::string unixUser() = 0;
  /// The id of the next attempt: never one that this engine saw before.
  virtual std::uint64_t nextAttempt() = 0;
  /// A kind of device of which a node has two or more; empty model: there is none.
  struct Device {
    std::string vendor, model, variable;
  };
  virtual Device device() { return {}; }
  /// The shortest time limit that the engine keeps.
  virtual Milliseconds shortestLimit() { return {300}; }
  /// Ends the engine's own daemons hard and starts them again; false: it has none.
  virtual bool restartDaemons() { return false; }
  /// Engines that are opened from now on let their own queue start work again; false: it has none.
  virtual bool allowRequeue() { return false; }
  /// Has the queue start work again, as its owner can; `nativeId` as it was told.
  virtual void requeue(const std::string& nativeId) { (void)nativeId; }
  /// True when a member that takes more memory than it was given is ended for it.
  virtual bool limitsMemory() { return false; }
  /// Has this script started on the cluster by a person, in the engine's own way, with a device; false: there is no
  /// way.
  virtual bool runNative(const std::string& script) {
    (void)script;
    return false;
  }
  /// Takes the node of a running attempt away for good; false: cannot be done here.
  virtual bool loseNode(const std::string& node) {
    (void)node;
    return false;
  }
};

/// What a case wants run; the rest is filled in.
struct Work {
  std::vector<std::string> command;
  std::string script;
  std::int32_t members = 1;
  std::int32_t devices = 0;  ///< per member, of EngineHarness::device
  std::function<void(model::Spec&)> spec;
};

class EngineUnderTest {
 public:
  explicit EngineUnderTest(EngineHarness& harness) : harness_(&harness) {}
  ~EngineUnderTest();
  EngineUnderTest(const EngineUnderTest&) = delete;
  EngineUnderTest& operator=(const EngineUnderTest&) = delete;

  /// A daemon begins; the former one goes away without a word.
  void restart(std::vector<control::KnownAttempt> known = {});
  void drop();
  [[nodiscard]] control::StartOrder order(const Work& work);
  [[nodiscard]] control::StartOrder shell(const std::string& line);
  /// Gives the order until it is taken, as control does.
  void begin(const control::StartOrder& order);
  /// The same, and waits until it runs.
  model::Observation beginAndRun(const control::StartOrder& order);
  [[nodiscard]] model::Intent stop(model::AttemptId attempt, std::int64_t graceMs = 20'000, std::uint32_t ordinal = 0);
  void stopUntilTaken(const model::Intent& intent);
  void signalUntilTaken(const model::Intent& intent);
  /// Everything a stream holds; empty when it cannot be read yet.
  [[nodiscard]] std::string log(model::AttemptId attempt, std::int32_t rank = 0,
                                control::LogStream stream = control::LogStream::standardOutput);
  /// Waits until a stream holds exactly that.
  void awaitLog(model::AttemptId attempt, const std::string& text, std::int32_t rank = 0);

  [[nodiscard]] control::EnginePort& engine() { return *engine_; }
  [[nodiscard]] RememberingSink& sink() { return *sink_; }
  [[nodiscard]] EngineHarness& harness() { return *harness_; }
  [[nodiscard]] std::string path(const std::string& name) { return harness_->folder() + "/" + name; }

 private:
  void forgetEnded();

  EngineHarness* harness_;
  std::unique_ptr<RememberingSink> sink_;
  std::unique_ptr<control::EnginePort> engine_;
  std::vector<model::AttemptId> alive_;  ///< begun, and no end was told
};

struct ConformanceCase {
  std::string_view name;
  void (*run)(EngineUnderTest& subject);
};

[[nodiscard]] std::span<const ConformanceCase> conformanceCases();

/// Waits until the condition holds, at most kLimit.
bool eventually(const std::function<bool()>& condition);
[[nodiscard]] std::string readFile(const std::string& path);

}  // namespace fairlead::engine::testing
