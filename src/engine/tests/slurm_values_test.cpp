// The pure parts of the Slurm engine: ends, inventory, submissions, memory.
#include "slurm/attempt_memory.hpp"
#include "slurm/fate.hpp"
#include "slurm/inventory.hpp"
#include "slurm/job_mirror.hpp"

#include <fairlead/engine/errors.hpp>

#include <gtest/gtest.h>

#include <csignal>

namespace fairlead::engine::slurm {
namespace {

using model::FailureCategory;
using wire::JobState;

wire::SlurmJob jobOf(JobState state, std::int32_t code = 0, std::int32_t signal = 0) {
  wire::SlurmJob job;
  job.id = 7;
  job.submitTime = TimePoint{5'000};
  job.state = state;
  job.stateText = "X";
  job.exit = wire::ExitCode{code, signal, false, false};
  return job;
}

model::Observation endWith(const wire::SlurmJob& job, std::int32_t members = 1, std::vector<RankEnd> ends = {}) {
  return endOf(factsOf(job), ends, false, {}, members);
}

TEST(SlurmFate, TellsWhyAJobEnded) {
  EXPECT_EQ(endWith(jobOf(JobState::completed)).category, FailureCategory::none);
  EXPECT_EQ(endWith(jobOf(JobState::nodeFail)).category, FailureCategory::nodeLost);
  EXPECT_EQ(endWith(jobOf(JobState::bootFail)).category, FailureCategory::nodeLost);
  EXPECT_EQ(endWith(jobOf(JobState::timeout)).category, FailureCategory::timeLimit);
  EXPECT_EQ(endWith(jobOf(JobState::deadline)).category, FailureCategory::timeLimit);
  EXPECT_EQ(endWith(jobOf(JobState::preempted)).category, FailureCategory::preempted);
  EXPECT_EQ(endWith(jobOf(JobState::cancelled)).category, FailureCategory::cancelled);
  EXPECT_EQ(endWith(jobOf(JobState::outOfMemory, 0, 125)).category, FailureCategory::outOfMemory);
  const auto failed = endWith(jobOf(JobState::failed, 3));
  EXPECT_EQ(failed.category, FailureCategory::applicationExit);
  EXPECT_EQ(failed.reason, "rank 0 exited with 3");
  EXPECT_EQ(endWith(jobOf(JobState::failed, 139)).category, FailureCategory::signal);
  EXPECT_EQ(endWith(jobOf(JobState::failed, 255)).ends[0].exitCode, 255);
  auto killed = jobOf(JobState::failed, 0, SIGKILL);
  killed.reason = "JobLaunchFailure";
  EXPECT_EQ(endWith(killed).category, FailureCategory::outOfMemory);
  killed.exit->signal = 0;
  EXPECT_EQ(endWith(killed).category, FailureCategory::startFailed);
}

TEST(SlurmFate, NamesSignalsThatHaveNoName) {
  const auto end = endWith(jobOf(JobState::failed, 0, 40));
  EXPECT_EQ(end.category, FailureCategory::signal);
  EXPECT_EQ(end.reason, "rank 0 was killed by signal 40");
}

TEST(SlurmFate, AJobWithoutItsFilesNeverStarted) {
  const auto end = endWith(jobOf(JobState::failed, 0, 53));
  EXPECT_EQ(end.category, FailureCategory::startFailed);
  EXPECT_NE(end.reason.find("working folder"), std::string::npos) << end.reason;
}

TEST(SlurmFate, AStopIsACancelUnlessTheNodeWasLost) {
  const auto facts = factsOf(jobOf(JobState::completed));
  EXPECT_EQ(endOf(facts, {}, true, "by a person", 1).category, FailureCategory::cancelled);
  EXPECT_EQ(endOf(facts, {}, true, "by a person", 1).reason, "by a person");
  EXPECT_EQ(endOf(factsOf(jobOf(JobState::nodeFail)), {}, true, "x", 1).category, FailureCategory::nodeLost);
}

TEST(SlurmFate, ARankNobodyAskedIsNotNamed) {
  const auto end = endWith(jobOf(JobState::failed, 3), 4);
  ASSERT_EQ(end.ends.size(), 1u);
  EXPECT_EQ(end.ends[0].rank, -1);
  EXPECT_TRUE(endWith(jobOf(JobState::completed), 4).ends.empty());
}

TEST(SlurmFate, WhatStillCleansUpHasNotEnded) {
  auto job = jobOf(JobState::failed, 1);
  job.flags.add(wire::JobFlag::completing);
  EXPECT_EQ(factsOf(job).phase, JobPhase::running);
  EXPECT_EQ(factsOf(jobOf(JobState::unknown)).phase, JobPhase::unsaid);
  job = jobOf(JobState::running);
  job.flags.add(wire::JobFlag::configuring);
  EXPECT_EQ(factsOf(job).phase, JobPhase::waiting);
}

TEST(SlurmFate, ReadsWhatRanksLeftAndNothingElse) {
  const auto ends = readRankEnds("1 exit 7\n0 start no such file\nx exit 1\n2 exit 999\n-1 exit 0\n3 exit\n1 exit 8\n");
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0].startProblem, "no such file");
  EXPECT_EQ(ends[1].code, 8);
}

wire::GresEntry gres(const std::string& name, const std::string& type, std::int64_t count) {
  wire::GresEntry entry;
  entry.name = name;
  entry.type = type;
  entry.count = count;
  return entry;
}

TEST(SlurmFate, AKillForMemoryIsToldFromAnyOtherKill) {
  const auto failed = factsOf(jobOf(JobState::failed, 137));
  EXPECT_EQ(endOf(failed, {}, false, {}, 1).category, FailureCategory::signal);
  const auto alone = endOf(failed, readRankEnds("0 memory\n"), false, {}, 1);
  EXPECT_EQ(alone.category, FailureCategory::outOfMemory);
  ASSERT_EQ(alone.ends.size(), 1u);
  EXPECT_TRUE(alone.ends[0].outOfMemory);
  EXPECT_EQ(alone.ends[0].signal, SIGKILL);
  const auto first = endOf(failed, readRankEnds("0 exit 0\n1 exit 137\n1 first 137\n1 memory\n"), false, {}, 2);
  EXPECT_TRUE(first.reason.starts_with("rank 1 ran out of memory")) << first.reason;
  ASSERT_EQ(first.ends.size(), 2u);
  EXPECT_FALSE(first.ends[0].outOfMemory);
  EXPECT_TRUE(first.ends[1].outOfMemory);
  const auto some = endOf(failed, readRankEnds("- memory\n"), false, {}, 4);
  EXPECT_EQ(some.category, FailureCategory::outOfMemory);
  EXPECT_EQ(some.ends[0].rank, -1);
  EXPECT_TRUE(readRankEnds("x memory\n0 memory x\n").empty());
}

TEST(SlurmInventory, NamesDevicesThroughTheTable) {
  wire::SlurmNode node;
  node.name = "n1";
  node.state = wire::NodeState::idle;
  node.cpus = 64;
  node.gres = {gres("gpu", "h100", 2), gres("npu", "ascend910b", 1), gres("license", "x", 9)};
  const auto read = readInventory("lab", {node});
  ASSERT_EQ(read.nodes.size(), 1u);
  const auto& devices = read.nodes[0].devices;
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[0].vendor, "nvidia");
  EXPECT_EQ(devices[0].model, "h100");
  EXPECT_EQ(devices[2].vendor, "huawei");
  EXPECT_EQ(devices[2].model, "ascend-910b");
  EXPECT_EQ(read.nodes[0].cpus.count, 64'000);
  ASSERT_EQ(read.kinds.size(), 2u);
  EXPECT_EQ(read.kinds[1].gresType, "ascend910b");
}

TEST(SlurmInventory, TellsStatesApart) {
  const auto stateOf = [](wire::NodeState state, std::optional<wire::NodeFlag> flag) {
    wire::SlurmNode node;
    node.name = "n";
    node.state = state;
    if (flag) node.flags.add(*flag);
    return readInventory("lab", {node}).nodes[0].state;
  };
  using Flag = wire::NodeFlag;
  EXPECT_EQ(stateOf(wire::NodeState::mixed, {}), model::NodeState::ready);
  EXPECT_EQ(stateOf(wire::NodeState::mixed, Flag::notResponding), model::NodeState::unknown);
  EXPECT_EQ(stateOf(wire::NodeState::idle, Flag::drain), model::NodeState::draining);
  EXPECT_EQ(stateOf(wire::NodeState::down, {}), model::NodeState::down);
  EXPECT_EQ(stateOf(wire::NodeState::unknown, {}), model::NodeState::unknown);
}

TEST(SlurmInventory, PublishesDisagreement) {
  wire::SlurmNode node;
  node.name = "n1";
  node.state = wire::NodeState::mixed;
  node.gresUsed = {gres("gpu", "h100", 2)};
  wire::TresCount used;
  used.type = "gres";
  used.name = "gpu";
  used.count = 3;
  node.tresUsed = {used};
  const auto read = readInventory("lab", {node});
  ASSERT_EQ(read.doubts.size(), 1u);
  EXPECT_NE(read.doubts[0].find("2 gpu in use by GresUsed, 3 by AllocTRES"), std::string::npos) << read.doubts[0];
}

TEST(SlurmMirror, DoubtsAnEmptyListAndAnotherCluster) {
  JobMirror mirror("lab");
  wire::SlurmList<wire::SlurmJob> read;
  read.answer.complete = true;
  read.answer.cluster = "lab";
  read.records.push_back(jobOf(JobState::running));
  EXPECT_TRUE(mirror.take(read).whole);
  auto empty = read;
  empty.records.clear();
  EXPECT_FALSE(mirror.take(empty).present);
  EXPECT_FALSE(mirror.take(empty).present);
  EXPECT_TRUE(mirror.take(empty).whole) << "three in a row are the truth";
  auto other = read;
  other.answer.cluster = "elsewhere";
  EXPECT_FALSE(mirror.take(other).present);
  auto half = read;
  half.answer.complete = false;
  EXPECT_TRUE(mirror.take(half).present);
  EXPECT_FALSE(mirror.take(half).whole);
}

TEST(SlurmMirror, AnEmptyListAfterOurStartIsNotTheWholeTruthAtOnce) {
  JobMirror mirror("lab");
  wire::SlurmList<wire::SlurmJob> empty;
  empty.answer.complete = true;
  empty.answer.cluster = "lab";
  for (int i = 0; i < 2; ++i) {
    const auto verdict = mirror.take(empty);
    EXPECT_TRUE(verdict.present && !verdict.whole && verdict.doubt.empty()) << i;
  }
  EXPECT_TRUE(mirror.take(empty).whole);
  EXPECT_TRUE(mirror.take(empty).whole) << "an idle cluster stays believed";
}

TEST(SlurmMirror, OursAreThoseWhoseNameAndCommentAgree) {
  const model::IntentId intent{{42}, model::IntentKind::start, 0};
  EXPECT_EQ(intentOf(jobName(intent, "a b"), jobComment(intent)), intent);
  EXPECT_FALSE(intentOf(jobName(intent, "x"), ""));
  EXPECT_FALSE(intentOf("x", jobComment(intent)));
  EXPECT_FALSE(intentOf(jobName({{43}, model::IntentKind::start, 0}, "x"), jobComment(intent)));
  EXPECT_EQ(jobName(intent, "a,b $(x)\n"), model::toText(intent) + ".a_b___x__");
}

TEST(SlurmMemory, ComesBackAndTellsATornOne) {
  AttemptMemory memory;
  memory.attempt = {9};
  memory.user = "alice";
  memory.jobName = "a\tb\nc\\";
  memory.job = 77;
  memory.submitted = {123'000};
  memory.stop = {true, {5}, 12, 10, {7}, {8}, "why"};
  const auto text = encodeMemory(memory);
  const auto back = decodeMemory(text);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->jobName, memory.jobName);
  EXPECT_EQ(back->job, 77u);
  EXPECT_EQ(back->stop.firstGrace.count, 7);
  EXPECT_EQ(encodeMemory(*back), text);
  for (std::size_t cut = 0; cut + 1 < text.size(); ++cut) EXPECT_FALSE(decodeMemory(text.substr(0, cut))) << cut;
}

class SlurmPlan : public ::testing::Test {
 protected:
  void SetUp() override {
    document_->spec.roles.emplace_back().name = "worker";
    document_->spec.roles[0].command = {"train"};
    order_.attempt.id = {1};
    order_.intent.id = {{1}, model::IntentKind::start, 0};
    order_.workload.name = "job";
    order_.workload.project = "research";
    order_.workload.unixUser = "alice";
    order_.workload.spec = document_;
    options_.account = "%p";
  }
  void place(std::int32_t rank, const std::string& node, std::int32_t devices) {
    model::MemberPlacement placed;
    placed.rank = rank;
    placed.node = node;
    placed.vendor = "nvidia";
    placed.model = "h100";
    placed.memory = {1 << 30};
    placed.cpus = {2'500};
    for (std::int32_t i = 0; i < devices; ++i) placed.devices.push_back({i, {1000}});
    order_.attempt.placement.push_back(std::move(placed));
  }
  Result<JobPlan> plan() {
    return planJob(order_, options_, {"alice", "/home/alice"}, {{"gpu", "h100", "nvidia", "h100"}});
  }

  std::shared_ptr<model::SpecDocument> document_ = std::make_shared<model::SpecDocument>();
  control::StartOrder order_;
  SlurmOptions options_;
};

TEST_F(SlurmPlan, AsksPerNode) {
  for (std::int32_t rank = 0; rank < 4; ++rank) place(rank, rank < 2 ? "a" : "b", 3);
  const auto made = plan();
  ASSERT_TRUE(made) << toText(made.error());
  const auto& component = made->submit.components.at(0);
  EXPECT_EQ(component.nodes, 2);
  EXPECT_EQ(component.tasksPerNode, 2);
  EXPECT_EQ(component.cpusPerTask, 3);
  EXPECT_EQ(component.memoryPerNode->count, 2LL << 30);
  EXPECT_EQ(component.account, "research");
  ASSERT_EQ(component.gresPerNode.size(), 1u);
  EXPECT_EQ(component.gresPerNode[0].type, "h100");
  EXPECT_EQ(component.gresPerNode[0].count, 6);
  EXPECT_EQ(made->folder, "/home/alice/.fairlead/attempts/" + model::toText(order_.intent.id));
}

TEST_F(SlurmPlan, RefusesSharesAndUnknownDevicesAndImages) {
  place(0, "a", 1);
  order_.attempt.placement[0].devices[0].milli = {500};
  EXPECT_NE(plan().error().message.find("0.5 of a device"), std::string::npos);
  order_.attempt.placement[0].devices[0].milli = {1000};
  order_.attempt.placement[0].model = "b200";
  EXPECT_NE(plan().error().message.find("b200"), std::string::npos);
  order_.attempt.placement[0].model = "h100";
  document_->spec.roles[0].images = {{"cuda", "image"}};
  EXPECT_NE(plan().error().message.find("container image"), std::string::npos);
}

TEST_F(SlurmPlan, RolesBecomeAHeterogeneousJob) {
  place(0, "a", 1);
  place(1, "a", 0);
  order_.attempt.placement[1].role = 1;
  document_->spec.roles.push_back(document_->spec.roles[0]);
  const auto made = plan();
  ASSERT_TRUE(made);
  EXPECT_EQ(made->submit.components.size(), 2u);
  EXPECT_NE(made->submit.script.find("--het-group=1"), std::string::npos);
  EXPECT_TRUE(made->submit.components[1].gresPerNode.empty());
}

TEST_F(SlurmPlan, AScriptForSbatchKeepsItsOutput) {
  place(0, "a", 0);
  document_->spec.roles[0].command.clear();
  document_->spec.roles[0].script = "#!/bin/sh\n#SBATCH -N1\ntrue\n";
  auto made = plan();
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->batchStyle);
  EXPECT_TRUE(made->outputs.at(0).starts_with(made->folder + "/")) << "it named no file, so it is read from here alone";
  document_->spec.logs.standardOutput = "slurm-%j.out";
  made = plan();
  EXPECT_EQ(made->outputs.at(0), "/home/alice/slurm-%j.out");
  document_->spec.logs.standardOutput = "out/%x.txt";
  made = plan();
  EXPECT_EQ(made->submit.stdoutPattern, "/home/alice/out/job.txt");
}

}  // namespace
}  // namespace fairlead::engine::slurm
