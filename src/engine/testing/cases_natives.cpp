#include "cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace fairlead::engine::testing {
namespace {

using model::NativeJob;
using model::WorkloadState;

constexpr auto kNoWay = "NO NATIVE JOBS: this engine's cluster takes none but ours";

/// Waits for the file that lets it end, then leaves one that says so. Its name tells it from others.
std::string waitingScript(const std::string& go, const std::string& done) {
  return "#!/bin/bash\n#SBATCH --job-name=" + std::filesystem::path(done).filename().string() + "\nwhile [ ! -e " + go +
         " ]; do sleep 0.2; done\n: > " + done + "\nexit 3\n";
}

void letGo(const std::string& go) { std::ofstream(go) << "go"; }

auto isIn(const NativeJob& first, WorkloadState state) {
  return [id = first.origin.id, submitted = first.submittedAt, state](const NativeJob& job) {
    return job.origin.id == id && job.submittedAt == submitted && job.state == state;
  };
}

auto runsAs(const std::string& user) {
  return [user](const NativeJob& job) { return job.user == user && job.state == WorkloadState::running; };
}

}  // namespace

void nativeJobsAreTold(EngineUnderTest& t) {
  t.restart();
  const auto go = t.path("native-go"), done = t.path("native-done");
  if (!t.harness().runNative(waitingScript(go, done))) GTEST_SKIP() << kNoWay;
  const auto user = t.harness().unixUser();
  const auto running = t.sink().awaitNative(
      [&](const NativeJob& job) { return runsAs(user)(job) && job.name.find("native-done") != std::string::npos; });
  EXPECT_EQ(running.run, 1U);
  EXPECT_TRUE(running.startedAt);
  EXPECT_TRUE(running.submittedAt);
  EXPECT_EQ(running.spec->spec.taskClass, model::TaskClass::training);
  ASSERT_EQ(running.placement.size(), 1U);
  EXPECT_EQ(running.placement[0].devices.size(), 1U);
  const auto nodes = t.sink().nodes();
  EXPECT_TRUE(
      std::any_of(nodes.begin(), nodes.end(), [&](const auto& n) { return n.name == running.placement[0].node; }));
  letGo(go);
  const auto end = t.sink().awaitNative(isIn(running, WorkloadState::failed));
  EXPECT_EQ(end.failure, model::FailureCategory::applicationExit);
  EXPECT_GE(end.endedAt, running.startedAt);
  EXPECT_EQ(end.startedAt, running.startedAt);
  // Our own never are. What another daemon on this cluster started may be: nobody here knows of it.
  const auto order = t.shell("true");
  t.begin(order);
  (void)t.sink().awaitEnd(order.attempt.id);
  const auto ours = model::toText(order.intent.id);
  for (const auto& job : t.sink().natives()) EXPECT_EQ(job.name.find(ours), std::string::npos) << job.name;
}

void historyIsTold(EngineUnderTest& t) {
  t.restart();
  const auto go = t.path("past-go"), done = t.path("past-done");
  if (!t.harness().runNative(waitingScript(go, done))) GTEST_SKIP() << kNoWay;
  const auto user = t.harness().unixUser();
  const auto running = t.sink().awaitNative(
      [&](const NativeJob& job) { return runsAs(user)(job) && job.name.find("past-done") != std::string::npos; });
  t.drop();
  letGo(go);
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(done); }));
  t.restart();
  const auto end = t.sink().awaitNative(isIn(running, WorkloadState::failed));
  EXPECT_EQ(end.startedAt, running.startedAt);
  EXPECT_GE(end.endedAt, running.startedAt);
  ASSERT_EQ(end.placement.size(), 1U);
  EXPECT_EQ(end.placement[0].node, running.placement.at(0).node);
  EXPECT_EQ(end.placement[0].devices.size(), 1U);
}

void whatIsInUseIsTold(EngineUnderTest& t) {
  t.restart();
  const auto go = t.path("use-go"), done = t.path("use-done");
  if (!t.harness().runNative(waitingScript(go, done))) GTEST_SKIP() << kNoWay;
  const auto user = t.harness().unixUser();
  const auto running = t.sink().awaitNative(
      [&](const NativeJob& job) { return runsAs(user)(job) && job.name.find("use-done") != std::string::npos; });
  ASSERT_EQ(running.placement.size(), 1U);
  ASSERT_EQ(running.placement[0].devices.size(), 1U);
  const auto index = static_cast<std::size_t>(running.placement[0].devices[0].index);
  const auto isUsed = [&](bool wanted) {
    for (const auto& node : t.sink().nodes())
      if (node.name == running.placement[0].node)
        return node.used.devices.size() > index && (node.used.devices[index].count == 1000) == wanted;
    return false;
  };
  EXPECT_TRUE(eventually([&] { return isUsed(true); })) << "device " << index << " of " << running.placement[0].node;
  letGo(go);
  EXPECT_TRUE(eventually([&] { return isUsed(false); }));
}

}  // namespace fairlead::engine::testing
