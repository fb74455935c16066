// What the commands print, against what slurmrestd says of the same.
#include "slurm_fixtures.hpp"

#include <fairlead/codec/slurm/text_output.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fairlead::codec::slurm {
namespace {

class SlurmText : public testing::TestWithParam<Release> {
 protected:
  [[nodiscard]] std::string text(const std::string& name) const {
    return readFixture(FAIRLEAD_SOURCE_DIR, GetParam().name, name + ".txt");
  }
  [[nodiscard]] TextContext context() const {
    return {.utcOffsetMinutes = 0, .topBit = topBitOf(*parseRelease(GetParam().name)), .delimiter = '|'};
  }
  [[nodiscard]] bool newest() const { return GetParam().name == "26.05"; }
};

template <class List>
void expectWhole(const List& list) {
  EXPECT_TRUE(list.answer.isWhole()) << problemsText(list.answer);
  EXPECT_TRUE(list.answer.reports.empty()) << problemsText(list.answer);
}

TEST_P(SlurmText, SacctRowsAndSteps) {
  const auto list = decodeSacct(text("sacct-P"), context());
  expectWhole(list);
  ASSERT_GE(list.records.size(), 60U);
  const auto& first = list.records[0];
  EXPECT_EQ(first.id, 1U);
  EXPECT_EQ(first.name, "train");
  EXPECT_EQ(first.state, JobState::completed);
  EXPECT_EQ(first.exit, ExitCode{});
  EXPECT_EQ(first.limit.span, Milliseconds{300'000});
  EXPECT_EQ(first.nodes.names.size(), 2U);
  EXPECT_EQ(tresCount(first.allocated, "gres", "gpu:h100"), 16);
  EXPECT_EQ(first.workDir, "/srv/slurm/home/alice");
  ASSERT_EQ(first.steps.size(), 2U);
  EXPECT_EQ(first.steps[0].id, "batch");
  EXPECT_EQ(first.steps[1].id, "0");
  EXPECT_EQ(tresCount(first.steps[0].allocated, "gres", "gpu"), 8);
  for (const auto& job : list.records) {
    EXPECT_FALSE(job.damaged) << job.id;
    EXPECT_TRUE(job.unknownStates.empty()) << job.stateText;
    EXPECT_TRUE(job.submitTime) << job.id;
    EXPECT_EQ(job.cancelledBy.empty(), job.state != JobState::cancelled) << job.id;
  }
}

TEST_P(SlurmText, SacctAgreesWithTheDatabaseByRest) {
  const auto body = readFixture(FAIRLEAD_SOURCE_DIR, GetParam().name, "rest-db-jobs.json");
  const auto rest = decodeAccountedJobs(GetParam().version, {.body = body});
  const auto list = decodeSacct(text("sacct-P"), context());
  std::size_t compared = 0;
  for (const auto& job : list.records) {
    const auto same = std::find_if(rest.records.begin(), rest.records.end(), [&](const SlurmAccountedJob& other) {
      return other.id == job.id && other.startTime == job.startTime && other.endTime == job.endTime;
    });
    if (same == rest.records.end()) continue;
    ++compared;
    EXPECT_EQ(same->state, job.state) << job.id;
    EXPECT_EQ(same->nodes, job.nodes) << job.id;
    EXPECT_EQ(same->user, job.user) << job.id;
    EXPECT_EQ(same->arrayJobId, job.arrayJobId) << job.id;
    EXPECT_EQ(same->arrayTaskId, job.arrayTaskId) << job.id;
    EXPECT_EQ(same->hetJobId, job.hetJobId) << job.id;
    EXPECT_EQ(same->elapsed, job.elapsed) << job.id;
    EXPECT_EQ(same->limit, job.limit) << job.id;
    EXPECT_EQ(same->steps.size(), job.steps.size()) << job.id;
    for (const auto* type : {"cpu", "mem", "node", "billing"})
      EXPECT_EQ(tresCount(same->allocated, type), tresCount(job.allocated, type)) << job.id << type;
    EXPECT_EQ(tresCount(same->allocated, "gres", "gpu"), tresCount(job.allocated, "gres", "gpu")) << job.id;
  }
  EXPECT_GE(compared, 40U);
}

TEST_P(SlurmText, SacctExitCodesAreNeverGuessed) {
  const auto list = decodeSacct(text("sacct-exit-codes"), context());
  const auto find = [&](std::uint32_t id) {
    return the(list.records, [&](const SlurmAccountedJob& job) { return job.id == id; });
  };
  EXPECT_EQ(find(36).exit, newest() ? (ExitCode{137, 0, false, false}) : (ExitCode{9, 0, false, true}));
  EXPECT_EQ(find(32).exit, newest() ? (ExitCode{255, 0, false, false}) : (ExitCode{127, 0, false, true}));
  EXPECT_EQ(find(33).exit, (ExitCode{0, 9, false, false}));
  EXPECT_EQ(find(30).exit, ExitCode{}) << "a completed job has exit code 0 for certain";
  EXPECT_EQ(find(37).derivedExit->code, 5);
}

TEST_P(SlurmText, SacctTellsEveryRunOfARequeuedJob) {
  const auto list = decodeSacct(text("sacct-preempted-duplicates"), context());
  ASSERT_EQ(list.records.size(), 2U);
  EXPECT_EQ(list.records[0].id, list.records[1].id);
  EXPECT_EQ(list.records[0].state, JobState::preempted);
  EXPECT_EQ(list.records[1].state, JobState::completed);
  EXPECT_EQ(list.records[0].steps.at(0).exit->signal, 15);
  const auto failed = decodeSacct(text("sacct-node-fail"), context());
  ASSERT_EQ(failed.records.size(), 3U);
  EXPECT_EQ(failed.records[0].state, JobState::nodeFail);
}

TEST_P(SlurmText, SacctArraysHaveRawIds) {
  const auto list = decodeSacct(text("sacct-array"), context());
  const auto& last = the(list.records, [](const SlurmAccountedJob& job) { return job.arrayTaskId == 6U; });
  EXPECT_EQ(last.id, 16U);
  const auto& fifth = the(list.records, [](const SlurmAccountedJob& job) { return job.arrayTaskId == 4U; });
  EXPECT_EQ(fifth.id, 21U);
  EXPECT_EQ(fifth.arrayJobId, 16U);
}

TEST_P(SlurmText, SacctInPiecesGivesTheSame) {
  const auto whole = text("sacct-P");
  const auto expected = decodeSacct(whole, context());
  for (const std::size_t size : {1U, 13U, 1000U}) {
    std::vector<SlurmAccountedJob> jobs;
    SacctDecoder decoder(context(), [&](const SlurmAccountedJob& job) { jobs.push_back(job); });
    for (std::size_t at = 0; at < whole.size(); at += size) decoder.feed(std::string_view(whole).substr(at, size));
    EXPECT_TRUE(decoder.finish().isWhole()) << size;
    EXPECT_EQ(jobs, expected.records) << size;
  }
  SacctDecoder cut(context(), [](const SlurmAccountedJob&) {});
  cut.feed(std::string_view(whole).substr(0, whole.size() / 2));
  EXPECT_FALSE(cut.finish().isWhole());
}

TEST_P(SlurmText, ShowJobWithDevices) {
  const auto list = decodeShowJobs(text("scontrol-show-job-d-running"), context());
  expectWhole(list);
  ASSERT_EQ(list.records.size(), 1U);
  const auto& job = list.records[0];
  EXPECT_EQ(job.id, 1U);
  EXPECT_EQ(job.name, "train");
  EXPECT_EQ(job.user, "alice");
  EXPECT_EQ(job.uid, 3001U);
  EXPECT_EQ(job.gid, 3001U);
  EXPECT_EQ(job.state, JobState::running);
  EXPECT_EQ(job.limit.span, Milliseconds{300'000});
  EXPECT_EQ(tresCount(job.allocated, "gres", "gpu:h100"), 16);
  ASSERT_EQ(job.gresDetail.size(), 2U);
  EXPECT_EQ(job.gresDetail[1].node, "n2");
  EXPECT_EQ(job.gresDetail[1].gres.at(0).indices.size(), 8U);
  EXPECT_EQ(job.memoryPerNode, Bytes{100LL << 30});
  EXPECT_EQ(job.comment, "key=abc123");
  EXPECT_TRUE(job.dependency.empty());
}

TEST_P(SlurmText, ShowArrayAndHeterogeneousJobs) {
  const auto array = decodeShowJobs(text("scontrol-show-array"), context());
  expectWhole(array);
  EXPECT_EQ(array.records.at(0).arrayJobId, 16U);
  EXPECT_EQ(array.records.at(0).pendingTasks->throttle, 3U);
  const auto het = decodeShowJobs(text("scontrol-show-hetjob"), context());
  ASSERT_EQ(het.records.size(), 2U) << problemsText(het.answer);
  EXPECT_EQ(het.records[1].hetOffset, 1U);
  EXPECT_EQ(het.records[1].hetJobId, het.records[0].id);
  EXPECT_EQ(het.records[1].nodes.names, std::vector<std::string>{"n3"});
}

TEST_P(SlurmText, ShowInventory) {
  const auto busy = decodeShowNodes(text("scontrol-show-node-d-busy"), context());
  expectWhole(busy);
  const auto& n1 = busy.records.at(0);
  EXPECT_EQ(n1.state, NodeState::mixed);
  EXPECT_EQ(n1.cpusAllocated, 16);
  EXPECT_EQ(n1.gresUsed.at(0).indices.size(), 8U);
  EXPECT_EQ(n1.os.substr(0, 5), "Linux");
  EXPECT_EQ(n1.partitions, (Words{"gpu", "h100", "short"}));
  const auto down = decodeShowNodes(text("scontrol-show-node-down"), context());
  expectWhole(down);
  EXPECT_EQ(down.records.at(0).state, NodeState::down);
  EXPECT_TRUE(down.records.at(0).flags.has(NodeFlag::notResponding));
  EXPECT_EQ(down.records.at(0).reason, "Not responding");
  EXPECT_EQ(down.records.at(0).reasonUser, "slurm");
  EXPECT_TRUE(down.records.at(0).reasonSince);
  const auto partitions = decodeShowPartitions(text("scontrol-show-partitions"), context());
  expectWhole(partitions);
  const auto& gpu = the(partitions.records, [](const SlurmPartition& p) { return p.name == "gpu"; });
  EXPECT_TRUE(gpu.isDefault);
  EXPECT_EQ(gpu.nodes.names.size(), 4U);
  EXPECT_EQ(gpu.maxTime.span, Milliseconds{7 * 86'400'000LL});
  EXPECT_FALSE(gpu.maxNodes);
  EXPECT_TRUE(gpu.allowAccounts.empty());
  const auto reservations = decodeShowReservations(text("scontrol-show-reservation"), context());
  expectWhole(reservations);
  EXPECT_EQ(reservations.records.at(0).name, "maint");
  EXPECT_EQ(reservations.records.at(0).flags, (Words{"MAINT", "SPEC_NODES"}));
  EXPECT_EQ(*reservations.records[0].end - *reservations.records[0].start, Milliseconds{3'600'000});
  const auto topology = decodeShowTopology(text("scontrol-show-topology"));
  ASSERT_EQ(topology.records.size(), 3U);
  EXPECT_EQ(topology.records[2].children, (Words{"leaf1", "leaf2"}));
  EXPECT_EQ(topology.records[2].level, 1);
  const auto settings = decodeShowConfig(text("scontrol-show-config"));
  EXPECT_GT(settings.size(), 100U);
  EXPECT_EQ(the(settings, [](const auto& s) { return s.first == "ClusterName"; }).second, "gpulab");
}

TEST_P(SlurmText, Accounting) {
  const auto associations = decodeAssociationText(text("sacctmgr-assoc"));
  expectWhole(associations);
  EXPECT_EQ(the(associations.records, [](const SlurmAssociation& a) { return a.user == "carol"; }).shares, 100);
  const auto qos = decodeQosText(text("sacctmgr-qos"));
  expectWhole(qos);
  const auto& capped = the(qos.records, [](const SlurmQos& q) { return q.name == "capped"; });
  EXPECT_EQ(capped.flags, Words{"DENY_LIMIT"}) << "as JSON spells it";
  EXPECT_EQ(capped.limits.maxJobs, 2);
  EXPECT_EQ(tresCount(capped.limits.maxPerUser, "gres", "gpu"), 4);
  const auto tres = decodeTresTableText(text("sacctmgr-tres"));
  expectWhole(tres);
  EXPECT_EQ(the(tres.records, [](const TresCount& t) { return t.name == "gpu"; }).id, 1001);
  const auto ping = decodePingText(text("scontrol-ping"));
  ASSERT_EQ(ping.records.size(), 1U);
  EXPECT_TRUE(ping.records[0].responding && ping.records[0].primary);
}

std::string releaseName(const testing::TestParamInfo<Release>& tested) {
  return "r" + tested.param.name.substr(0, 2) + tested.param.name.substr(3);
}
INSTANTIATE_TEST_SUITE_P(Releases, SlurmText, testing::ValuesIn(kReleases), releaseName);

TEST(SlurmTexts, Squeue) {
  const TextContext context{.utcOffsetMinutes = {}, .topBit = TopBit::kept, .delimiter = kColumnDelimiter};
  const auto command = squeueCommand();
  const auto columns = std::count(command.argv.back().begin(), command.argv.back().end(), kColumnDelimiter) + 1;
  std::vector<std::string> row = {"20",
                                  "16_[3-7%3]",
                                  "PENDING",
                                  "JobArrayTaskLimit",
                                  "alice",
                                  "3001",
                                  "research",
                                  "gpu",
                                  "normal",
                                  "2",
                                  "",
                                  "n/a",
                                  "2",
                                  "100G",
                                  "gres/gpu:h100:8",
                                  "5:00",
                                  "1796050473",
                                  "N/A",
                                  "N/A",
                                  "0",
                                  "0",
                                  "OK",
                                  "(null)",
                                  "(null)",
                                  "(null)",
                                  "(null)",
                                  "(null)",
                                  "a|b name",
                                  "key=1",
                                  "/home/alice"};
  ASSERT_EQ(static_cast<std::size_t>(columns), row.size());
  const auto line = fmt::format("{}", fmt::join(row, std::string(1, kColumnDelimiter)));
  const auto list = decodeSqueue(line + "\nbroken\n", context);
  EXPECT_EQ(list.answer.setAside, 1U);
  ASSERT_EQ(list.records.size(), 1U) << problemsText(list.answer);
  const auto& job = list.records[0];
  EXPECT_EQ(job.id, 20U);
  EXPECT_EQ(job.arrayJobId, 16U);
  EXPECT_EQ(job.pendingTasks->count(), 5U);
  EXPECT_TRUE(job.held);
  EXPECT_EQ(job.name, "a|b name");
  EXPECT_EQ(job.memoryPerNode, Bytes{100LL << 30});
  EXPECT_EQ(job.submitTime, TimePoint{1'796'050'473'000});
  EXPECT_FALSE(job.startTime);
}

TEST(SlurmTexts, ANameCannotForgeAState) {
  const std::string honest =
      "JobId=7 JobName=x JobState=COMPLETED Reason=None\n   UserId=alice(3001) GroupId=alice(3001)\n"
      "   JobState=RUNNING Reason=None Dependency=(null)\n\n";
  const auto one = decodeShowJobs(honest, {});
  ASSERT_EQ(one.records.size(), 1U);
  EXPECT_EQ(one.records[0].state, JobState::running) << "the rest of the line belongs to the name";
  EXPECT_EQ(one.records[0].name, "x JobState=COMPLETED Reason=None");
  const std::string forged =
      "JobId=7 JobName=x\n   JobState=COMPLETED\n   UserId=alice(3001) GroupId=alice(3001)\n"
      "   JobState=RUNNING Reason=None Dependency=(null)\n\n";
  const auto two = decodeShowJobs(forged, {});
  EXPECT_TRUE(two.records.empty());
  EXPECT_EQ(two.answer.setAside, 1U);
  EXPECT_FALSE(two.answer.isWhole());
}

}  // namespace
}  // namespace fairlead::codec::slurm
