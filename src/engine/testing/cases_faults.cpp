#include "cases.hpp"

#include <gtest/gtest.h>

#include <fstream>

namespace fairlead::engine::testing {

using model::AttemptState;
using model::FailureCategory;
using model::ObservationKind;

void aRepeatedStartFindsTheFirst(EngineUnderTest& t) {
  t.restart();
  const auto order = t.shell("echo once >> " + t.path("count"));
  t.begin(order);
  t.begin(order);
  (void)t.sink().awaitEnd(order.attempt.id);
  t.begin(order);
  EXPECT_EQ(readFile(t.path("count")), "once\n");
  t.engine().settled(order.attempt.id);
  t.begin(order);
  t.restart();
  t.begin(order);
  const auto after = t.shell("true");
  t.begin(after);
  (void)t.sink().awaitEnd(after.attempt.id);
  EXPECT_EQ(readFile(t.path("count")), "once\n");
}

void workOutlivesTheDaemon(EngineUnderTest& t) {
  t.restart();
  const auto order = t.shell("while [ ! -e " + t.path("go") + " ]; do sleep 0.01; done; exit 7");
  const auto started = t.beginAndRun(order);
  ASSERT_EQ(started.kind, ObservationKind::started) << started.reason;
  t.drop();
  t.restart({{order.attempt.id, AttemptState::running, started.sequence}});
  std::ofstream(t.path("go")).put('\n');
  const auto end = t.sink().awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::applicationExit) << end.reason;
  ASSERT_EQ(end.ends.size(), 1u);
  EXPECT_EQ(end.ends[0].exitCode, 7);
  EXPECT_GT(end.sequence, started.sequence);
}

void anEndWithoutADaemonIsToldToTheNext(EngineUnderTest& t) {
  t.restart();
  const auto order = t.shell("exit 4");
  t.begin(order);
  const auto accepted = t.sink().awaitKind(order.attempt.id, ObservationKind::accepted);
  t.drop();
  t.restart({{order.attempt.id, AttemptState::accepted, accepted.sequence}});
  const auto end = t.sink().awaitEnd(order.attempt.id);
  ASSERT_EQ(end.ends.size(), 1u);
  EXPECT_EQ(end.ends[0].exitCode, 4);
}

void aStopReachesWhatAnotherDaemonStarted(EngineUnderTest& t) {
  t.restart();
  const auto order = t.shell("exec sleep 1000");
  const auto started = t.beginAndRun(order);
  t.drop();
  t.restart({{order.attempt.id, AttemptState::running, started.sequence}});
  t.stopUntilTaken(t.stop(order.attempt.id));
  EXPECT_EQ(t.sink().awaitEnd(order.attempt.id).category, FailureCategory::cancelled);
}

/// The daemon dies between the order and its answer, at instants that no test can choose, so at several.
void aStartThatWasNotAnsweredIsNotDoubled(EngineUnderTest& t) {
  t.restart();
  std::vector<control::StartOrder> orders;
  for (int i = 0; i < 8; ++i) orders.push_back(t.shell("echo once >> " + t.path("count" + std::to_string(i))));
  for (const auto& order : orders) t.engine().dispatchStart(order);
  t.drop();
  std::vector<control::KnownAttempt> known;
  for (const auto& order : orders) known.push_back({order.attempt.id, AttemptState::planned, 0});
  t.restart(known);
  for (const auto& order : orders) t.begin(order);
  for (const auto& order : orders) EXPECT_EQ(t.sink().awaitEnd(order.attempt.id).category, FailureCategory::none);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(readFile(t.path("count" + std::to_string(i))), "once\n");
}

void theEnginesRestartHarmsNothing(EngineUnderTest& t) {
  t.restart();
  const auto order = t.shell("while [ ! -e " + t.path("go") + " ]; do sleep 0.01; done; exit 6");
  (void)t.beginAndRun(order);
  if (!t.harness().restartDaemons()) {
    std::ofstream(t.path("go")).put('\n');
    (void)t.sink().awaitEnd(order.attempt.id);
    GTEST_SKIP() << "NO DAEMONS: this engine has none of its own that could be restarted";
  }
  const auto second = t.shell("exit 5");
  t.begin(second);
  EXPECT_EQ(t.sink().awaitEnd(second.attempt.id).reason, "rank 0 exited with 5");
  std::ofstream(t.path("go")).put('\n');
  EXPECT_EQ(t.sink().awaitEnd(order.attempt.id).reason, "rank 0 exited with 6");
}

void aLostNodeIsTold(EngineUnderTest& t) {
  t.restart();
  const auto order = t.shell("echo $FAIRLEAD_NODE; exec sleep 1000");
  (void)t.beginAndRun(order);
  EXPECT_TRUE(eventually([&] { return t.log(order.attempt.id).ends_with('\n'); }));
  auto node = t.log(order.attempt.id);  // where it runs, whatever the plan said
  node.resize(node.find('\n'));
  if (!t.harness().loseNode(node)) {
    t.stopUntilTaken(t.stop(order.attempt.id, 1));
    (void)t.sink().awaitEnd(order.attempt.id);
    GTEST_SKIP() << "NO NODE TO LOSE: this engine's harness takes none away";
  }
  EXPECT_EQ(t.sink().awaitEnd(order.attempt.id).category, FailureCategory::nodeLost);
}

}  // namespace fairlead::engine::testing
