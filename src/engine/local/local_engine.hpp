// EnginePort over supervisors on this host. One thread does all the work; the port's functions only queue.
#pragma once

#include "local/attempt_folder.hpp"
#include "local/journal.hpp"
#include "local/posix.hpp"
#include "local/spawn.hpp"

#include <fairlead/control/ports/engine_port.hpp>
#include <fairlead/engine/local.hpp>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace fairlead::engine::local {

class LocalEngine final : public control::EnginePort {
 public:
  explicit LocalEngine(LocalOptions options);
  ~LocalEngine() override;

  [[nodiscard]] const std::string& cluster() const override { return options_.cluster; }
  Result<void> start(control::EngineSink& sink, std::vector<control::KnownAttempt> known) override;
  void shutdown() override;
  void dispatchStart(control::StartOrder order) override;
  void dispatchStop(model::Intent intent) override;
  void dispatchSignal(model::Intent intent) override;
  [[nodiscard]] Result<control::LogChunk> readLog(const control::LogQuery& query) override;
  void settled(model::AttemptId attempt) override;

 private:
  /// An attempt that is watched. Removed when it is settled.
  struct Tracked {
    model::AttemptId id;
    Fd folder;
    int watch = -1;            ///< inotify watch of the folder
    pid_t child = 0;           ///< its supervisor, where it is our child
    Fd supervisor;             ///< pidfd
    std::size_t reported = 0;  ///< journal records given to the sink
    bool over = false;         ///< its final record was reported
    bool startWaits = false;   ///< a start intent waits for its answer
    Milliseconds lookAgainAt;  ///< monotonic; for a supervisor that we cannot watch; 0: not needed
  };

  // local_engine.cpp
  void post(std::function<void()> work);
  void threadMain(std::vector<control::KnownAttempt> known);
  void waitForWork();
  void takeFolderEvents();
  void runPosted();
  void reportInventory();
  void say(LogSeverity severity, const std::string& text) const;

  // engine_attempts.cpp: on the thread
  void doStart(const control::StartOrder& order);
  [[nodiscard]] Result<void> beginAttempt(Tracked& tracked, const control::StartOrder& order);
  void doStop(const model::Intent& intent);
  void doSignal(const model::Intent& intent);
  void doSettle(model::AttemptId attempt);
  [[nodiscard]] Result<Tracked*> track(model::AttemptId attempt, bool make);
  void journalChanged(Tracked& tracked);
  void report(Tracked& tracked, const Journal& journal);
  void supervisorEnded(Tracked& tracked);
  void attach(Tracked& tracked, const Journal& journal);
  void answerStart(Tracked& tracked, control::DispatchOutcome outcome, const std::string& reason);

  // engine_recovery.cpp
  void recover(const std::vector<control::KnownAttempt>& known);
  void recoverKnown(const control::KnownAttempt& known);
  void recoverUnknown(const std::string& name, const std::vector<control::KnownAttempt>& known);
  /// Decides what became of an attempt whose supervisor does not live. Nothing when one does live after all.
  void resolve(Tracked& tracked);
  void removeOldLogs();
  void removeHalfArtifacts();
  [[nodiscard]] model::Observation lostObservation(const Journal& journal);

  LocalOptions options_;
  std::string attemptsPath_;
  Fd attempts_;
  Fd inotify_;
  Fd wake_;
  control::EngineSink* sink_ = nullptr;
  model::Node node_;
  bool nodeReported_ = false;
  SupervisorSpawner spawner_;
  std::map<model::AttemptId, Tracked> tracked_;
  std::map<int, model::AttemptId> byWatch_;
  Milliseconds inventoryAt_;
  Milliseconds oldLogsAt_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

/// This host as a node: processors, memory, accelerators. `problems` gets what could not be read.
[[nodiscard]] model::Node readHost(const LocalOptions& options, std::vector<std::string>& problems);

}  // namespace fairlead::engine::local
