#include "cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

namespace fairlead::engine::testing {

using model::FailureCategory;
using model::ObservationKind;

void aSuccessIsToldOnceAndInOrder(EngineUnderTest& t) {
  t.restart();
  const auto order = t.shell("echo hello; echo trouble >&2");
  t.begin(order);
  const auto end = t.sink().awaitEnd(order.attempt.id);
  EXPECT_EQ(end.kind, ObservationKind::ended);
  EXPECT_EQ(end.category, FailureCategory::none) << end.reason;
  ASSERT_EQ(end.ends.size(), 1u);
  EXPECT_EQ(end.ends[0].exitCode, 0);
  const auto seen = t.sink().seen(order.attempt.id);
  std::size_t started = 0, ended = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(seen[i - 1].sequence, seen[i].sequence);
    }
    started += seen[i].kind == ObservationKind::started ? 1 : 0;
    ended += seen[i].kind == ObservationKind::ended ? 1 : 0;
  }
  EXPECT_EQ(seen.front().kind, ObservationKind::accepted);
  EXPECT_FALSE(seen.front().nativeId.empty());
  EXPECT_EQ(started, 1u);
  EXPECT_EQ(ended, 1u);
  EXPECT_EQ(t.log(order.attempt.id), "hello\n");
  EXPECT_EQ(t.log(order.attempt.id, 0, control::LogStream::standardError), "trouble\n");
}

void exitCodesAreExact(EngineUnderTest& t) {
  t.restart();
  std::vector<std::pair<int, control::StartOrder>> orders;
  for (const int code : {1, 75, 119, 255}) orders.emplace_back(code, t.shell("exit " + std::to_string(code)));
  for (const auto& [code, order] : orders) t.begin(order);
  for (const auto& [code, order] : orders) {
    const auto end = t.sink().awaitEnd(order.attempt.id);
    EXPECT_EQ(end.category, FailureCategory::applicationExit) << end.reason;
    ASSERT_EQ(end.ends.size(), 1u);
    EXPECT_EQ(end.ends[0].exitCode, code);
    EXPECT_EQ(end.ends[0].signal, 0);
    EXPECT_EQ(end.reason, "rank 0 exited with " + std::to_string(code));
  }
}

void signalsAreExact(EngineUnderTest& t) {
  t.restart();
  const auto order = t.shell("kill -SEGV $$");
  t.begin(order);
  const auto end = t.sink().awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::signal) << end.reason;
  ASSERT_EQ(end.ends.size(), 1u);
  EXPECT_EQ(end.ends[0].signal, SIGSEGV);
  EXPECT_FALSE(end.ends[0].outOfMemory);
}

void aMissingCommandIsNamed(EngineUnderTest& t) {
  t.restart();
  Work work;
  work.command = {"no-such-program", "x"};
  const auto order = t.order(work);
  t.begin(order);
  const auto end = t.sink().awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::startFailed);
  EXPECT_NE(end.reason.find("command no-such-program: No such file or directory"), std::string::npos) << end.reason;
}

void aMissingFolderIsNamed(EngineUnderTest& t) {
  t.restart();
  Work work;
  work.command = {"/bin/true"};
  work.spec = [](model::Spec& spec) { spec.roles[0].workingDirectory = "/no/such/folder"; };
  const auto order = t.order(work);
  t.begin(order);
  const auto end = t.sink().awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::startFailed);
  EXPECT_NE(end.reason.find("working directory /no/such/folder"), std::string::npos) << end.reason;
}

void aScriptRunsWithItsInterpreter(EngineUnderTest& t) {
  t.restart();
  Work work;
  work.script = "#!/bin/sh\necho rank $SLURM_PROCID of $SLURM_NTASKS\n";
  const auto order = t.order(work);
  t.begin(order);
  EXPECT_EQ(t.sink().awaitEnd(order.attempt.id).category, FailureCategory::none);
  EXPECT_EQ(t.log(order.attempt.id), "rank 0 of 1\n");
}

void ranksKnowTheirPlace(EngineUnderTest& t) {
  t.restart();
  Work work;
  work.members = 2;
  work.command = {"/bin/sh", "-c",
                  "echo $RANK/$WORLD_SIZE $LOCAL_RANK $OMPI_COMM_WORLD_RANK $PMI_SIZE $FAIRLEAD_ROLE $FAIRLEAD_MEMBER "
                  "$FAIRLEAD_INTENT $MASTER_ADDR:$MASTER_PORT"};
  const auto order = t.order(work);
  t.begin(order);
  EXPECT_EQ(t.sink().awaitEnd(order.attempt.id).category, FailureCategory::none);
  const auto first = t.log(order.attempt.id, 0), second = t.log(order.attempt.id, 1);
  const auto intent = model::toText(order.intent.id);
  EXPECT_TRUE(first.starts_with("0/2 0 0 2 main 0 " + intent + " ")) << first;
  EXPECT_TRUE(second.starts_with("1/2 1 1 2 main 1 " + intent + " ")) << second;
  EXPECT_EQ(first.substr(first.rfind(' ')), second.substr(second.rfind(' ')));
  EXPECT_GT(first.size() - first.rfind(':'), 3u);
}

void ranksSeeTheirDevices(EngineUnderTest& t) {
  t.restart();
  const auto device = t.harness().device();
  if (device.model.empty()) GTEST_SKIP() << "NO DEVICES: this engine has none here";
  Work work;
  work.members = work.devices = 2;
  work.command = {"/bin/sh", "-c", "echo $" + device.variable};
  const auto order = t.order(work);
  t.begin(order);
  const auto end = t.sink().awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::none) << end.reason;
  const auto first = t.log(order.attempt.id, 0), second = t.log(order.attempt.id, 1);
  EXPECT_EQ(std::count(first.begin(), first.end(), ','), 1) << first;
  EXPECT_EQ(std::count(second.begin(), second.end(), ','), 1) << second;
  EXPECT_NE(first, second);
}

void aGangFailsWhole(EngineUnderTest& t) {
  t.restart();
  Work work;
  work.members = 3;
  work.command = {"/bin/sh", "-c", "if [ $RANK = 1 ]; then exit 3; fi; exec sleep 1000"};
  const auto order = t.order(work);
  t.begin(order);
  const auto end = t.sink().awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::applicationExit);
  EXPECT_EQ(end.reason, "rank 1 exited with 3");
}

void textsOfUsersAreOnlyTexts(EngineUnderTest& t) {
  t.restart();
  const auto trap = t.path("hit");
  const std::string evil = "$(touch " + trap + "); `touch " + trap + "` 'x' \"y\" \\ , %j\nnext";
  Work work;
  work.command = {"/bin/sh", "-c", "printf '%s|%s' \"$EVIL\" \"$1\"", "sh", evil};
  work.spec = [&](model::Spec& spec) { spec.roles[0].env = {{"EVIL", evil}}; };
  auto order = t.order(work);
  order.workload.name = "a,b $(touch x) 'q'";
  order.workload.project = "lab";
  t.begin(order);
  const auto end = t.sink().awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::none) << end.reason;
  EXPECT_EQ(t.log(order.attempt.id), evil + "|" + evil);
  EXPECT_FALSE(std::filesystem::exists(trap));
}

void logsAreReadFromAnyPlace(EngineUnderTest& t) {
  t.restart();
  const auto order = t.shell("for i in 1 2 3 4 5; do echo line $i; done");
  t.begin(order);
  (void)t.sink().awaitEnd(order.attempt.id);
  control::LogQuery query;
  query.attempt = order.attempt.id;
  query.offset = 7;
  query.limit = 7;
  const auto middle = t.engine().readLog(query);
  ASSERT_TRUE(middle) << toText(middle.error());
  EXPECT_EQ(middle->bytes, "line 2\n");
  EXPECT_EQ(middle->end, 14u);
  EXPECT_FALSE(middle->complete);
  query.tailBytes = 10;
  query.limit = 100;
  const auto tail = t.engine().readLog(query);
  ASSERT_TRUE(tail) << toText(tail.error());
  EXPECT_EQ(tail->bytes, "line 5\n");
  EXPECT_EQ(tail->offset, 28u);
  EXPECT_TRUE(tail->complete);
  query.attempt = {query.attempt.value + 1'000'000};
  const auto unknown = t.engine().readLog(query);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind(), ErrorKind::notFound);
}

}  // namespace fairlead::engine::testing
