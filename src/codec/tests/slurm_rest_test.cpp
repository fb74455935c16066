// The same cluster seen by three releases: what is decoded must agree.
#include "slurm_fixtures.hpp"

namespace fairlead::codec::slurm {
namespace {

std::string fixture(const Release& release, const std::string& name) {
  return readFixture(FAIRLEAD_SOURCE_DIR, release.name, name);
}

class SlurmRest : public testing::TestWithParam<Release> {
 protected:
  [[nodiscard]] std::string body(const std::string& name) const { return fixture(GetParam(), name + ".json"); }
  [[nodiscard]] ApiVersion version() const { return GetParam().version; }
  [[nodiscard]] bool old() const { return GetParam().version == ApiVersion::v38; }
};

TEST_P(SlurmRest, RunningJob) {
  const auto text = body("rest-job-running");
  const auto list = decodeJobs(version(), {.body = text});
  EXPECT_TRUE(list.answer.isWhole()) << problemsText(list.answer);
  EXPECT_TRUE(list.answer.reports.empty()) << problemsText(list.answer);
  ASSERT_EQ(list.records.size(), 1U);
  const auto& job = list.records[0];
  EXPECT_EQ(job.state, JobState::running);
  EXPECT_EQ(job.stateText, "RUNNING");
  EXPECT_EQ(job.name, "rest");
  EXPECT_EQ(job.user, "alice");
  EXPECT_EQ(job.uid, 3001U);
  EXPECT_EQ(job.account, "research");
  EXPECT_EQ(job.partition, "gpu");
  EXPECT_EQ(job.qos, "normal");
  EXPECT_EQ(job.cluster, "gpulab");
  EXPECT_EQ(job.comment, "key=rest1");
  EXPECT_FALSE(job.arrayJobId);
  EXPECT_FALSE(job.arrayTaskId);
  EXPECT_FALSE(job.hetJobId);
  EXPECT_EQ(job.nodes.names, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(job.limit.span, Milliseconds{300'000});
  EXPECT_EQ(*job.endTime - *job.startTime, Milliseconds{300'000});
  EXPECT_EQ(tresCount(job.allocated, "gres", "gpu:h100"), 16);
  EXPECT_EQ(tresCount(job.allocated, "mem"), 2000LL << 20);
  EXPECT_EQ(tresCount(job.requested, "gres", "gpu"), 16);
  ASSERT_EQ(job.gresDetail.size(), 2U);
  EXPECT_EQ(job.gresDetail[1].node, "n2");
  EXPECT_EQ(job.gresDetail[1].gres.at(0).indices.size(), 8U);
  EXPECT_EQ(job.memoryPerNode, Bytes{1000LL << 20});
  EXPECT_FALSE(job.memoryPerCpu);
  EXPECT_EQ(job.priority, 13'550);
  EXPECT_FALSE(job.held);
  EXPECT_TRUE(job.batch);
  EXPECT_EQ(job.workDir, "/srv/slurm/home/alice");
  EXPECT_FALSE(job.stdoutPattern.empty());
  EXPECT_FALSE(job.damaged);
  EXPECT_EQ(list.answer.release.substr(0, 5), GetParam().name);
  EXPECT_EQ(list.answer.lastUpdate.has_value(), !old());
}

TEST_P(SlurmRest, PendingArray) {
  const auto text = body("rest-job-array-pending");
  const auto list = decodeJobs(version(), {.body = text});
  ASSERT_EQ(list.records.size(), 1U) << problemsText(list.answer);
  const auto& job = list.records[0];
  EXPECT_EQ(job.state, JobState::pending);
  EXPECT_TRUE(job.held);
  EXPECT_EQ(job.arrayJobId, job.id);
  EXPECT_EQ(job.arrayTaskText, "0-3%2");
  ASSERT_TRUE(job.pendingTasks);
  EXPECT_EQ(job.pendingTasks->count(), 4U);
  EXPECT_EQ(job.pendingTasks->throttle, 2U);
  EXPECT_TRUE(job.nodes.names.empty());
  EXPECT_TRUE(job.allocated.empty());
}

TEST_P(SlurmRest, WholeList) {
  const auto text = body("rest-jobs");
  const auto list = decodeJobs(version(), {.body = text});
  EXPECT_TRUE(list.answer.isWhole()) << problemsText(list.answer);
  EXPECT_TRUE(list.answer.reports.empty()) << problemsText(list.answer);
  EXPECT_GE(list.records.size(), 69U);
  for (const auto& job : list.records) {
    EXPECT_NE(job.state, JobState::unknown) << job.id;
    EXPECT_NE(findReason(job.reason), nullptr) << job.reason;
    EXPECT_TRUE(job.submitTime) << job.id;
    EXPECT_FALSE(job.damaged) << job.id;
  }
  EXPECT_EQ(jobOf(list.records, 31).exit, (ExitCode{3, 0, false, false}));
  EXPECT_EQ(jobOf(list.records, 32).exit, (ExitCode{255, 0, false, false}));
  EXPECT_EQ(jobOf(list.records, 36).exit, (ExitCode{137, 0, false, false}));
  EXPECT_EQ(jobOf(list.records, 33).exit->signal, 9);
  EXPECT_EQ(jobOf(list.records, 37).derivedExit->code, 5);
}

TEST_P(SlurmRest, PiecesOfAnySizeGiveTheSame) {
  const auto text = body("rest-jobs");
  const auto whole = decodeJobs(version(), {.body = text});
  for (const std::size_t size : {1U, 7U, 4096U, 65'536U}) {
    std::vector<SlurmJob> jobs;
    JobListDecoder decoder(version(), [&](SlurmJob& job) { jobs.push_back(job); });
    for (std::size_t at = 0; at < text.size(); at += size) decoder.feed(std::string_view(text).substr(at, size));
    const auto answer = decoder.finish();
    EXPECT_TRUE(answer.isWhole()) << size << ": " << problemsText(answer);
    EXPECT_EQ(jobs, whole.records) << size;
  }
}

TEST_P(SlurmRest, CutAnswersAreNeverWhole) {
  const auto text = body("rest-job-running");
  for (std::size_t length = 0; length + 2 < text.size(); length += 11) {
    const auto list = decodeJobs(version(), {.body = std::string_view(text).substr(0, length)});
    EXPECT_FALSE(list.answer.isWhole()) << length;
    EXPECT_FALSE(list.answer.problems.empty()) << length;
  }
}

TEST_P(SlurmRest, Nodes) {
  const auto text = body("rest-nodes");
  const auto list = decodeNodes(version(), {.body = text});
  EXPECT_TRUE(list.answer.isWhole() && list.answer.reports.empty()) << problemsText(list.answer);
  ASSERT_EQ(list.records.size(), 5U);
  const auto& n1 = list.records[0];
  EXPECT_EQ(n1.name, "n1");
  EXPECT_EQ(n1.state, NodeState::mixed);
  EXPECT_EQ(n1.cpus, 64);
  EXPECT_EQ(n1.cpusEffective, 64);
  EXPECT_EQ(n1.memory, Bytes{1'000'000LL << 20});
  EXPECT_EQ(n1.memoryAllocated, Bytes{100LL << 20});
  EXPECT_TRUE(n1.memoryFree);
  EXPECT_EQ(n1.features, (Words{"h100", "nvlink", "ib", "rack1"}));
  EXPECT_EQ(n1.partitions, (Words{"gpu", "h100", "short"}));
  ASSERT_EQ(n1.gres.size(), 1U);
  EXPECT_EQ(n1.gres[0].count, 8);
  EXPECT_EQ(n1.gres[0].sockets, (std::vector<std::int32_t>{0, 1}));
  EXPECT_EQ(n1.gresUsed.at(0).indices, (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(tresCount(n1.tresUsed, "gres", "gpu"), 4);
  EXPECT_EQ(n1.version.substr(0, 5), GetParam().name);
  EXPECT_TRUE(n1.bootTime);
  EXPECT_FALSE(n1.reasonSince);
  EXPECT_EQ(list.records[4].gres.at(0).name, "npu");
}

TEST_P(SlurmRest, Partitions) {
  const auto text = body("rest-partitions");
  const auto list = decodePartitions(version(), {.body = text});
  EXPECT_TRUE(list.answer.isWhole() && list.answer.reports.empty()) << problemsText(list.answer);
  const auto& gpu = the(list.records, [](const SlurmPartition& p) { return p.name == "gpu"; });
  EXPECT_EQ(gpu.state, "UP");
  EXPECT_EQ(gpu.nodes.names.size(), 4U);
  EXPECT_EQ(gpu.totalNodes, 4);
  EXPECT_EQ(gpu.totalCpus, 256);
  EXPECT_EQ(gpu.defaultTime.span, Milliseconds{3'600'000});
  EXPECT_EQ(gpu.maxTime.span, Milliseconds{10080LL * 60'000});
  EXPECT_EQ(gpu.priorityTier, 10);
  EXPECT_FALSE(gpu.maxNodes);
  EXPECT_FALSE(gpu.maxMemoryPerNode);
  EXPECT_EQ(tresCount(gpu.tres, "gres", "gpu:h100"), 16);
  EXPECT_TRUE(gpu.allowAccounts.empty());
  EXPECT_EQ(gpu.isDefault, version() != ApiVersion::v42) << "v0.0.40 to v0.0.42 do not tell";
}

TEST_P(SlurmRest, RestOfTheController) {
  const auto reservations = body("rest-reservations"), licenses = body("rest-licenses");
  EXPECT_TRUE(decodeReservations(version(), {.body = reservations}).answer.isWhole());
  EXPECT_TRUE(decodeLicenses(version(), {.body = licenses}).answer.isWhole())
      << "an empty list with a warning is whole";
  const auto pings = body("rest-ping");
  const auto ping = decodePings(version(), {.body = pings});
  ASSERT_EQ(ping.records.size(), 1U);
  EXPECT_TRUE(ping.records[0].responding);
  EXPECT_TRUE(ping.records[0].primary);
  const auto diags = body("rest-diag");
  const auto diag = decodeDiag(version(), {.body = diags});
  EXPECT_TRUE(diag.answer.isWhole()) << problemsText(diag.answer);
  for (const auto* name : {"jobs_pending", "rpc.REQUEST_JOB_INFO"})
    EXPECT_EQ(std::count_if(diag.records.begin(), diag.records.end(), [&](auto& f) { return f.first == name; }), 1)
        << name;
}

TEST_P(SlurmRest, AccountedJobs) {
  const auto text = body("rest-db-jobs");
  const auto list = decodeAccountedJobs(version(), {.body = text});
  EXPECT_TRUE(list.answer.isWhole() && list.answer.reports.empty()) << problemsText(list.answer);
  ASSERT_EQ(list.records.size(), 63U);
  const auto find = [&](std::uint32_t id) {
    return the(list.records, [&](const SlurmAccountedJob& job) { return job.id == id; });
  };
  const auto first = find(1);
  EXPECT_EQ(first.state, JobState::completed);
  EXPECT_EQ(first.exit, ExitCode{});
  EXPECT_EQ(first.nodes.names.size(), 2U);
  EXPECT_EQ(tresCount(first.allocated, "gres", "gpu:h100"), 16);
  EXPECT_EQ(tresCount(first.allocated, "mem"), 200LL << 30);
  EXPECT_FALSE(tresCount(first.allocated, "energy")) << "a marker of unset is no count";
  ASSERT_EQ(first.steps.size(), 2U);
  EXPECT_EQ(first.steps[0].id, "batch");
  EXPECT_EQ(first.steps[1].id, "0");
  EXPECT_EQ(first.steps[1].nodes.names.size(), 2U);
  EXPECT_EQ(*first.endTime - *first.startTime, first.elapsed);
  const auto lost = find(36);
  EXPECT_EQ(lost.state, JobState::failed);
  EXPECT_EQ(lost.exit, old() ? std::nullopt : std::optional(ExitCode{137, 0, false, false}))
      << "v0.0.38 writes SUCCESS, 0";
  EXPECT_EQ(find(33).exit->signal, 9);
  EXPECT_EQ(find(16).arrayJobId, 16U);
  EXPECT_EQ(find(16).arrayTaskId, 6U);
}

TEST_P(SlurmRest, CancelledJobNamesWhoDidIt) {
  const auto text = body("rest-db-job-done");
  const auto list = decodeAccountedJobs(version(), {.body = text});
  ASSERT_EQ(list.records.size(), 1U) << problemsText(list.answer);
  EXPECT_EQ(list.records[0].state, JobState::cancelled);
  EXPECT_EQ(list.records[0].cancelledBy, "alice");
  EXPECT_EQ(list.records[0].steps.at(0).exit->signal, 15);
  EXPECT_EQ(list.records[0].comment, "changed");
}

TEST_P(SlurmRest, Accounting) {
  const auto qosText = body("rest-db-qos");
  const auto qos = decodeQos(version(), {.body = qosText});
  EXPECT_TRUE(qos.answer.isWhole() && qos.answer.reports.empty()) << problemsText(qos.answer);
  const auto& capped = the(qos.records, [](const SlurmQos& q) { return q.name == "capped"; });
  EXPECT_EQ(capped.flags, Words{"DENY_LIMIT"});
  EXPECT_EQ(capped.limits.maxJobs, 2);
  EXPECT_EQ(tresCount(capped.limits.maxPerUser, "gres", "gpu"), 4);
  EXPECT_FALSE(capped.limits.groupJobs);
  EXPECT_EQ(capped.usageFactorMilli, 1000);
  const auto& high = the(qos.records, [](const SlurmQos& q) { return q.name == "high"; });
  EXPECT_EQ(high.preempts.size(), 2U);
  EXPECT_TRUE(high.preemptModes.empty());
  EXPECT_EQ(high.priority, 1000);

  const auto associationText = body("rest-db-associations");
  const auto associations = decodeAssociations(version(), {.body = associationText});
  EXPECT_TRUE(associations.answer.isWhole()) << problemsText(associations.answer);
  const auto& alice = the(associations.records, [](const SlurmAssociation& a) { return a.user == "alice"; });
  EXPECT_EQ(alice.account, "research");
  EXPECT_EQ(alice.cluster, "gpulab");
  EXPECT_EQ(alice.shares, 50);
  EXPECT_EQ(alice.qos.size(), 4U);
  EXPECT_FALSE(alice.limits.maxJobs);

  const auto accounts = body("rest-db-accounts"), users = body("rest-db-users"), clusters = body("rest-db-clusters"),
             tres = body("rest-db-tres");
  EXPECT_GE(decodeAccounts(version(), {.body = accounts}).records.size(), 2U);
  EXPECT_TRUE(decodeAccounts(version(), {.body = accounts}).answer.isWhole());
  EXPECT_FALSE(decodeAccounts(version(), {.body = users}).answer.isWhole()) << "no list is not an empty list";
  EXPECT_GE(decodeUsers(version(), {.body = users}).records.size(), 3U);
  EXPECT_EQ(decodeClusters(version(), {.body = clusters}).records.at(0).name, "gpulab");
  const auto table = decodeTresTable(version(), {.body = tres});
  EXPECT_EQ(the(table.records, [](const TresCount& t) { return t.name == "gpu"; }).id, 1001);
}

TEST_P(SlurmRest, SubmissionsAndWhatFollows) {
  const auto post = body("rest-post-submit"), array = body("rest-submit-array");
  const auto plain = decodeSubmitted(version(), {.body = post});
  ASSERT_TRUE(plain.accepted);
  EXPECT_GT(plain.accepted->jobId, 70U);
  const auto held = decodeSubmitted(version(), {.body = array});
  ASSERT_TRUE(held.accepted) << "v0.0.38 has an error beside the id of a held job";
  EXPECT_FALSE(held.accepted->messages.empty());
  const auto update = body("rest-post-update"), gone = body("rest-delete-job"), again = body("rest-delete-again");
  EXPECT_TRUE(decodeDone(version(), {.body = update}).isWhole());
  EXPECT_TRUE(decodeDone(version(), {.body = gone}).isWhole());
  const auto refused = decodeDone(version(), {.body = again});
  EXPECT_EQ(refused.isWhole(), old()) << "a refusal inside a 200 is a refusal";
  if (!old()) {
    EXPECT_EQ(refused.problems.at(0).kind, ProblemKind::alreadyEnded);
    EXPECT_EQ(refused.problems.at(0).jobId, 72U);
  }
}

TEST_P(SlurmRest, CommandsPrintTheSame) {
  const auto squeue = body("squeue-array"), sacct = body("sacct-job");
  const auto jobs = decodeJobs(version(), {.status = 0, .contentType = {}, .body = squeue});
  EXPECT_TRUE(jobs.answer.isWhole() && jobs.answer.reports.empty()) << problemsText(jobs.answer);
  EXPECT_FALSE(jobs.records.empty());
  const auto accounted = decodeAccountedJobs(version(), {.status = 0, .contentType = {}, .body = sacct});
  EXPECT_TRUE(accounted.answer.isWhole()) << problemsText(accounted.answer);
  EXPECT_EQ(accounted.records.size(), 1U);
  const auto sinfo = body("sinfo");
  const auto nodes = decodeNodes(version(), {.status = 0, .contentType = {}, .body = sinfo});
  EXPECT_EQ(nodes.answer.isWhole(), old())
      << "from 23.02 on sinfo groups its nodes: `scontrol show nodes --json` has them";
  if (old()) return;
  const auto shown = body("scontrol-show-nodes");
  const auto all = decodeNodes(version(), {.status = 0, .contentType = {}, .body = shown});
  EXPECT_TRUE(all.answer.isWhole()) << problemsText(all.answer);
  EXPECT_EQ(all.records.size(), 5U);
}

std::string releaseName(const testing::TestParamInfo<Release>& tested) {
  return "r" + tested.param.name.substr(0, 2) + tested.param.name.substr(3);
}
INSTANTIATE_TEST_SUITE_P(Releases, SlurmRest, testing::ValuesIn(kReleases), releaseName);

TEST(SlurmRestVersions, EveryServedVersionReadsTheSameJob) {
  for (const auto& [release, versions] :
       std::vector<std::pair<std::string, std::vector<int>>>{{"24.11", {40, 41}}, {"26.05", {42, 43, 44}}}) {
    for (const auto number : versions) {
      const auto version = static_cast<ApiVersion>(number);
      const auto text = readFixture(FAIRLEAD_SOURCE_DIR, release, "rest-job-" + toText(version) + ".json");
      const auto list = decodeJobs(version, {.body = text});
      ASSERT_EQ(list.records.size(), 1U) << number << problemsText(list.answer);
      EXPECT_TRUE(list.answer.reports.empty()) << number << problemsText(list.answer);
      EXPECT_EQ(list.records[0].user, "alice") << number;
      EXPECT_EQ(list.records[0].account, "research") << number;
      EXPECT_NE(list.records[0].state, JobState::unknown) << number;
      EXPECT_GT(list.records[0].requested.size(), 3U) << number;
      EXPECT_TRUE(list.records[0].limit.span) << number;
    }
  }
  EXPECT_EQ(parseApiVersion("data_parser/v0.0.42"), ApiVersion::v42);
  EXPECT_EQ(parseApiVersion("openapi/dbv0.0.38"), ApiVersion::v38);
  EXPECT_FALSE(parseApiVersion("v0.0.37"));
  EXPECT_FALSE(parseApiVersion("v0.0.46"));
  EXPECT_EQ(toText(ApiVersion::v45), "v0.0.45");
}

}  // namespace
}  // namespace fairlead::codec::slurm
