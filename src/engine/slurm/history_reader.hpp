// The jobs that ended on a cluster in the past, out of slurmdbd, at a pace that nobody feels.
#pragma once

#include "local/posix.hpp"
#include "slurm/calls.hpp"
#include "slurm/coverage.hpp"
#include "slurm/native_form.hpp"
#include "slurm/native_runs.hpp"

#include <fairlead/engine/slurm.hpp>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

namespace fairlead::engine::slurm {

/// What the reader needs of the engine. Any thread.
struct HistoryHooks {
  std::function<bool()> ready;  ///< the queue was read whole: it is known which jobs live
  std::function<bool(const std::string& name)> isAlive;
  std::function<RunReading()> reading;
  std::function<std::shared_ptr<const ClusterDevices>()> devices;
  std::function<void(std::vector<model::NativeJob>)> tell;
  std::function<void(LogSeverity, const std::string&)> say;
  OwnerOf ownerOf;
};

/// Walks backwards from now to `SlurmOptions::historyFrom` in windows, tells what ended in each, and remembers in
/// `stateDir/history` which are done. The latest hours are read again every hour. One thread of its own.
class HistoryReader {
 public:
  HistoryReader(const SlurmOptions& options, SlurmCalls& calls, HistoryHooks hooks);
  ~HistoryReader();
  HistoryReader(const HistoryReader&) = delete;
  HistoryReader& operator=(const HistoryReader&) = delete;

  /// Error: the state folder cannot be used.
  [[nodiscard]] Result<void> start();
  /// Ends the pause under way. A call under way is ended by SlurmCalls::shutdown, which must come first.
  void shutdown();

 private:
  using Answer = wire::SlurmList<wire::SlurmAccountedJob>;

  void main();
  void load();
  void save();
  /// False: shut down.
  bool pause(Milliseconds span);
  /// One call, and the pause that it costs the cluster. Nothing: no answer, or none that is whole enough.
  std::optional<Answer> ask(const HistoryQuery& query, bool smallest);
  void readWindow(const Window& window, bool open);
  bool tellEnded(const Answer& answer, const Window& window, bool open);
  /// All runs of jobs that may have been requeued, also before the window.
  bool tellStories(const std::vector<std::uint32_t>& ids, const std::set<std::string>& names, TimePoint from);
  void tellRuns(const Runs& runs, std::vector<model::NativeJob>& out);
  void trouble(const std::string& text);

  const SlurmOptions& options_;
  SlurmCalls& calls_;
  HistoryHooks hooks_;
  NativeForm form_;
  std::string path_;
  local::Fd folder_;
  Coverage coverage_;
  Milliseconds span_, failurePause_;
  TimePoint top_;          ///< up to where is read; moved every hour
  Milliseconds topSince_;  ///< monotonic
  std::string lastTrouble_;
  bool doneSaid_ = false;

  std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace fairlead::engine::slurm
