// What an engine with a queue and limits of its own does by itself, and answers lost more than once.
#include "cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

namespace fairlead::engine::testing {

using model::AttemptState;
using model::FailureCategory;
using model::ObservationKind;

void aRequeueByItsOwnerIsTheSameAttempt(EngineUnderTest& t) {
  if (!t.harness().allowRequeue()) GTEST_SKIP() << "NO QUEUE: this engine has none of its own";
  t.restart();
  const auto order =
      t.shell("echo run >> " + t.path("begun") + "; while [ ! -e " + t.path("go") + " ]; do sleep 0.01; done; exit 8");
  const auto started = t.beginAndRun(order);
  ASSERT_EQ(started.kind, ObservationKind::started) << started.reason;
  ASSERT_TRUE(eventually([&] { return readFile(t.path("begun")) == "run\n"; }));
  t.harness().requeue(started.nativeId);
  EXPECT_TRUE(eventually([&] { return readFile(t.path("begun")) == "run\nrun\n"; })) << readFile(t.path("begun"));
  std::ofstream(t.path("go")).put('\n');
  const auto end = t.sink().awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::applicationExit) << end.reason;
  EXPECT_EQ(end.reason, "rank 0 exited with 8");
  const auto seen = t.sink().seen(order.attempt.id);
  const auto count = [&](ObservationKind kind) {
    return std::count_if(seen.begin(), seen.end(), [&](const auto& o) { return o.kind == kind; });
  };
  EXPECT_EQ(count(ObservationKind::started), 1);
  EXPECT_EQ(count(ObservationKind::ended), 1);
  EXPECT_EQ(count(ObservationKind::lost), 0);
}

/// Two daemons in a row die between an order and its answer; the third one's orders are the same again.
void twoLostAnswersMakeOneRun(EngineUnderTest& t) {
  t.restart();
  std::vector<control::StartOrder> orders;
  for (int i = 0; i < 6; ++i) orders.push_back(t.shell("echo once >> " + t.path("count" + std::to_string(i))));
  std::vector<control::KnownAttempt> known;
  for (const auto& order : orders) known.push_back({order.attempt.id, AttemptState::planned, 0});
  for (const auto& order : orders) t.engine().dispatchStart(order);
  t.restart(known);
  for (const auto& order : orders) t.engine().dispatchStart(order);
  // One answer shows that this daemon is in the middle of them.
  (void)t.sink().awaitAnswer(orders.front().intent.id);
  t.restart(known);
  for (const auto& order : orders) t.begin(order);
  for (const auto& order : orders) EXPECT_EQ(t.sink().awaitEnd(order.attempt.id).category, FailureCategory::none);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(readFile(t.path("count" + std::to_string(i))), "once\n");
}

void runningOutOfMemoryIsTold(EngineUnderTest& t) {
  if (!t.harness().limitsMemory()) GTEST_SKIP() << "NO MEMORY LIMIT: this engine keeps none here";
  t.restart();
  // tail holds what it may have to print: 400 MB, and no more where the limit fails.
  auto order = t.shell("(head -c 400000000 /dev/zero; exec sleep 1000) | tail -c 400000000 >/dev/null");
  order.attempt.placement[0].memory = {128LL << 20};
  t.begin(order);
  const auto end = t.sink().awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::outOfMemory) << end.reason;
}

}  // namespace fairlead::engine::testing
