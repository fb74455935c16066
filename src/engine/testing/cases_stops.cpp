#include "cases.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>

namespace fairlead::engine::testing {

using model::FailureCategory;
using model::ObservationKind;

void aStopSendsTheSignalFirst(EngineUnderTest& t) {
  t.restart();
  const auto order = t.shell("trap 'echo saved; exit 0' TERM; echo ready; while :; do sleep 0.01; done");
  (void)t.beginAndRun(order);
  t.awaitLog(order.attempt.id, "ready\n");
  t.stopUntilTaken(t.stop(order.attempt.id));
  const auto end = t.sink().awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::cancelled);
  EXPECT_EQ(end.reason, "cancelled by a test");
  ASSERT_EQ(end.ends.size(), 1u);
  EXPECT_EQ(end.ends[0].exitCode, 0);
  EXPECT_EQ(t.log(order.attempt.id), "ready\nsaved\n");
}

void whatIgnoresTheSignalIsKilled(EngineUnderTest& t) {
  t.restart();
  const auto order = t.shell("trap '' TERM; echo ready; while :; do sleep 0.01; done");
  (void)t.beginAndRun(order);
  t.awaitLog(order.attempt.id, "ready\n");
  t.stopUntilTaken(t.stop(order.attempt.id, 50));
  EXPECT_EQ(t.sink().awaitEnd(order.attempt.id).category, FailureCategory::cancelled);
}

void theFirstSignalComesFirst(EngineUnderTest& t) {
  t.restart();
  const auto order =
      t.shell("trap 'echo checkpoint' USR1; trap 'echo term; exit 9' TERM; echo ready; while :; do sleep 0.01; done");
  (void)t.beginAndRun(order);
  t.awaitLog(order.attempt.id, "ready\n");
  auto stop = t.stop(order.attempt.id);
  stop.firstSignal = SIGUSR1;
  stop.firstGrace = {1'500};
  t.stopUntilTaken(stop);
  EXPECT_EQ(t.sink().awaitEnd(order.attempt.id).category, FailureCategory::cancelled);
  EXPECT_EQ(t.log(order.attempt.id), "ready\ncheckpoint\nterm\n");
}

void aStopBeforeTheStartKeepsItFromRunning(EngineUnderTest& t) {
  t.restart();
  const auto order = t.shell("touch " + t.path("ran"));
  t.stopUntilTaken(t.stop(order.attempt.id));
  EXPECT_EQ(t.sink().awaitEnd(order.attempt.id).category, FailureCategory::cancelled);
  t.begin(order);
  t.restart();
  t.begin(order);
  // Another one shows that what would have run has had its time.
  const auto after = t.shell("true");
  t.begin(after);
  (void)t.sink().awaitEnd(after.attempt.id);
  EXPECT_FALSE(std::filesystem::exists(t.path("ran")));
}

void aSignalIsDelivered(EngineUnderTest& t) {
  t.restart();
  const auto order = t.shell("trap 'echo usr1' USR1; trap 'exit 0' USR2; echo ready; while :; do sleep 0.01; done");
  (void)t.beginAndRun(order);
  t.awaitLog(order.attempt.id, "ready\n");
  model::Intent signal;
  signal.id = {order.attempt.id, model::IntentKind::signal, 0};
  signal.signal = SIGUSR1;
  t.signalUntilTaken(signal);
  t.awaitLog(order.attempt.id, "ready\nusr1\n");
  signal.id.ordinal = 1;
  signal.signal = SIGUSR2;
  t.signalUntilTaken(signal);
  const auto end = t.sink().awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::none) << end.reason;
}

void theTimeLimitEndsIt(EngineUnderTest& t) {
  t.restart();
  Work work;
  work.command = {"/bin/sh", "-c", "exec sleep 1000"};
  work.spec = [&](model::Spec& spec) { spec.timeLimit = t.harness().shortestLimit(); };
  const auto order = t.order(work);
  t.begin(order);
  EXPECT_EQ(t.sink().awaitEnd(order.attempt.id).category, FailureCategory::timeLimit);
}

}  // namespace fairlead::engine::testing
