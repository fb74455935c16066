// Which jobs of other people are told, and what of them.
#include "slurm/inventory.hpp"
#include "slurm/native_jobs.hpp"

#include <fairlead/codec/slurm/grammars.hpp>
#include <fairlead/codec/slurm/hostlist.hpp>
#include <fairlead/codec/spec_codec.hpp>

#include <gtest/gtest.h>

namespace fairlead::engine::test {
namespace {

using namespace slurm;
using model::FailureCategory;
using model::NativeJob;
using model::WorkloadState;
using wire::JobState;

constexpr TimePoint kSubmit{1'000'000}, kStart{1'060'000}, kEnd{1'120'000};

wire::SlurmJob pending(std::uint32_t id) {
  wire::SlurmJob job;
  job.id = id;
  job.name = "bert";
  job.user = "alice";
  job.account = "research";
  job.partition = "gpu";
  job.state = JobState::pending;
  job.stateText = "PENDING";
  job.reason = "Resources";
  job.submitTime = kSubmit;
  job.batch = true;
  EXPECT_TRUE(wire::readTres("cpu=8,mem=2G,node=2,billing=8,gres/gpu=4,gres/gpu:h100=4", job.requested));
  job.limit.span = Milliseconds{3'600'000};
  return job;
}

wire::SlurmJob running(std::uint32_t id, JobState state = JobState::running, const std::string& word = "RUNNING") {
  auto job = pending(id);
  job.state = state;
  job.stateText = word;
  job.reason = "None";
  job.startTime = kStart;
  job.nodes = wire::hostSet("n[1-2]");
  job.allocated = job.requested;
  for (const auto* node : {"n1", "n2"}) {
    auto& detail = job.gresDetail.emplace_back();
    detail.node = node;
    EXPECT_TRUE(wire::readGres("gpu:h100:2(IDX:2,5)", detail.gres));
  }
  return job;
}

wire::SlurmJob ended(std::uint32_t id, JobState state = JobState::completed, const std::string& word = "COMPLETED") {
  auto job = running(id, state, word);
  job.gresDetail.clear();
  job.endTime = kEnd;
  job.exit = wire::ExitCode{state == JobState::failed ? 3 : 0, 0, false, false};
  return job;
}

wire::SlurmAccountedJob row(std::uint32_t id, JobState state, const std::string& word, TimePoint submit,
                            std::uint32_t restarts = 0) {
  wire::SlurmAccountedJob run;
  run.id = id;
  run.name = "bert";
  run.user = "alice";
  run.account = "research";
  run.state = state;
  run.stateText = word;
  run.submitTime = submit;
  run.startTime = submit + Milliseconds{10'000};
  run.endTime = submit + Milliseconds{50'000};
  run.nodes = wire::hostSet("n1");
  run.restarts = restarts;
  EXPECT_TRUE(wire::readTres("cpu=8,node=1,gres/gpu=2,gres/gpu:h100=2", run.allocated));
  run.exit = wire::ExitCode{state == JobState::failed ? 3 : 0, 0, false, false};
  return run;
}

class SlurmNatives : public ::testing::Test {
 protected:
  SlurmNatives() {
    std::vector<wire::SlurmNode> nodes;
    for (const auto* name : {"n1", "n2"}) {
      auto& node = nodes.emplace_back();
      node.name = name;
      EXPECT_TRUE(wire::readGres("gpu:h100:8", node.gres));
    }
    devices_ = readInventory("lab", nodes).devices;
  }

  std::vector<NativeJob> take(std::vector<wire::SlurmJob> jobs, bool whole = true) {
    now_ += Milliseconds{2'000};
    wire::SlurmList<wire::SlurmJob> read;
    read.records = std::move(jobs);
    read.answer.complete = true;
    return natives_.take(read, whole, "alpha", devices_, now_);
  }
  NativeJob takeOne(const wire::SlurmJob& job) {
    auto told = take({job});
    EXPECT_EQ(told.size(), 1U);
    return told.empty() ? NativeJob{} : told[0];
  }
  std::vector<NativeJob> answer(std::vector<wire::SlurmAccountedJob> rows) {
    wire::SlurmList<wire::SlurmAccountedJob> read;
    read.records = std::move(rows);
    read.answer.complete = true;
    return natives_.takeAnswer(&read, {"alpha", true}, devices_, now_);
  }

  ClusterDevices devices_;
  Owner owner_ = Owner::unknown;
  NativeJobs natives_{NativeForm("lab", {{"prod", "production"}}),
                      [this](model::AttemptId, const std::string&) { return owner_; }};
  Milliseconds now_{1'000'000};
};

TEST_F(SlurmNatives, AreToldWholeAndOnlyWhenTheyChange) {
  const auto waiting = takeOne(pending(7));
  EXPECT_EQ(waiting.origin, (model::NativeOrigin{"lab", "7", "research", "gpu", "", "PENDING", "Resources", 1}));
  EXPECT_EQ(waiting.submittedAt, kSubmit);
  EXPECT_EQ(waiting.name, "bert");
  EXPECT_EQ(waiting.user, "alice");
  EXPECT_EQ(waiting.project, "research");
  EXPECT_EQ(waiting.state, WorkloadState::queued);
  EXPECT_EQ(waiting.run, 1U);
  EXPECT_FALSE(waiting.startedAt);
  EXPECT_TRUE(waiting.placement.empty()) << "nothing is his yet";
  auto later = pending(7);
  later.startTime = TimePoint{9'000'000};  // the scheduler's guess
  EXPECT_TRUE(take({later}).empty());

  const auto runs = takeOne(running(7));
  EXPECT_EQ(runs.state, WorkloadState::running);
  EXPECT_EQ(runs.startedAt, kStart);
  EXPECT_EQ(runs.origin.reason, "");
  ASSERT_EQ(runs.placement.size(), 2U);
  EXPECT_EQ(runs.placement[1].node, "n2");
  ASSERT_EQ(runs.placement[1].devices.size(), 2U);
  EXPECT_EQ(runs.placement[1].devices[1].index, 5);
  EXPECT_TRUE(take({running(7)}).empty());

  const auto end = takeOne(ended(7, JobState::failed, "FAILED"));
  EXPECT_EQ(end.state, WorkloadState::failed);
  EXPECT_EQ(end.failure, FailureCategory::applicationExit);
  EXPECT_EQ(end.endedAt, kEnd);
  EXPECT_TRUE(end.placement.empty()) << "it stays where it was told to be";
  ASSERT_EQ(end.ends.size(), 1U);
  EXPECT_EQ(end.ends[0].exitCode, 3);
  EXPECT_TRUE(take({}).empty());
  EXPECT_FALSE(natives_.question(now_)) << "its end is known";
}

TEST_F(SlurmNatives, SayWhatWasAskedFor) {
  const auto spec = takeOne(pending(7)).spec;
  const auto& role = spec->spec.roles.at(0);
  EXPECT_EQ(spec->spec.taskClass, model::TaskClass::training);
  EXPECT_EQ(spec->spec.timeLimit.count, 3'600'000);
  EXPECT_EQ(role.count, 2);
  EXPECT_EQ(role.cpus.count, 4'000);
  EXPECT_EQ(role.memory.count, 1LL << 30);
  ASSERT_EQ(role.devices.size(), 1U);
  EXPECT_EQ(role.devices[0].model, "h100");
  EXPECT_EQ(role.devices[0].vendor, "nvidia");
  EXPECT_EQ(role.devices[0].count, 2);
  EXPECT_TRUE(codec::decodeSpecJson(spec->json)) << "it can be read back from the store";
  EXPECT_EQ(takeOne(pending(8)).spec, spec) << "equal ones share";
  auto any = pending(9);
  any.batch = false;
  ASSERT_TRUE(wire::readTres("cpu=1,node=1,gres/gpu=1", any.requested));
  const auto other = takeOne(any).spec;
  EXPECT_EQ(other->spec.taskClass, model::TaskClass::interactive);
  EXPECT_EQ(other->spec.roles[0].devices.at(0).model, "");
  EXPECT_EQ(other->spec.roles[0].devices.at(0).vendor, "");
}

TEST_F(SlurmNatives, HeldSuspendedAndEndingKeepSlurmsWord) {
  auto held = pending(7);
  held.held = true;
  EXPECT_EQ(takeOne(held).state, WorkloadState::held);
  const auto suspended = takeOne(running(8, JobState::suspended, "SUSPENDED"));
  EXPECT_EQ(suspended.state, WorkloadState::running);
  EXPECT_EQ(suspended.origin.state, "SUSPENDED");
  auto ending = ended(9);
  ending.flags.add(wire::JobFlag::completing);
  EXPECT_EQ(takeOne(ending).state, WorkloadState::stopping);
  auto cancelled = ended(10, JobState::cancelled, "CANCELLED");
  cancelled.nodes = {};
  const auto never = takeOne(cancelled);
  EXPECT_EQ(never.state, WorkloadState::cancelled);
  EXPECT_FALSE(never.startedAt) << "Slurm writes its end there";
  auto odd = ended(11, JobState::failed, "FAILED");
  odd.exit = wire::ExitCode{119, 0, false, false};
  EXPECT_EQ(takeOne(odd).failure, FailureCategory::applicationExit) << "119 means something to our scripts only";
}

TEST_F(SlurmNatives, ArraysAreOneRecordAndTheirStartedElements) {
  auto part = pending(66);
  part.arrayJobId = 66;
  part.arrayTaskText = "3-7%3";
  part.pendingTasks = wire::parseTasks("3-7%3");
  auto element = running(70);
  element.arrayJobId = 66;
  element.arrayTaskId = 2;
  auto told = take({part, element});
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].origin.id, "66");
  EXPECT_EQ(told[0].origin.jobs, 5);
  EXPECT_EQ(told[0].state, WorkloadState::queued);
  EXPECT_EQ(told[1].origin.id, "66_2");
  EXPECT_EQ(told[1].origin.jobs, 1);
  part.pendingTasks = wire::parseTasks("7");
  part.arrayTaskText = "7";
  told = take({part, element});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].origin.id, "66") << "the same record";
  EXPECT_EQ(told[0].origin.jobs, 1);
  auto last = running(66);  // the last one takes the array's own id
  last.arrayJobId = 66;
  last.arrayTaskId = 7;
  told = take({last, element});
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].origin.id, "66_7");
  EXPECT_EQ(told[1].origin.id, "66");
  EXPECT_EQ(told[1].state, WorkloadState::succeeded);
  EXPECT_FALSE(told[1].startedAt);
  EXPECT_TRUE(take({last, element}).empty());
}

TEST_F(SlurmNatives, APendingPartThatVanishesIsNotTakenForStarted) {
  auto part = pending(66);
  part.arrayJobId = 66;
  part.arrayTaskText = "3-7";
  part.pendingTasks = wire::parseTasks("3-7");
  auto element = running(70);
  element.arrayJobId = 66;
  element.arrayTaskId = 2;
  EXPECT_EQ(take({part, element}).size(), 2U);
  EXPECT_TRUE(take({element}).empty());
  EXPECT_TRUE(natives_.isAlive("66"));
  ASSERT_TRUE(natives_.question(now_));
  auto known = row(66, JobState::completed, "COMPLETED", kSubmit);  // slurmdbd has it: all of them started
  known.arrayJobId = 66;
  known.arrayTaskId = 7;
  const auto told = answer({known});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].origin.id, "66");
  EXPECT_EQ(told[0].state, WorkloadState::succeeded);
}

TEST_F(SlurmNatives, ComponentsAreJobsOfTheirOwn) {
  auto leader = running(70), part = running(71);
  leader.hetJobId = part.hetJobId = 70;
  part.hetOffset = 1;
  part.batch = false;  // Slurm says so of every component but the first
  const auto told = take({part, leader});
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].origin.id, "70+0");
  EXPECT_EQ(told[1].origin.id, "70+1");
  EXPECT_EQ(told[1].spec->spec.taskClass, model::TaskClass::training);
}

TEST_F(SlurmNatives, OursAreNeverTold) {
  const model::IntentId intent{{7}, model::IntentKind::start, 0};
  auto leader = running(70), part = running(71);
  leader.name = jobName(intent, "job");
  leader.comment = jobComment(intent);
  leader.hetJobId = part.hetJobId = 70;
  part.hetOffset = 1;
  owner_ = Owner::ours;
  EXPECT_TRUE(take({part, leader}).empty());
  EXPECT_TRUE(take({part, leader}).empty());
  part.stateText = "COMPLETING";
  EXPECT_TRUE(take({part, leader}).empty());
  EXPECT_TRUE(take({}).empty());
  EXPECT_FALSE(natives_.question(now_));
}

TEST_F(SlurmNatives, WordsOfOursInANameHideNobody) {
  const model::IntentId intent{{7}, model::IntentKind::start, 0};
  auto forged = running(70);
  forged.user = "mallory";
  forged.name = jobName(intent, "job");
  forged.comment = jobComment(intent);
  owner_ = Owner::another;
  EXPECT_EQ(takeOne(forged).user, "mallory");
  owner_ = Owner::unknown;
  forged.id = 71;
  EXPECT_EQ(takeOne(forged).origin.id, "71") << "an intent that nobody remembers, and it uses the cluster";
  auto over = ended(72);
  over.name = forged.name;
  over.comment = forged.comment;
  EXPECT_TRUE(take({over}, false).empty()) << "may be ours of long ago";
}

TEST_F(SlurmNatives, RequeuedOnesAreTheSameJobInAnotherRun) {
  EXPECT_EQ(takeOne(running(7)).run, 1U);
  auto again = pending(7);
  again.restarts = 1;
  again.submitTime = kSubmit + Milliseconds{500'000};  // slurmctld submits it anew
  again.failedNode = "n2";
  const auto waits = takeOne(again);
  EXPECT_EQ(waits.run, 2U);
  EXPECT_EQ(waits.submittedAt, kSubmit);
  EXPECT_EQ(waits.state, WorkloadState::queued);
  EXPECT_EQ(waits.failure, FailureCategory::nodeLost);
  auto runs = running(7);
  runs.restarts = 1;
  runs.submitTime = again.submitTime;
  EXPECT_EQ(takeOne(runs).submittedAt, kSubmit);
  auto other = pending(7);  // the id came round again
  other.submitTime = kSubmit + Milliseconds{9'000'000};
  EXPECT_EQ(takeOne(other).submittedAt, *other.submitTime);
}

TEST_F(SlurmNatives, OneThatRanBeforeWeCameIsAskedForFirst) {
  auto again = running(7);
  again.restarts = 1;
  again.submitTime = kSubmit + Milliseconds{60'000};
  EXPECT_TRUE(take({again}).empty()) << "who it is is not known yet";
  const auto query = natives_.question(now_);
  ASSERT_TRUE(query);
  EXPECT_EQ(query->ids, (std::vector<std::uint32_t>{7}));
  EXPECT_TRUE(query->everyRun);
  EXPECT_TRUE(natives_.takeAnswer(nullptr, {}, devices_, now_).empty());
  EXPECT_FALSE(natives_.question(now_)) << "not at once again";
  now_ += Milliseconds{60'000};
  ASSERT_TRUE(natives_.question(now_));
  auto live = row(7, JobState::running, "RUNNING", *again.submitTime, 1);
  live.endTime.reset();
  const auto told = answer({row(7, JobState::preempted, "PREEMPTED", kSubmit), live});
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].state, WorkloadState::running);
  EXPECT_EQ(told[0].run, 1U);
  EXPECT_EQ(told[1].state, WorkloadState::queued);
  EXPECT_EQ(told[1].run, 2U);
  EXPECT_EQ(told[1].failure, FailureCategory::preempted);
  EXPECT_EQ(told[1].endedAt, kSubmit + Milliseconds{50'000});
  const auto now = takeOne(again);
  EXPECT_EQ(now.run, 2U);
  EXPECT_EQ(now.submittedAt, kSubmit);
}

TEST_F(SlurmNatives, OneThatIsGoneEndsByEvidenceOnly) {
  (void)takeOne(running(7));
  EXPECT_TRUE(take({}, false).empty());
  EXPECT_FALSE(natives_.question(now_)) << "half an answer says nothing";
  EXPECT_TRUE(take({}).empty());
  ASSERT_TRUE(natives_.question(now_));
  auto late = row(7, JobState::running, "RUNNING", kSubmit);
  late.endTime.reset();
  EXPECT_TRUE(answer({late}).empty());
  EXPECT_TRUE(natives_.isAlive("7"));
  now_ += Milliseconds{600'000};
  ASSERT_TRUE(natives_.question(now_));
  EXPECT_TRUE(answer({row(7, JobState::failed, "FAILED", kSubmit + Milliseconds{9'000'000})}).empty())
      << "another job of that id";
  now_ += Milliseconds{600'000};
  ASSERT_TRUE(natives_.question(now_));
  const auto told = answer({row(7, JobState::timeout, "TIMEOUT", kSubmit)});
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].state, WorkloadState::failed);
  EXPECT_EQ(told[0].failure, FailureCategory::timeLimit);
  EXPECT_EQ(told[0].endedAt, kSubmit + Milliseconds{50'000});
  EXPECT_FALSE(natives_.isAlive("7"));
  now_ += Milliseconds{600'000};
  EXPECT_FALSE(natives_.question(now_));
}

TEST_F(SlurmNatives, OfOtherClustersAreLeftOut) {
  auto sibling = pending(7);
  sibling.cluster = "beta";
  EXPECT_TRUE(take({sibling}).empty());
  sibling.cluster = "alpha";
  sibling.flags.add(wire::JobFlag::revoked);
  EXPECT_TRUE(take({sibling}).empty()) << "it runs on another cluster of the federation";
}

TEST_F(SlurmNatives, AreToldAgainWhenTheDevicesAreOthers) {
  (void)takeOne(running(7));
  natives_.tellAgain();
  EXPECT_EQ(take({running(7)}).size(), 1U);
}

TEST(SlurmProjects, AreConfiguredOrTheAccountMadeFit) {
  const std::vector<std::pair<std::string, std::string>> configured{{"Prod A", "production"}};
  EXPECT_EQ(projectOf("Prod A", configured), "production");
  EXPECT_EQ(projectOf("research", configured), "research");
  EXPECT_EQ(projectOf("_NLP team/2!", configured), "nlp-team-2");
  EXPECT_EQ(projectOf("", configured), "unassigned");
  for (const auto& account : {std::string(200, 'x'), std::string(70, '-') + "a", std::string("--"),
                              std::string("\xff\n"), std::string(62, 'a') + "_b"})
    EXPECT_TRUE(codec::isName(projectOf(account, configured))) << projectOf(account, configured);
}

}  // namespace
}  // namespace fairlead::engine::test
