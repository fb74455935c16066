// Runs one attempt from its order to its last journal record. Single-threaded, one per process.
#pragma once

#include "local/attempt_folder.hpp"
#include "local/cgroup.hpp"
#include "local/environment.hpp"
#include "local/journal.hpp"
#include "local/log_copy.hpp"
#include "local/log_files.hpp"
#include "local/rank.hpp"
#include "local/stop_clock.hpp"

#include <fairlead/base/result.hpp>
#include <fairlead/model/workload.hpp>

#include <optional>
#include <string>
#include <vector>

namespace fairlead::engine::local {

/// Why the ranks are told to end. The first cause is the attempt's category.
enum class EndCause : std::uint8_t { none, intent, timeLimit, gang, startFailed, terminated };

class Supervisor {
 public:
  explicit Supervisor(std::string folder) : path_(std::move(folder)) {}
  /// Exit code of the process. Returns at once when another supervisor has the attempt or it was launched before.
  [[nodiscard]] int run();

 private:
  struct Rank {
    const LaunchMember* member = nullptr;
    RankCommand command;
    StartedRank process;
    std::vector<LogWriter> logs;  ///< standard output, standard error
    bool started = false;
    bool ended = false;
    bool groupGone = false;
    std::uint32_t place = 0;  ///< 1: the first to end, and so on; several may end in one millisecond
    model::MemberEnd end;
  };

  // supervisor.cpp: before anything is run
  [[nodiscard]] Result<bool> open();
  [[nodiscard]] Result<void> prepare();
  [[nodiscard]] Result<void> prepareFolders();
  [[nodiscard]] Result<void> prepareRanks();
  [[nodiscard]] Result<std::vector<std::string>> commandOf(const LaunchMember& member);
  [[nodiscard]] Result<void> launch();
  void refuse(const Error& error);
  void endUnlaunched(const std::string& reason);

  // supervisor_loop.cpp: while ranks run
  void startRanks();
  void loop();
  void waitForSomething();
  void takeStatus(Rank& rank);
  void takeOutput(Rank& rank, int stream);
  void reap();
  void markEnded(Rank& rank);
  void rankEnded(Rank& rank, int waitStatus);
  void noteStarted();
  void checkGroups();
  [[nodiscard]] bool done() const;
  [[nodiscard]] bool takeIntents();
  void beginEnd(EndCause cause, const StopPlan& plan, std::string reason);
  void act(StopAction action);
  void signalRanks(int signal, bool sparingShells);
  void checkTimes();

  // supervisor_finish.cpp: when all ranks have ended
  void finish();
  void killDescendants();
  void drainLogs();
  [[nodiscard]] model::Observation verdict() const;
  [[nodiscard]] const Rank* firstFailure() const;
  void addCheckpoint(model::Observation& observation);
  void addOutputs(model::Observation& observation);
  void appendForSure(model::Observation observation);

  std::string path_;
  std::uint64_t openFiles_ = 0;  ///< the soft limit that ranks get back
  Fd folder_;
  Fd logFolder_;
  Fd events_;   ///< inotify on the folder of intents
  Fd signals_;  ///< signalfd
  Fd kernelLog_;
  std::optional<AttemptLock> lock_;
  std::optional<JournalWriter> journal_;
  model::AttemptId attempt_;
  LaunchOrder order_;
  Identity identity_;
  RankContext context_;
  Cgroup cgroup_;
  LogCopies copies_;
  std::vector<Rank> ranks_;
  std::uint32_t ranksEnded_ = 0;
  std::vector<model::IntentId> seen_;
  std::vector<ControlIntent> waitingSignals_;
  StopClock clock_;
  EndCause cause_ = EndCause::none;
  std::string causeText_;
  bool startedNoted_ = false;
  Milliseconds timeLimitAt_;  ///< monotonic; 0: none
};

}  // namespace fairlead::engine::local
