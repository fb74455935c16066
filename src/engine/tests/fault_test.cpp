// Stops, limits, and deaths of the daemon and of supervisors.
#include "local/journal.hpp"
#include "tests/harness.hpp"

#include <fstream>
#include <signal.h>
#include <unistd.h>

namespace fairlead::engine::test {
namespace {

using model::AttemptState;
using model::FailureCategory;
using model::ObservationKind;

constexpr auto kDone = control::DispatchOutcome::done;

TEST_F(LocalEngineTest, KillsWhatIgnoresTheSignal) {
  startEngine();
  const auto order = shell(1, "trap '' TERM; echo ready; while :; do sleep 0.01; done");
  engine_->dispatchStart(order);
  ASSERT_TRUE(
      eventually([&] { return sink_->seen(order.attempt.id).size() >= 2 && readAll(order.attempt.id) == "ready\n"; }));
  engine_->dispatchStop(stopIntent(order.attempt.id, 0, 50));
  const auto end = sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::cancelled);
  EXPECT_EQ(end.ends[0].signal, SIGKILL);
}

TEST_F(LocalEngineTest, ASecondStopHastensTheFirst) {
  startEngine();
  const auto order = shell(1, "trap '' TERM USR1; echo ready; while :; do sleep 0.01; done");
  engine_->dispatchStart(order);
  ASSERT_TRUE(
      eventually([&] { return sink_->seen(order.attempt.id).size() >= 2 && readAll(order.attempt.id) == "ready\n"; }));
  auto slow = stopIntent(order.attempt.id, 0, 3'600'000);
  slow.firstSignal = SIGUSR1;
  slow.firstGrace = {3'600'000};
  engine_->dispatchStop(slow);
  engine_->dispatchStop(stopIntent(order.attempt.id, 1, 10));
  EXPECT_EQ(sink_->awaitEnd(order.attempt.id).ends[0].signal, SIGKILL);
}

TEST_F(LocalEngineTest, EndsAtTheTimeLimitWithTheCheckpointSignalFirst) {
  startEngine();
  Wanted wanted;
  wanted.command = {"/bin/sh", "-c",
                    "trap 'echo checkpoint' USR1; trap 'echo term; exit 9' TERM; while :; do sleep 0.01; done"};
  wanted.spec = [](model::Spec& spec) {
    spec.timeLimit = {300};
    spec.checkpoint.emplace();
    spec.checkpoint->path = "checkpoints";
    spec.checkpoint->signal = SIGUSR1;
    spec.checkpoint->grace = {200};
  };
  const auto order = this->order(1, wanted);
  engine_->dispatchStart(order);
  const auto end = sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::timeLimit);
  EXPECT_EQ(end.reason, "the time limit of 300ms passed");
  EXPECT_EQ(readAll(order.attempt.id), "checkpoint\nterm\n");
}

TEST_F(LocalEngineTest, ADeadSupervisorTakesItsRanksAlongAndIsReportedLost) {
  startEngine();
  const auto order = shell(1, "setsid sh -c 'echo $$ > " + root_ + "/child; exec sleep 1000' & while [ ! -s " + root_ +
                                  "/child ]; do :; done; echo $$ > " + root_ + "/rank; exec sleep 1000");
  engine_->dispatchStart(order);
  ASSERT_TRUE(eventually([&] { return !read(root_ + "/rank").empty(); }));
  (void)sink_->awaitKind(order.attempt.id, ObservationKind::started);
  ASSERT_EQ(::kill(supervisorOf(order.attempt.id), SIGKILL), 0);
  const auto lost = sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(lost.kind, ObservationKind::lost);
  EXPECT_EQ(lost.category, FailureCategory::engineLost);
  EXPECT_FALSE(alive(static_cast<pid_t>(std::stol(read(root_ + "/rank")))));
  EXPECT_FALSE(alive(static_cast<pid_t>(std::stol(read(root_ + "/child")))));
}

TEST_F(LocalEngineTest, ASupervisorThatDiesWithoutADaemonIsFoundDead) {
  options_.cgroupRoot.clear();  // the environment mark alone must find what is left
  startEngine();
  const auto order = shell(1, "setsid sh -c 'echo $$ > " + root_ + "/child; exec sleep 1000' & exec sleep 1000");
  engine_->dispatchStart(order);
  ASSERT_TRUE(eventually([&] { return !read(root_ + "/child").empty(); }));
  (void)sink_->awaitKind(order.attempt.id, ObservationKind::started);
  const pid_t supervisor = supervisorOf(order.attempt.id);
  dropEngine();
  ASSERT_EQ(::kill(supervisor, SIGKILL), 0);
  ASSERT_TRUE(eventually([&] { return !alive(supervisor); }));
  startEngine({{order.attempt.id, AttemptState::running, 0}});
  EXPECT_EQ(sink_->awaitEnd(order.attempt.id).category, FailureCategory::engineLost);
  EXPECT_FALSE(alive(static_cast<pid_t>(std::stol(read(root_ + "/child")))));
  engine_->dispatchStart(order);  // a late repeat of the order runs nothing
  EXPECT_EQ(sink_->awaitAnswer(order.intent.id).first, kDone);
  EXPECT_EQ(supervisorOf(order.attempt.id), supervisor);
}

TEST_F(LocalEngineTest, AnotherBootMeansTheHostWasLost) {
  options_.cgroupRoot.clear();  // a real reboot leaves no group behind either
  options_.bootIdFile = root_ + "/boot";
  std::ofstream(options_.bootIdFile) << "first\n";
  startEngine();
  const auto order = shell(1, "exec sleep 1000");
  engine_->dispatchStart(order);
  (void)sink_->awaitKind(order.attempt.id, ObservationKind::started);
  const pid_t supervisor = supervisorOf(order.attempt.id);
  dropEngine();
  ASSERT_EQ(::kill(supervisor, SIGKILL), 0);
  ASSERT_TRUE(eventually([&] { return !alive(supervisor); }));
  std::ofstream(options_.bootIdFile) << "second\n";
  startEngine({{order.attempt.id, AttemptState::running, 0}});
  const auto lost = sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(lost.kind, ObservationKind::lost);
  EXPECT_EQ(lost.category, FailureCategory::nodeLost);
  EXPECT_EQ(lost.reason, "the host was rebooted");
}

TEST_F(LocalEngineTest, AKnownAttemptWithoutAFolderIsLostAndAPlannedOneIsLeftToItsIntent) {
  startEngine({{{5}, AttemptState::running, 9}, {{6}, AttemptState::planned, 0}});
  const auto lost = sink_->awaitEnd({5});
  EXPECT_EQ(lost.category, FailureCategory::engineLost);
  EXPECT_GT(lost.sequence, 9u);
  EXPECT_TRUE(sink_->seen({6}).empty());
}

TEST_F(LocalEngineTest, WhatNobodyKnowsIsStopped) {
  startEngine();
  const auto order = shell(1, "exec sleep 1000");
  engine_->dispatchStart(order);
  (void)sink_->awaitKind(order.attempt.id, ObservationKind::started);
  const pid_t supervisor = supervisorOf(order.attempt.id);
  dropEngine();
  startEngine();
  EXPECT_TRUE(eventually([&] { return !alive(supervisor); }));
  EXPECT_TRUE(std::filesystem::exists(folderOf(order.attempt.id)));
}

TEST_F(LocalEngineTest, AFailingProgramLoaderLeavesTheIntentOpen) {
  options_.supervisor = {"/no/such/supervisor"};
  startEngine();
  const auto order = shell(1, "true");
  engine_->dispatchStart(order);
  EXPECT_EQ(sink_->awaitAnswer(order.intent.id).first, control::DispatchOutcome::retry);
  EXPECT_TRUE(sink_->seen(order.attempt.id).empty());
}

TEST_F(LocalEngineTest, ASupervisorThatDiesBeforeItLaunchesLeavesTheIntentOpen) {
  options_.supervisor = {"/bin/false"};
  options_.spareSupervisors = 0;
  startEngine();
  const auto order = shell(1, "true");
  engine_->dispatchStart(order);
  EXPECT_EQ(sink_->awaitAnswer(order.intent.id).first, control::DispatchOutcome::retry);
  dropEngine();
  options_.supervisor = {"/proc/self/exe", "supervise"};
  startEngine({{order.attempt.id, AttemptState::planned, 0}});
  engine_->dispatchStart(order);
  EXPECT_EQ(sink_->awaitEnd(order.attempt.id).category, FailureCategory::none);
}

}  // namespace
}  // namespace fairlead::engine::test
