// EnginePort over one Slurm cluster. Threads: a poller that reads, callers that change things; see README.md.
#pragma once

#include "data/file_work.hpp"
#include "local/stop_clock.hpp"
#include "slurm/attempt_memory.hpp"
#include "slurm/calls.hpp"
#include "slurm/history_reader.hpp"
#include "slurm/inventory.hpp"
#include "slurm/job_mirror.hpp"
#include "slurm/native_jobs.hpp"

#include <fairlead/engine/slurm.hpp>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

namespace fairlead::engine::slurm {

class SlurmEngine final : public control::EnginePort {
 public:
  SlurmEngine(SlurmOptions options, std::unique_ptr<SlurmCalls> calls);
  ~SlurmEngine() override;

  [[nodiscard]] const std::string& cluster() const override { return options_.cluster; }
  Result<void> start(control::EngineSink& sink, std::vector<control::KnownAttempt> known) override;
  void shutdown() override;
  void dispatchStart(control::StartOrder order) override;
  void dispatchStop(model::Intent intent) override;
  void dispatchSignal(model::Intent intent) override;
  [[nodiscard]] Result<control::LogChunk> readLog(const control::LogQuery& query) override;
  void settled(model::AttemptId attempt) override;
  [[nodiscard]] control::EngineAbilities abilities() const override;
  [[nodiscard]] control::EngineStatus status() const override;
  [[nodiscard]] Result<void> adjust(const control::Adjustment& adjustment) override;
  [[nodiscard]] Result<void> orderNode(const control::NodeOrder& order) override;

 private:
  enum class Told : std::uint8_t { nothing, accepted, started };

  /// Done in order with the others of its attempt.
  struct Task {
    std::function<void()> run;
    bool files = false;  ///< reads a user's files: may take hours, and gets a thread that nothing quick waits for
  };

  /// An attempt that is followed. Removed when it is settled.
  struct Tracked {
    AttemptMemory memory;
    std::uint64_t sequence = 0;
    Told told = Told::nothing;
    JobPhase phase = JobPhase::unsaid;
    bool unreachable = false;   ///< was said
    bool finishing = false;     ///< its end is being written down
    std::string words;          ///< state and reason told last
    Milliseconds knownAt;       ///< monotonic: readings begun later must hold the job
    Milliseconds absentSince;   ///< monotonic; 0: present
    Milliseconds askHistoryAt;  ///< monotonic
    Milliseconds historyPause;
    Milliseconds missedSince;  ///< monotonic: nothing was found first after a try with an unknown answer; 0: not asked
    local::StopClock clock;
    bool stopBegun = false;
    std::optional<local::StopAction> stopAction;  ///< failed, to be tried again
    Milliseconds stopActionAt;
    std::deque<Task> tasks;
    bool busy = false;
  };

  // slurm_engine.cpp: threads and queues
  void post(model::AttemptId attempt, Task task);
  void enqueue(Tracked& tracked, Task task);  ///< with the lock held
  void makeReady(Tracked& tracked);           ///< with the lock held
  void callerMain(bool files);
  void pollerMain();
  void waitFor(Milliseconds until);
  [[nodiscard]] bool stopping() const { return stopping_; }
  void say(LogSeverity severity, const std::string& text) const;
  Tracked& track(model::AttemptId attempt);
  void tell(Tracked& tracked, model::Observation observation);
  void answer(const model::IntentId& intent, control::DispatchOutcome outcome, const std::string& reason = {});
  [[nodiscard]] Result<void> remember(const AttemptMemory& memory, Keep keep = Keep::durably);

  // engine_starts.cpp: on callers
  void doStart(const control::StartOrder& order);
  [[nodiscard]] bool mayStart(const control::StartOrder& order);
  [[nodiscard]] bool answeredAlready(const control::StartOrder& order);
  void submit(const control::StartOrder& order, JobPlan plan, const std::string& checkpoint);
  void takeAnswer(const control::StartOrder& order, const Result<wire::SlurmSubmitted>& submitted);
  void refuse(model::AttemptId attempt, const model::IntentId& intent, const std::string& reason);
  /// The job of an attempt whose submission's answer is unknown. Nothing: there is none for sure. Error: not known.
  [[nodiscard]] Result<std::optional<JobFacts>> findJob(const AttemptMemory& memory);
  [[nodiscard]] bool missedLongEnough(Tracked& tracked) const;
  [[nodiscard]] Result<void> awaitReading(Milliseconds begunAfter);
  [[nodiscard]] Result<JobUser> userOf(const std::string& unixUser) const;
  void adopt(Tracked& tracked, const JobFacts& facts);

  // engine_files.cpp: on the threads for files, but where it is said
  [[nodiscard]] static bool readsFiles(const control::StartOrder& order);  ///< any thread
  [[nodiscard]] Result<void> makeArtifactFolder() const;
  /// Error: the start must be refused.
  [[nodiscard]] Result<StartFiles> lookAtFiles(const control::StartOrder& order, const data::AttemptFiles& files);
  void addFiles(const data::AttemptFiles& files, model::Observation& ended) const;

  // engine_stops.cpp
  void doStop(const model::Intent& intent);
  void doSignal(const model::Intent& intent);
  void endNeverStarted(Tracked& tracked);
  void beginStop(Tracked& tracked);
  void driveStop(Tracked& tracked, local::StopAction action);
  void carryOut(model::AttemptId attempt, local::StopAction action);
  [[nodiscard]] Result<void> sendStopStep(const AttemptMemory& memory, local::StopAction action);
  /// To every rank, by Slurm or, where its API reaches our batch script only, by that.
  [[nodiscard]] Result<void> signalRanks(const AttemptMemory& memory, int number);
  void tickStops();

  // engine_poll.cpp: on the poller
  void connect();
  void readJobs();
  void readNodes();
  void askHistory();
  void failed(const Error& error);
  ReadVerdict takeReading(const wire::SlurmList<wire::SlurmJob>& read, Milliseconds begun);
  void takeInventory(ClusterInventory inventory);
  void takeHistory(const std::vector<model::AttemptId>& asked, const wire::SlurmList<wire::SlurmAccountedJob>& runs);
  [[nodiscard]] std::vector<std::string> noteDoubles();
  void follow(Tracked& tracked, const JobFacts& facts);
  void followWords(Tracked& tracked, const JobFacts& facts);
  void noteAbsent(Tracked& tracked, Milliseconds begun);
  void checkStale();
  void finish(model::AttemptId attempt, const JobFacts& facts);
  void recover(const std::vector<control::KnownAttempt>& known);
  [[nodiscard]] static bool isOf(const SeenJob& job, const AttemptMemory& memory);

  // engine_natives.cpp: on the poller, but where it is said
  void tellNatives(const wire::SlurmList<wire::SlurmJob>& read, const ReadVerdict& verdict);
  void askNatives();
  void noteHolders(const wire::SlurmList<wire::SlurmJob>& read);
  void tellNative(std::vector<model::NativeJob> jobs);                             ///< any thread
  [[nodiscard]] RunReading runReading() const;                                     ///< any thread
  [[nodiscard]] std::shared_ptr<const ClusterDevices> devices() const;             ///< any thread
  [[nodiscard]] Owner ownerOf(model::AttemptId attempt, const std::string& user);  ///< any thread
  [[nodiscard]] Result<void> startHistory();
  /// With the lock held.
  [[nodiscard]] std::vector<model::MemberPlacement> placedWhere(const AttemptMemory& memory,
                                                                const JobFacts& facts) const;

  SlurmOptions options_;
  std::unique_ptr<SlurmCalls> calls_;
  std::stop_source filesStop_;
  data::FileWork files_;
  std::optional<MemoryFolder> folder_;
  control::EngineSink* sink_ = nullptr;

  mutable std::mutex mutex_;
  std::condition_variable callersWake_, filesWake_, pollerWake_, readingDone_;
  std::map<model::AttemptId, Tracked> tracked_;
  std::deque<model::AttemptId> ready_, filesReady_;
  JobMirror mirror_;
  std::vector<DeviceKind> kinds_;
  bool kindsKnown_ = false;
  std::vector<model::Node> nodes_;
  bool nodesStale_ = false;
  std::shared_ptr<const ClusterDevices> devices_ = std::make_shared<ClusterDevices>();
  bool restartsTold_ = false;    ///< by slurmdbd, from 24.11
  Milliseconds lastWholeBegun_;  ///< of the last whole reading; 0: none yet
  Milliseconds lastBelieved_;
  TimePoint believedAt_;             ///< the same on the wall's clock; 0: never
  ServerInfo server_;                ///< as it answered last
  std::vector<std::string> doubts_;  ///< of the last reading of nodes
  /// Jobs that carry an attempt's intent beside the one that is followed, as the last reading has them, with the words.
  std::map<std::uint32_t, std::string> doubles_;
  std::string lastTrouble_;
  bool pollNow_ = false;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> readNodesSoon_{false};  ///< a node was changed by us

  // The poller's own.
  bool connected_ = false;
  Milliseconds connectAt_, jobsAt_, jobsNotBefore_, nodesAt_, cleanAt_, pause_;
  std::minstd_rand jitter_{std::random_device{}()};
  NativeJobs natives_;
  Milliseconds nodesReadAt_;
  std::uint64_t holders_ = 0;  ///< tells whether the jobs that hold nodes are the same as before
  std::size_t givenUpSaid_ = 0;
  std::atomic<bool> nativesSeen_{false};
  std::unique_ptr<HistoryReader> history_;

  std::vector<std::thread> callers_;
  std::thread poller_;
};

}  // namespace fairlead::engine::slurm
