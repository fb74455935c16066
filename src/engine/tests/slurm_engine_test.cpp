// The Slurm engine over a table: what no real cluster can be made to do on demand.
#include "slurm/slurm_engine.hpp"

#include "slurm/script.hpp"
#include "tests/fake_slurm.hpp"
#include "tests/harness.hpp"

#include <pwd.h>
#include <unistd.h>

namespace fairlead::engine::test {
namespace {

using model::FailureCategory;
using model::ObservationKind;

class SlurmEngineTest : public LocalEngineTest {
 protected:
  void SetUp() override {
    LocalEngineTest::SetUp();
    slurm_.cluster = "lab";
    slurm_.stateDir = root_ + "/slurm";
    slurm_.governs = [](const std::string&) { return true; };
    slurm_.endpoint = "http://127.0.0.1:1";  // users that this host does not know may submit
    slurm_.jobInterval = {5};
    slurm_.nodeInterval = {20};
    slurm_.submitSettle = {1};
    slurm_.forgottenAfter = {50};
    slurm_.runFolder = root_ + "/run/%u";
    wire::SlurmNode node;
    node.name = "host";
    node.state = wire::NodeState::idle;
    node.cpus = 8;
    wire::GresEntry gpus;
    gpus.name = "gpu";
    gpus.type = "h100";
    gpus.count = 8;
    node.gres.push_back(gpus);
    world_.nodes = {node};
  }

  void startSlurm(std::vector<control::KnownAttempt> known = {}) {
    sink_ = std::make_unique<RememberingSink>();
    engine_ = std::make_unique<slurm::SlurmEngine>(slurm_, std::make_unique<FakeCalls>(world_));
    ASSERT_TRUE(engine_->start(*sink_, std::move(known)));
    if (!world_.down) (void)sink_->awaitNode();
  }
  control::StartOrder job(std::uint64_t attempt) {
    auto made = shell(attempt, "true");
    made.workload.unixUser = ::getpwuid(::geteuid())->pw_name;
    return made;
  }
  /// Gives the order until it is done, as control does.
  void startUntilDone(const control::StartOrder& order) {
    for (std::size_t n = 0;; ++n) {
      engine_->dispatchStart(order);
      ASSERT_TRUE(eventually([&] { return sink_->answers(order.intent.id) > n; }));
      if (sink_->lastAnswer(order.intent.id).first == control::DispatchOutcome::done) return;
      ASSERT_LT(n, 2000u) << sink_->lastAnswer(order.intent.id).second;
    }
  }

  SlurmOptions slurm_;
  FakeSlurm world_;
};

TEST_F(SlurmEngineTest, FollowsAJobFromQueueToEnd) {
  startSlurm();
  const auto order = job(1);
  startUntilDone(order);
  EXPECT_EQ(sink_->awaitKind(order.attempt.id, ObservationKind::accepted).nativeId, "100");
  world_.put(100, wire::JobState::running, "RUNNING");
  const auto started = sink_->awaitKind(order.attempt.id, ObservationKind::started);
  EXPECT_EQ(started.nativeId, "100@1000");
  world_.end(100, wire::JobState::completed, "COMPLETED", 0);
  const auto end = sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::none);
  EXPECT_EQ(end.nativeState, "COMPLETED");
  EXPECT_EQ(end.at.msSinceEpoch, 3'000'000);
  ASSERT_EQ(end.ends.size(), 1u);
  EXPECT_EQ(world_.submitted[0].name, model::toText(order.intent.id) + ".job");
  EXPECT_EQ(world_.submitted[0].comment, "fairlead " + model::toText(order.intent.id));
}

TEST_F(SlurmEngineTest, ALostAnswerMakesNoSecondJob) {
  world_.loseAnswers = 1;
  startSlurm();
  const auto order = job(1);
  startUntilDone(order);
  EXPECT_EQ(world_.count("submit"), 1u);
  EXPECT_EQ(sink_->awaitKind(order.attempt.id, ObservationKind::accepted).nativeId.substr(0, 3), "100");
}

TEST_F(SlurmEngineTest, ALostAnswerIsFoundInTheDatabaseWhenTheJobIsOver) {
  world_.loseAnswers = 1;
  startSlurm();
  const auto order = job(1);
  engine_->dispatchStart(order);
  ASSERT_EQ(sink_->awaitAnswer(order.intent.id).first, control::DispatchOutcome::retry);
  world_.end(100, wire::JobState::failed, "FAILED", 3);
  world_.forget(100);
  startUntilDone(order);
  EXPECT_EQ(world_.count("submit"), 1u);
  EXPECT_EQ(sink_->awaitEnd(order.attempt.id).category, FailureCategory::applicationExit);
}

TEST_F(SlurmEngineTest, ASubmissionThatNeverArrivedIsMadeAgain) {
  world_.failSubmissions = 2;
  startSlurm();
  startUntilDone(job(1));
  EXPECT_EQ(world_.count("submit"), 3u);
  EXPECT_EQ(world_.queue.size(), 1u);
}

TEST_F(SlurmEngineTest, ASubmissionThatWaitedWhileSlurmStoodStillIsNotMadeAgain) {
  slurm_.submitSettle = {300};
  world_.failSubmissions = 1;
  startSlurm();
  const auto order = job(1);
  engine_->dispatchStart(order);
  ASSERT_EQ(sink_->awaitAnswer(order.intent.id).first, control::DispatchOutcome::retry);
  world_.set(world_.databaseDown, true);
  const auto until = local::monotonicNow() + Milliseconds{400};
  ASSERT_TRUE(eventually([&] { return local::monotonicNow() > until; }));
  world_.set(world_.databaseDown, false);
  const auto asked = sink_->answers(order.intent.id);
  engine_->dispatchStart(order);
  ASSERT_TRUE(eventually([&] { return sink_->answers(order.intent.id) > asked; }));
  EXPECT_EQ(sink_->lastAnswer(order.intent.id).first, control::DispatchOutcome::retry);
  world_.carry(70, slurm::jobName(order.intent.id, "job"), slurm::jobComment(order.intent.id), order.workload.unixUser);
  startUntilDone(order);
  EXPECT_EQ(world_.count("submit"), 1u);
}

TEST_F(SlurmEngineTest, ASecondJobOfAnAttemptIsNamedAndLeftAlone) {
  std::mutex mutex;
  std::string said;
  slurm_.log = [&](LogSeverity, const std::string& line) {
    const std::lock_guard guard(mutex);
    said += line + "\n";
  };
  startSlurm();
  const auto order = job(1);
  startUntilDone(order);
  world_.carry(101, slurm::jobName(order.intent.id, "job"), slurm::jobComment(order.intent.id),
               order.workload.unixUser);
  ASSERT_TRUE(eventually([&] {
    const std::lock_guard guard(mutex);
    return said.find("job 101 (RUNNING) is a second one of attempt " + toText(order.attempt.id)) != std::string::npos;
  })) << said;
  EXPECT_EQ(engine_->status().notes.size(), 1u);
  world_.put(100, wire::JobState::running, "RUNNING");
  engine_->dispatchStop(stopIntent(order.attempt.id));
  (void)sink_->awaitEnd(order.attempt.id);
  engine_.reset();  // it writes to `said`
  EXPECT_EQ(world_.job(101).state, wire::JobState::running);
}

TEST_F(SlurmEngineTest, AJobThatRanUnseenWhileItsStopWasUnderWayIsToldAsStarted) {
  startSlurm();
  const auto order = job(1);
  startUntilDone(order);
  engine_.reset();
  world_.end(100, wire::JobState::completed, "COMPLETED", 0);
  startSlurm({{order.attempt.id, model::AttemptState::stopping, 40}});
  (void)sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(sink_->awaitKind(order.attempt.id, ObservationKind::started).at.msSinceEpoch, 2'000'000);
}

TEST_F(SlurmEngineTest, ACancelledJobThatRanUnseenIsToldAsStarted) {
  startSlurm();
  const auto order = job(1);
  startUntilDone(order);
  world_.set(world_.down, true);
  world_.end(100, wire::JobState::cancelled, "CANCELLED", 0);
  world_.set(world_.down, false);
  EXPECT_EQ(sink_->awaitEnd(order.attempt.id).category, FailureCategory::cancelled);
  EXPECT_EQ(sink_->awaitKind(order.attempt.id, ObservationKind::started).at.msSinceEpoch, 2'000'000);
}

TEST_F(SlurmEngineTest, NothingIsSubmittedAgainWhileTheDatabaseCannotBeAsked) {
  world_.failSubmissions = 1;
  world_.databaseDown = true;
  startSlurm();
  const auto order = job(1);
  for (std::size_t n = 0; n < 5; ++n) {
    engine_->dispatchStart(order);
    ASSERT_TRUE(eventually([&] { return sink_->answers(order.intent.id) > n; }));
  }
  EXPECT_EQ(world_.count("submit"), 1u);
  world_.databaseDown = false;
  startUntilDone(order);
  EXPECT_EQ(world_.queue.size(), 1u);
}

TEST_F(SlurmEngineTest, AJobOfAnotherUserIsNeverTakenForOurs) {
  world_.failSubmissions = 1;
  startSlurm();
  const auto order = job(1);
  engine_->dispatchStart(order);
  ASSERT_EQ(sink_->awaitAnswer(order.intent.id).first, control::DispatchOutcome::retry);
  {
    const std::lock_guard guard(world_.mutex);
    auto& forged = world_.queue[50];
    forged.id = 50;
    forged.user = "mallory";
    forged.name = slurm::jobName(order.intent.id, "job");
    forged.comment = slurm::jobComment(order.intent.id);
    forged.state = wire::JobState::running;
  }
  startUntilDone(order);
  EXPECT_EQ(world_.count("submit"), 2u);
}

TEST_F(SlurmEngineTest, AnotherDaemonGoesOnWithoutASecondJob) {
  startSlurm();
  const auto order = job(1);
  startUntilDone(order);
  engine_.reset();
  world_.end(100, wire::JobState::completed, "COMPLETED", 0);
  world_.forget(100);
  startSlurm({{order.attempt.id, model::AttemptState::accepted, 40}});
  const auto end = sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::none);
  EXPECT_GT(end.sequence, 40u);
  engine_->dispatchStart(order);
  EXPECT_EQ(sink_->awaitAnswer(order.intent.id).first, control::DispatchOutcome::done);
  EXPECT_EQ(world_.count("submit"), 1u);
}

TEST_F(SlurmEngineTest, AStopBeforeTheStartSubmitsNothing) {
  startSlurm();
  const auto order = job(1);
  engine_->dispatchStop(stopIntent(order.attempt.id));
  EXPECT_EQ(sink_->awaitEnd(order.attempt.id).category, FailureCategory::cancelled);
  engine_.reset();
  startSlurm();
  engine_->dispatchStart(order);
  EXPECT_EQ(sink_->awaitAnswer(order.intent.id).first, control::DispatchOutcome::done);
  EXPECT_EQ(world_.count("submit"), 0u);
}

TEST_F(SlurmEngineTest, StopsInSteps) {
  startSlurm();
  const auto order = job(1);
  startUntilDone(order);
  world_.put(100, wire::JobState::running, "RUNNING");
  (void)sink_->awaitKind(order.attempt.id, ObservationKind::started);
  auto stop = stopIntent(order.attempt.id, 0, 30);
  stop.firstSignal = 10;
  stop.firstGrace = {30};
  engine_->dispatchStop(stop);
  const auto end = sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::cancelled);
  EXPECT_EQ(end.reason, "cancelled by a test");
  EXPECT_EQ(world_.count("signal 10"), 1u);
  EXPECT_EQ(world_.count("signal 15"), 1u);
  EXPECT_EQ(world_.count("cancel"), 1u);
}

TEST_F(SlurmEngineTest, WhereOnlyTheScriptCanBeSignalledItPassesOn) {
  world_.scriptOnly = true;
  startSlurm();
  const auto order = job(1);
  startUntilDone(order);
  world_.put(100, wire::JobState::running, "RUNNING");
  (void)sink_->awaitKind(order.attempt.id, ObservationKind::started);
  model::Intent intent;
  intent.id = {order.attempt.id, model::IntentKind::signal, 0};
  intent.signal = 10;
  engine_->dispatchSignal(intent);
  EXPECT_EQ(sink_->awaitAnswer(intent.id).first, control::DispatchOutcome::done);
  engine_->dispatchStop(stopIntent(order.attempt.id, 0, 30));
  (void)sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(world_.count("signal " + std::to_string(slurm::passingSignal(10))), 1u);
  EXPECT_EQ(world_.count("signal " + std::to_string(slurm::passingSignal(15))), 1u);
}

TEST_F(SlurmEngineTest, AScriptForSbatchIsNeverSignalledInPlaceOfItsSteps) {
  world_.scriptOnly = true;
  startSlurm();
  auto order = job(1);
  auto document = std::make_shared<model::SpecDocument>(*order.workload.spec);
  document->spec.roles[0].command.clear();
  document->spec.roles[0].script = "#!/bin/sh\n#SBATCH -N1\nsrun true\n";
  order.workload.spec = document;
  startUntilDone(order);
  world_.put(100, wire::JobState::running, "RUNNING");
  (void)sink_->awaitKind(order.attempt.id, ObservationKind::started);
  model::Intent intent;
  intent.id = {order.attempt.id, model::IntentKind::signal, 0};
  intent.signal = 10;
  engine_->dispatchSignal(intent);
  const auto answer = sink_->awaitAnswer(intent.id);
  EXPECT_EQ(answer.first, control::DispatchOutcome::done);
  EXPECT_NE(answer.second.find("the script only"), std::string::npos) << answer.second;
  auto stop = stopIntent(order.attempt.id, 0, 30);  // its first signal cannot be sent: the next step comes all the same
  stop.firstSignal = 10;
  stop.firstGrace = {10};
  engine_->dispatchStop(stop);
  (void)sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(world_.count("signal 10"), 0u);
  EXPECT_EQ(world_.count("signal 15"), 1u);
}

TEST_F(SlurmEngineTest, AbsenceIsNoEnd) {
  slurm_.staleAfter = {60};
  startSlurm();
  const auto order = job(1);
  startUntilDone(order);
  world_.put(100, wire::JobState::running, "RUNNING");
  (void)sink_->awaitKind(order.attempt.id, ObservationKind::started);
  {
    const std::lock_guard guard(world_.mutex);
    world_.errorInside = true;
  }
  (void)sink_->awaitKind(order.attempt.id, ObservationKind::unreachable);
  {
    const std::lock_guard guard(world_.mutex);
    world_.errorInside = false;
  }
  (void)sink_->awaitKind(order.attempt.id, ObservationKind::alive);
  wire::SlurmJob lost;
  {
    const std::lock_guard guard(world_.mutex);
    lost = world_.queue.at(100);
    world_.queue.erase(100);  // and the database knows nothing
  }
  EXPECT_TRUE(eventually([&] {
    std::size_t said = 0;
    for (const auto& o : sink_->seen(order.attempt.id)) said += o.kind == ObservationKind::unreachable ? 1 : 0;
    return said == 2;
  }));
  {
    const std::lock_guard guard(world_.mutex);
    world_.queue[100] = lost;
  }
  EXPECT_TRUE(eventually([&] {
    std::size_t said = 0;
    for (const auto& o : sink_->seen(order.attempt.id)) said += o.kind == ObservationKind::alive ? 1 : 0;
    return said == 2;
  }));
  for (const auto& o : sink_->seen(order.attempt.id)) EXPECT_NE(o.kind, ObservationKind::ended);
}

TEST_F(SlurmEngineTest, AReusedIdIsAnotherJob) {
  startSlurm();
  const auto order = job(1);
  startUntilDone(order);
  world_.put(100, wire::JobState::running, "RUNNING");
  (void)sink_->awaitKind(order.attempt.id, ObservationKind::started);
  {
    const std::lock_guard guard(world_.mutex);
    auto& other = world_.queue[100];
    other.name = "somebody";
    other.comment = "";
    other.submitTime = TimePoint{9'000'000};
    other.state = wire::JobState::failed;
    other.stateText = "FAILED";
  }
  (void)sink_->awaitKind(order.attempt.id, ObservationKind::unreachable);
  for (const auto& o : sink_->seen(order.attempt.id)) EXPECT_NE(o.kind, ObservationKind::ended);
}

TEST_F(SlurmEngineTest, ARequeueIsTheSameAttemptThoughItIsSubmittedAnew) {
  startSlurm();
  const auto order = job(1);
  startUntilDone(order);
  world_.put(100, wire::JobState::running, "RUNNING");
  (void)sink_->awaitKind(order.attempt.id, ObservationKind::started);
  {
    const std::lock_guard guard(world_.mutex);
    world_.databaseDown = true;  // the queue alone tells it
    world_.job(100).submitTime = TimePoint{9'000'000};
    world_.job(100).restarts = 1;
  }
  world_.put(100, wire::JobState::pending, "PENDING");
  engine_.reset();  // another daemon knows it as well
  startSlurm({{order.attempt.id, model::AttemptState::running, 9}});
  world_.end(100, wire::JobState::failed, "FAILED", 8);
  const auto end = sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::applicationExit) << end.reason;
  EXPECT_EQ(end.nativeId, "100@9000");
}

TEST_F(SlurmEngineTest, NoOrderIsRefusedByAnEmptyListOfNodes) {
  const auto nodes = std::exchange(world_.nodes, {});
  world_.down = true;
  startSlurm();
  world_.set(world_.down, false);
  ASSERT_TRUE(eventually([&] { return engine_->status().answers; })) << "nodes are read before jobs";
  const auto order = job(1);
  engine_->dispatchStart(order);
  EXPECT_EQ(sink_->awaitAnswer(order.intent.id).first, control::DispatchOutcome::retry);
  {
    const std::lock_guard guard(world_.mutex);
    world_.nodes = nodes;
  }
  startUntilDone(order);
}

TEST_F(SlurmEngineTest, ARefusalIsTold) {
  world_.refusal = wire::SlurmProblem{2045, wire::ProblemKind::badAccount, "Invalid account", "", "", 0, false};
  startSlurm();
  const auto order = job(1);
  engine_->dispatchStart(order);
  const auto end = sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(end.kind, ObservationKind::refused);
  EXPECT_NE(end.reason.find("Invalid account (error 2045)"), std::string::npos) << end.reason;
  EXPECT_NE(end.reason.find("association"), std::string::npos) << end.reason;
}

TEST_F(SlurmEngineTest, ACusterThatIsOnlyLookedAtTakesNothing) {
  slurm_.governs = nullptr;
  startSlurm();
  const auto order = job(1);
  engine_->dispatchStart(order);
  EXPECT_EQ(sink_->awaitEnd(order.attempt.id).kind, ObservationKind::refused);
  EXPECT_EQ(world_.count("submit"), 0u);
}

TEST_F(SlurmEngineTest, WhatIsAskedOfAJobGoesToSlurmAndItsRefusalComesBack) {
  startSlurm();
  const auto order = job(1);
  EXPECT_EQ(engine_->adjust({order.attempt.id, control::AdjustKind::hold}).error().code, &kSlurmUnknownJob);
  startUntilDone(order);
  EXPECT_TRUE(engine_->adjust({order.attempt.id, control::AdjustKind::hold}));
  EXPECT_TRUE(engine_->adjust({order.attempt.id, control::AdjustKind::release}));
  EXPECT_TRUE(engine_->adjust({order.attempt.id, control::AdjustKind::priority, 50}));
  EXPECT_TRUE(engine_->adjust({order.attempt.id, control::AdjustKind::timeLimit, 7'200'000}));
  EXPECT_TRUE(engine_->adjust({order.attempt.id, control::AdjustKind::suspend}));
  for (const auto* what : {"update hold", "update release", "update nice -50", "update limit 7200000", "suspend"})
    EXPECT_EQ(world_.count(what), 1u) << what;
  const std::lock_guard guard(world_.mutex);
  EXPECT_EQ(world_.calls.at(1).user, order.workload.unixUser) << "holding is its owner's right";
}

TEST_F(SlurmEngineTest, ARefusedChangeIsAnError) {
  startSlurm();
  const auto order = job(1);
  startUntilDone(order);
  world_.refusal = wire::SlurmProblem{2002, wire::ProblemKind::denied, "Access/permission denied", "", "", 0, false};
  const auto refused = engine_->adjust({order.attempt.id, control::AdjustKind::timeLimit, 7'200'000});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("Access/permission denied"), std::string::npos) << refused.error().message;
}

TEST_F(SlurmEngineTest, NodesAreDrainedByNameAndWithAReason) {
  startSlurm();
  EXPECT_TRUE(engine_->orderNode({"host", true, "fans (ops)"}));
  EXPECT_TRUE(engine_->orderNode({"host", false, {}}));
  EXPECT_EQ(world_.count("drain host: fans (ops)"), 1u);
  EXPECT_EQ(world_.count("resume host: "), 1u);
  EXPECT_EQ(engine_->orderNode({"host,other", true, "x"}).error().code, &kSlurmRefused);
}

TEST_F(SlurmEngineTest, StatusSaysHowItStandsWithTheCluster) {
  slurm_.staleAfter = {100};
  startSlurm();
  EXPECT_TRUE(eventually([&] { return engine_->status().answers; }));
  EXPECT_EQ(engine_->status().product, "Slurm 0");
  {
    const std::lock_guard guard(world_.mutex);
    world_.down = true;
  }
  EXPECT_TRUE(eventually([&] { return !engine_->status().answers; }));
  EXPECT_NE(engine_->status().trouble.find("does not answer"), std::string::npos);
}

TEST_F(SlurmEngineTest, NoUserNoJob) {
  startSlurm();
  auto order = job(1);
  order.workload.unixUser.clear();
  engine_->dispatchStart(order);
  const auto end = sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(end.kind, ObservationKind::refused);
  EXPECT_NE(end.reason.find("Unix user"), std::string::npos);
  EXPECT_EQ(world_.count("submit"), 0u);
}

TEST_F(SlurmEngineTest, StartsWaitWhileSlurmIsDown) {
  startSlurm();
  {
    const std::lock_guard guard(world_.mutex);
    world_.down = true;
  }
  const auto order = job(1);
  engine_->dispatchStart(order);
  EXPECT_EQ(sink_->awaitAnswer(order.intent.id).first, control::DispatchOutcome::retry);
  {
    const std::lock_guard guard(world_.mutex);
    world_.down = false;
  }
  startUntilDone(order);
  EXPECT_EQ(world_.queue.size(), 1u);
}

}  // namespace
}  // namespace fairlead::engine::test
