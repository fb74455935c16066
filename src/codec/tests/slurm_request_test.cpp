#include "slurm_fixtures.hpp"

#include <fairlead/codec/slurm/requests.hpp>
#include <fairlead/codec/slurm/text_output.hpp>
#include <fairlead/codec/tree.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fairlead::codec::slurm {
namespace {

SlurmSubmit submission() {
  SlurmSubmit submit;
  submit.script = "#!/bin/bash\nsleep 30\n";
  submit.name = "rest";
  submit.comment = "key=rest1";
  submit.workDir = "/srv/slurm/home/alice";
  submit.stdoutPattern = "/srv/slurm/home/alice/rest-%j.out";
  submit.environment = {{"PATH", "/bin:/usr/bin"}, {"TOKEN", "s3cret"}};
  submit.timeLimit = Milliseconds{270'001};
  SlurmComponent component;
  component.nodes = 2;
  component.partition = "gpu";
  component.account = "research";
  component.memoryPerNode = Bytes{1000LL << 20};
  component.gresPerNode = {{"gpu", "h100", 8, false, {}, {}, {}}};
  submit.components = {component};
  return submit;
}

TEST(SlurmSubmits, BodiesAreTheOnesThatWereAccepted) {
  const auto old = submitBody(ApiVersion::v38, submission());
  ASSERT_TRUE(old);
  EXPECT_EQ(
      *old,
      R"({"script":"#!/bin/bash\nsleep 30\n","job":{"name":"rest","comment":"key=rest1",)"
      R"("current_working_directory":"/srv/slurm/home/alice","standard_output":"/srv/slurm/home/alice/rest-%j.out",)"
      R"("partition":"gpu","account":"research","tasks_per_node":1,)"
      R"("environment":{"PATH":"/bin:/usr/bin","TOKEN":"s3cret"},"nodes":2,"gres":"gpu:h100:8",)"
      R"("memory_per_node":1000,"time_limit":5}})");
  const auto now = submitBody(ApiVersion::v45, submission());
  ASSERT_TRUE(now);
  EXPECT_EQ(
      *now,
      R"({"script":"#!/bin/bash\nsleep 30\n","job":{"name":"rest","comment":"key=rest1",)"
      R"("current_working_directory":"/srv/slurm/home/alice","standard_output":"/srv/slurm/home/alice/rest-%j.out",)"
      R"("partition":"gpu","account":"research","tasks_per_node":1,)"
      R"("environment":["PATH=/bin:/usr/bin","TOKEN=s3cret"],"nodes":"2","tres_per_node":"gres/gpu:h100:8",)"
      R"("memory_per_node":{"number":1000,"set":true},"time_limit":{"number":5,"set":true}}})");
}

TEST(SlurmSubmits, NoRequeueIsSaidInWordsThatAreHeeded) {
  auto submit = submission();
  for (const bool wanted : {false, true}) {
    submit.requeue = wanted;
    const auto old = submitBody(ApiVersion::v38, submit), now = submitBody(ApiVersion::v42, submit);
    ASSERT_TRUE(old && now);
    EXPECT_NE(old->find(wanted ? R"("requeue":true)" : R"("no_requeue":true)"), std::string::npos) << *old;
    EXPECT_NE(now->find(wanted ? R"("requeue":true)" : R"("requeue":false)"), std::string::npos) << *now;
    EXPECT_EQ(old->find(R"("requeue":false)"), std::string::npos) << *old;
  }
}

TEST(SlurmSubmits, EveryVersionIsJson) {
  auto submit = submission();
  submit.components.push_back(submit.components[0]);
  submit.signal = 10;
  submit.signalSeconds = 60;
  submit.signalBatchShell = true;
  submit.hold = true;
  submit.killOnInvalidDependency = true;
  submit.openMode = "append";
  submit.begin = TimePoint{1'796'050'000'000};
  submit.components[1].exclusive = true;
  for (auto version = static_cast<int>(kOldestApi); version <= static_cast<int>(kNewestApi); ++version) {
    const auto body = submitBody(static_cast<ApiVersion>(version), submit);
    ASSERT_TRUE(body) << version;
    const auto tree = parseJson(*body);
    ASSERT_TRUE(tree) << version;
    const auto* jobs = tree->root().find("jobs");
    ASSERT_NE(jobs, nullptr);
    EXPECT_EQ(jobs->items.size(), 2U);
  }
  submit.components[0].segment = 2;
  const auto refused = submitBody(ApiVersion::v40, submit);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().at(0).field, "components[0].segment");
}

TEST(SlurmSubmits, AllErrorsAtOnceAndNoSecret) {
  SlurmSubmit submit = submission();
  submit.script = "echo hello";
  submit.name = "a\nb";
  submit.workDir = "relative";
  submit.components[0].partition = "--help";
  submit.components[0].account = "a b";
  submit.components[0].gresPerNode[0].type = "h100,npu:8";
  submit.components[0].excludedNodes = "n[1-";
  submit.environment.emplace_back("BAD NAME", "s3cret");
  const auto errors = checkSubmit(submit);
  EXPECT_EQ(errors.size(), 8U);
  for (const auto& error : errors) {
    EXPECT_FALSE(error.field.empty());
    EXPECT_FALSE(error.remedy.empty()) << error.message;
    EXPECT_EQ(toText(error).find("s3cret"), std::string::npos);
  }
}

TEST(SlurmCommands, SbatchKeepsScriptAndSecretsOutOfArguments) {
  auto submit = submission();
  submit.name = "x; rm -rf $HOME 'q'";
  submit.pluginOptions = {{"container-image", "docker://a/b"}};
  const auto command = sbatchCommand(submit, "/run/env-7");
  ASSERT_TRUE(command);
  EXPECT_EQ(fmt::format("{}", fmt::join(command->argv, " ")),
            "sbatch --parsable --export-file=/run/env-7 --job-name=x; rm -rf $HOME 'q' --comment=key=rest1 "
            "--chdir=/srv/slurm/home/alice --output=/srv/slurm/home/alice/rest-%j.out --container-image=docker://a/b "
            "--nodes=2 --ntasks-per-node=1 --mem=1000M --partition=gpu --account=research --gres=gpu:h100:8 "
            "--time=00:05:00");
  EXPECT_EQ(command->input, submit.script);
  for (const auto& word : command->argv) EXPECT_EQ(word.find("s3cret"), std::string::npos);
  EXPECT_EQ(environmentFileText(submit), std::string("PATH=/bin:/usr/bin\0TOKEN=s3cret\0", 32));
  submit.components.push_back(submit.components[0]);
  const auto het = sbatchCommand(submit, "/run/env-7");
  EXPECT_EQ(std::count(het->argv.begin(), het->argv.end(), ":"), 1);
  EXPECT_EQ(parseSubmitted("123\n"), 123U);
  EXPECT_EQ(parseSubmitted("hello from a plugin\n123;gpulab\n"), 123U);
  EXPECT_FALSE(parseSubmitted("sbatch: error\n"));
}

std::string words(const SlurmCommand& command) { return fmt::format("{}", fmt::join(command.argv, " ")); }

TEST(SlurmCommands, Actions) {
  EXPECT_EQ(words(cancelCommand({12, {}, {}})), "scancel --verbose 12");
  EXPECT_EQ(words(signalCommand({12, 3, {}}, 10, SignalScope::batchShell)),
            "scancel --verbose --signal=USR1 --batch 12_3");
  EXPECT_EQ(words(signalCommand({12, {}, {}}, 10, SignalScope::batchScript)),
            "scancel --verbose --signal=USR1 --full 12");
  EXPECT_EQ(words(signalCommand({12, {}, {}}, 10, SignalScope::steps)), "scancel --verbose --signal=USR1 12");
  EXPECT_EQ(words(actionCommand(JobAction::requeue, {12, {}, 1})), "scontrol requeue 12+1");
  EXPECT_EQ(words(actionCommand(JobAction::resume, {12, {}, {}})), "scontrol resume 12");
  SlurmJobUpdate update;
  update.timeLimit = Milliseconds{7'200'000};
  update.comment = "a b";
  EXPECT_EQ(words(*updateCommand({12, {}, {}}, update)), "scontrol update JobId=12 Comment=a b TimeLimit=02:00:00");
  update.qos = "high low=1";
  EXPECT_FALSE(updateCommand({12, {}, {}}, update));
  EXPECT_EQ(words(*nodeCommand(NodeAction::drain, "n[1-2]", "bad fan")),
            "scontrol update NodeName=n[1-2] State=DRAIN Reason=bad fan");
  EXPECT_FALSE(nodeCommand(NodeAction::drain, "n1 State=IDLE", "x"));
  EXPECT_FALSE(nodeCommand(NodeAction::drain, "n1", ""));
  SlurmJobUpdate recorded;
  recorded.timeLimit = Milliseconds{240'000};
  recorded.comment = "changed";
  EXPECT_EQ(*updateBody(ApiVersion::v38, recorded), R"({"comment":"changed","time_limit":4})");
  EXPECT_EQ(*updateBody(ApiVersion::v45, recorded), R"({"comment":"changed","time_limit":{"number":4,"set":true}})");
}

TEST(SlurmCommands, RefusalsOfTheCommandLine) {
  std::size_t refusals = 0;
  for (const auto& release : kReleases) {
    const auto text = readFixture(FAIRLEAD_SOURCE_DIR, release.name, "sbatch-errors.txt");
    for (std::size_t at = 0; (at = text.find("$ sbatch", at)) != std::string::npos; ++at) {
      const auto end = text.find("$ sbatch", at + 1);
      const auto body = text.substr(at, end - at);
      if (body.find("rc=0") != std::string::npos) continue;
      const auto problem = problemOfCommand(body.substr(body.find('\n')));
      ASSERT_TRUE(problem) << body;
      EXPECT_NE(problem->kind, ProblemKind::unknown) << body;
      ++refusals;
    }
  }
  EXPECT_GE(refusals, 30U);
  EXPECT_FALSE(problemOfCommand(""));
}

struct Refusal {
  std::string name;
  int status = 0;
  std::string type, body;
};

/// The cases of rest-errors.txt: `## name`, request, `status=... content-type=...`, body.
std::vector<Refusal> refusals(const std::string& text) {
  std::vector<Refusal> found;
  for (std::size_t at = 0; (at = text.find("## ", at)) != std::string::npos;) {
    auto end = text.find("\n## ", at);
    if (end == std::string::npos) end = text.size();
    const auto part = text.substr(at, end - at);
    Refusal refusal;
    refusal.name = part.substr(3, part.find('\n') - 3);
    const auto status = part.find("status="), type = part.find("content-type="), line = part.find('\n', status);
    refusal.status = std::stoi(part.substr(status + 7));
    refusal.type = part.substr(type + 13, part.find(' ', type) - type - 13);
    refusal.body = part.substr(line + 1);
    found.push_back(refusal);
    at = end;
  }
  return found;
}

TEST(SlurmRefusals, EveryRecordedOneIsRecognised) {
  const std::vector<std::pair<std::string, ProblemKind>> expected = {
      {"no token", ProblemKind::authentication},  {"unknown path", ProblemKind::notFound},
      {"unknown job", ProblemKind::notFound},     {"bad partition", ProblemKind::badPartition},
      {"bad account", ProblemKind::badAccount},   {"bad qos", ProblemKind::badQos},
      {"too many gpus", ProblemKind::impossible}, {"cancel another user's job", ProblemKind::denied},

  };
  for (const auto& release : kReleases) {
    const auto cases = refusals(readFixture(FAIRLEAD_SOURCE_DIR, release.name, "rest-errors.txt"));
    EXPECT_GE(cases.size(), 20U);
    for (const auto& refusal : cases) {
      const auto done = decodeDone(release.version, {refusal.status, refusal.type, refusal.body});
      const bool accepted = refusal.status == 200 && refusal.body.find("\"job_id\": 7") != std::string::npos &&
                            refusal.body.find("\"status\"") == std::string::npos;
      const bool answered =
          (refusal.name == "bearer" || refusal.name == "token but no user name") && refusal.status == 200;
      EXPECT_EQ(done.isWhole(), accepted || answered) << release.name << ": " << refusal.name;
      for (const auto& [name, kind] : expected)
        EXPECT_TRUE(name != refusal.name || done.problems.at(0).kind == kind) << release.name << ": " << name;
    }
  }
}

TEST(SlurmRefusals, TokensThatAreWrong) {
  for (const auto& release : kReleases)
    for (const auto& refusal : refusals(readFixture(FAIRLEAD_SOURCE_DIR, release.name, "rest-errors.txt"))) {
      if (refusal.name != "bad token" && refusal.name != "expired token") continue;
      const auto list = decodeJobs(release.version, {refusal.status, refusal.type, refusal.body});
      EXPECT_FALSE(list.answer.isWhole());
      EXPECT_TRUE(list.records.empty());
      // v0.0.38 says "Unspecified error", -1: nothing is concluded from it here.
      EXPECT_EQ(list.answer.problems.at(0).kind,
                release.version == ApiVersion::v38 ? ProblemKind::unknown : ProblemKind::authentication);
    }
}

TEST(SlurmStates, TablesAreWhole) {
  for (const auto& row : jobStateTable()) {
    EXPECT_EQ(findJobState(row.word), &row);
    EXPECT_FALSE(row.what.empty()) << row.word;
  }
  for (const auto& row : nodeStateTable()) EXPECT_EQ(findNodeState(row.word), &row) << row.word;
  const auto reasons = reasonTable();
  EXPECT_GT(reasons.size(), 220U);
  EXPECT_TRUE(std::is_sorted(reasons.begin(), reasons.end(), [](auto& a, auto& b) { return a.word < b.word; }));
  for (const auto& row : reasons) {
    EXPECT_EQ(findReason(row.word), &row);
    EXPECT_FALSE(row.what.empty()) << row.word;
    EXPECT_TRUE(row.kind != ReasonKind::limit || row.scope != LimitScope::none) << row.word;
  }
  EXPECT_EQ(findReason("RaisedSignal:15(Terminated)")->kind, ReasonKind::ended);
  EXPECT_EQ(findReason("ReqNodeNotAvail, UnavailableNodes:n1")->kind, ReasonKind::nodeTrouble);
  EXPECT_EQ(findReason("QOSMaxGRESPerUser")->resource, "gres");
  EXPECT_EQ(findReason("QOSMaxGRESPerUser")->scope, LimitScope::qosUser);
  EXPECT_EQ(findReason("SomethingNew"), nullptr);
  EXPECT_FALSE(isFinal(JobState::unknown)) << "nothing is concluded from a word that is not known";
  EXPECT_EQ(findJobState("OOM")->state, JobState::outOfMemory);
  EXPECT_EQ(findNodeState("drained")->flag, static_cast<int>(NodeFlag::drain));
}

TEST(SlurmStates, UnknownWordsAreKeptAndReported) {
  const std::string body = R"({"jobs":[{"job_id":5,"job_state":["RUNNING","TELEPORTING"]},{"job_id":"x"},7,)"
                           R"({"job_id":6,"job_state":["PENDING"],"priority":"high"}],"errors":[],"warnings":[]})";
  const auto list = decodeJobs(ApiVersion::v45, {.body = body});
  ASSERT_EQ(list.records.size(), 2U);
  EXPECT_EQ(list.records[0].state, JobState::running);
  EXPECT_EQ(list.records[0].unknownStates, Words{"TELEPORTING"});
  EXPECT_EQ(list.records[0].stateText, "RUNNING,TELEPORTING");
  EXPECT_FALSE(list.records[0].damaged);
  EXPECT_TRUE(list.records[1].damaged) << "a value that cannot be read is unset, and told";
  EXPECT_EQ(list.answer.setAside, 2U) << "a bad record is never the end of the batch";
  EXPECT_TRUE(list.answer.complete);
  EXPECT_FALSE(list.answer.isWhole());
  EXPECT_GE(list.answer.reports.size(), 4U);
}

TEST(SlurmStream, AJobOverTheBoundIsSetAside) {
  std::string body = R"({"jobs":[{"job_id":1,"job_state":["RUNNING"],"comment":")" + std::string(20'000, 'x') +
                     R"(","nested":{"a":["}]"]}},{"job_id":2,"job_state":["PENDING"]}],"errors":[]})";
  std::vector<std::uint32_t> ids;
  JobListDecoder decoder(ApiVersion::v45, [&](SlurmJob& job) { ids.push_back(job.id); }, 8'192);
  for (std::size_t at = 0; at < body.size(); at += 1000) decoder.feed(std::string_view(body).substr(at, 1000));
  const auto answer = decoder.finish();
  EXPECT_EQ(ids, std::vector<std::uint32_t>{2});
  EXPECT_EQ(answer.setAside, 1U);
  EXPECT_TRUE(answer.complete);
}

}  // namespace
}  // namespace fairlead::codec::slurm
