// Attempts from start to end with real processes.
#include "local/journal.hpp"
#include "tests/harness.hpp"

#include <signal.h>

namespace fairlead::engine::test {
namespace {

using model::FailureCategory;
using model::ObservationKind;

TEST_F(LocalEngineTest, RunsAScriptWithItsInterpreter) {
  startEngine();
  Wanted wanted;
  wanted.script = "#!/bin/sh\necho rank $SLURM_PROCID of $SLURM_NTASKS in $PWD\n";
  const auto order = this->order(1, wanted);
  engine_->dispatchStart(order);
  EXPECT_EQ(sink_->awaitEnd(order.attempt.id).category, FailureCategory::none);
  EXPECT_EQ(readAll(order.attempt.id), "rank 0 of 1 in " + folderOf(order.attempt.id) + "/work\n");
}

TEST_F(LocalEngineTest, RefusesAPlacementOnAnotherNode) {
  startEngine();
  auto order = shell(1, "true");
  order.attempt.placement[0].node = "elsewhere";
  engine_->dispatchStart(order);
  const auto end = sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(end.kind, ObservationKind::refused);
  EXPECT_EQ(end.category, FailureCategory::startFailed);
  EXPECT_NE(end.reason.find("elsewhere"), std::string::npos);
  EXPECT_EQ(sink_->awaitAnswer(order.intent.id).first, control::DispatchOutcome::done);
}

TEST_F(LocalEngineTest, AGangFailsWhole) {
  startEngine();
  Wanted wanted;
  wanted.command = {"/bin/sh", "-c", "if [ $RANK = 1 ]; then exit 3; fi; exec sleep 1000"};
  wanted.members = 3;
  const auto order = this->order(1, wanted);
  engine_->dispatchStart(order);
  const auto end = sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::applicationExit);
  EXPECT_EQ(end.reason, "rank 1 exited with 3");
  ASSERT_EQ(end.ends.size(), 3u);
  EXPECT_EQ(end.ends[1].exitCode, 3);
  EXPECT_EQ(end.ends[0].signal, SIGTERM);
  EXPECT_EQ(end.ends[2].signal, SIGTERM);
}

TEST_F(LocalEngineTest, KillsWhatEscapedByDoubleFork) {
  startEngine();
  const auto order = shell(1, "setsid sh -c 'sh -c \"echo \\$\\$ > " + root_ +
                                  "/escaped; exec sleep 1000\" &' ; while [ ! -s " + root_ + "/escaped ]; do :; done");
  engine_->dispatchStart(order);
  EXPECT_EQ(sink_->awaitEnd(order.attempt.id).category, FailureCategory::none);
  const auto pid = static_cast<pid_t>(std::stol(read(root_ + "/escaped")));
  EXPECT_FALSE(alive(pid));
}

}  // namespace
}  // namespace fairlead::engine::test
