// The batch script, run by a real shell with an srun that starts its tasks here.
#include "slurm/fate.hpp"
#include "slurm/script.hpp"
#include "slurm/shell_text.hpp"

#include <fairlead/net/subprocess.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>

namespace fairlead::engine::slurm {
namespace {

namespace fs = std::filesystem;

constexpr auto kSrun = R"(#!/bin/bash
tasks=1
while [[ $1 == --* ]]; do
  case $1 in --ntasks=*) tasks=${1#*=} ;; esac
  shift
done
code=0 pids=()
for ((i = 0; i < tasks; i++)); do
  SLURM_PROCID=$i SLURM_LOCALID=$i SLURM_NODEID=0 SLURMD_NODENAME=n1 "$@" & pids+=($!)
done
for pid in "${pids[@]}"; do
  wait "$pid"
  one=$?
  ((one > code)) && code=$one
done
exit $code
)";

class ScriptTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/fairlead-script-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    fs::create_directories(root_ + "/bin");
    std::ofstream(root_ + "/bin/srun") << kSrun;
    ::chmod((root_ + "/bin/srun").c_str(), 0755);
    order_.facts = {"w-1", "train", "lab", "lab", "a-1", "a-1.start", 1, {}, -1};
    order_.folder = root_ + "/it's a folder";
    order_.user = "alice";
  }
  void TearDown() override { fs::remove_all(root_); }

  model::Role& role(std::vector<std::string> command, std::int64_t members = 1) {
    auto& made = roles_.emplace_back(std::make_unique<model::Role>());
    made->name = "main";
    made->command = std::move(command);
    ScriptRole out;
    out.role = made.get();
    out.members = out.tasksPerNode = members;
    order_.roles.push_back(std::move(out));
    return *made;
  }
  net::ProcessResult run(const std::string& script) {
    net::ProcessSpec spec;
    spec.argv = {"/bin/bash", "-s"};
    spec.input = script;
    spec.env = {"PATH=" + root_ + "/bin:/usr/bin:/bin", "SLURM_JOB_ID=77", "CUDA_VISIBLE_DEVICES=4,5,6,7"};
    auto result = net::runProcess(spec);
    EXPECT_TRUE(result);
    return result ? *result : net::ProcessResult{};
  }
  std::string read(const std::string& name) {
    std::ifstream file(order_.folder + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  std::string root_;
  ScriptOrder order_;
  std::vector<std::unique_ptr<model::Role>> roles_;
};

TEST_F(ScriptTest, GivesEachRankItsPlaceAndItsDevices) {
  role({"/bin/sh", "-c",
        "echo $RANK/$WORLD_SIZE $LOCAL_RANK $CUDA_VISIBLE_DEVICES $MASTER_PORT $FAIRLEAD_NODE; pwd; echo bad >&2"},
       2);
  order_.roles[0].devices = 2;
  order_.roles[0].gresName = "gpu";
  order_.roles[0].deviceVariable = "CUDA_VISIBLE_DEVICES";
  const auto result = run(rankScript(order_));
  EXPECT_EQ(result.exitCode, 0) << result.errors << read("batch.log");
  EXPECT_EQ(read("0.out"), "0/2 0 4,5 20077 n1\n" + order_.folder + "/work\n");
  EXPECT_EQ(read("1.out"), "1/2 1 6,7 20077 n1\n" + order_.folder + "/work\n");
  EXPECT_EQ(read("1.err"), "bad\n");
  const auto ends = readRankEnds(read("result"));
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[1].rank, 1);
  EXPECT_EQ(ends[1].code, 0);
}

TEST_F(ScriptTest, TheFirstFailureIsTheJobs) {
  role({"/bin/sh", "-c", "[ $RANK = 1 ] && exit 7; sleep 0.2; exit 9"}, 2);
  EXPECT_EQ(run(rankScript(order_)).exitCode, 7);
  const auto ends = readRankEnds(read("result"));
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_FALSE(ends[0].first);
  EXPECT_TRUE(ends[1].first);
}

TEST_F(ScriptTest, TellsWhatCouldNotStart) {
  role({"no-such-program", "x"});
  EXPECT_EQ(run(rankScript(order_)).exitCode, kNoCommand);
  const auto ends = readRankEnds(read("result"));
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].startProblem, "command no-such-program: No such file or directory");
  order_.roles.clear();
  role({"true"}).workingDirectory = "/no/such/folder";
  EXPECT_EQ(run(rankScript(order_)).exitCode, kNoWorkingDirectory);
  EXPECT_NE(read("result").find("working directory /no/such/folder"), std::string::npos) << read("result");
}

TEST_F(ScriptTest, WhatUsersWriteIsNothingButText) {
  auto& made = role({"/bin/sh", "-c", "printf %s \"$EVIL|$1\"", "sh", "$(touch " + root_ + "/hit); `x` 'q' \"d\" \\"});
  made.env = {{"EVIL", "'; touch " + root_ + "/hit; $(touch " + root_ + "/hit)\nx"},
              {"FAIRLEAD_RANK", "x"},
              {"SLURM_JOB_ID", "1"},
              {"a b", "x"}};
  order_.facts.name = "$(touch " + root_ + "/hit)";
  const auto result = run(rankScript(order_));
  EXPECT_EQ(result.exitCode, 0) << read("batch.log") << read("0.err");
  EXPECT_EQ(read("0.out"), made.env[0].second + "|" + made.command[4]);
  EXPECT_FALSE(fs::exists(root_ + "/hit"));
}

TEST_F(ScriptTest, RunsAScriptPerMember) {
  role({}, 2).script = "#!/bin/sh\ncat <<'FAIRLEAD_END'\nrank $RANK\nFAIRLEAD_END\necho $RANK\n";
  EXPECT_EQ(run(rankScript(order_)).exitCode, 0) << read("batch.log");
  EXPECT_EQ(read("1.out"), "rank $RANK\n1\n");
}

TEST_F(ScriptTest, ASignalForTheRanksLeavesTheBatchShellAlone) {
  role({"/bin/sh", "-c", "kill -USR1 $BATCH; kill -TERM $BATCH; sleep 0.3; exit 5"});
  EXPECT_EQ(run("export BATCH=$$\n" + rankScript(order_)).exitCode, 5);
}

TEST_F(ScriptTest, PassesOnToTheRanksWhatComesAsItsCarrier) {
  std::ofstream(root_ + "/bin/scancel") << "#!/bin/sh\necho \"$*\" >>" << root_ << "/passed\n";
  ::chmod((root_ + "/bin/scancel").c_str(), 0755);
  // One after the other: of signals that come at the same instant a waiting shell takes one.
  const auto passed = [&](int n) {
    return "; until [ \"$(wc -l <" + root_ + "/passed)\" = " + std::to_string(n) + " ]; do sleep 0.01; done; ";
  };
  role({"/bin/sh", "-c",
        "touch " + root_ + "/passed; kill -" + std::to_string(passingSignal(SIGUSR1)) + " $BATCH" + passed(1) +
            "kill -" + std::to_string(passingSignal(SIGTERM)) + " $BATCH" + passed(2) +
            "kill -USR2 $BATCH; sleep 0.2; exit 5"});
  EXPECT_EQ(run("export BATCH=$$\n" + rankScript(order_)).exitCode, 5) << read("batch.log");
  std::ifstream file(root_ + "/passed");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  EXPECT_EQ(lines, (std::vector<std::string>{"--signal=10 77", "--signal=15 77"}));
}

TEST_F(ScriptTest, LeavesWordOfAKillForMemory) {
  std::ofstream(root_ + "/bin/srun") << "#!/bin/sh\necho 'slurmstepd: error: StepId=7.0 exceeded memory limit (2 > 1), "
                                        "being killed' >&2\nexit 137\n";
  role({"true"});
  EXPECT_EQ(run(rankScript(order_)).exitCode, 137);
  EXPECT_EQ(read("result"), "0 memory\n");
  std::ofstream(root_ + "/bin/srun") << "#!/bin/sh\nexit 137\n";  // a second run; what the first said counts no more
  EXPECT_EQ(run(rankScript(order_)).exitCode, 137);
  EXPECT_EQ(read("result"), "");
}

TEST_F(ScriptTest, RolesEndTogether) {
  role({"/bin/sh", "-c", "exit 3"});
  role({"/bin/sleep", "100"});
  order_.roles[1].rankOffset = 1;
  EXPECT_EQ(run(rankScript(order_)).exitCode, 3);
}

TEST_F(ScriptTest, AScriptForSbatchRunsOnceAsItself) {
  role({}, 4).script = "#!/bin/bash\n#SBATCH -N4\necho \"$FAIRLEAD_NAME in $0\"\nexit 42\n";
  ASSERT_TRUE(hasDirectives(order_.roles[0].role->script));
  const auto result = run(batchScript(order_));
  EXPECT_EQ(result.exitCode, 42) << result.errors;
  EXPECT_EQ(result.output, "train in " + order_.folder + "/script\n");
}

TEST_F(ScriptTest, SaysWhenItsFolderCannotBeMade) {
  role({"true"});
  std::ofstream(order_.folder) << "a file";
  const auto result = run(rankScript(order_));
  EXPECT_EQ(result.exitCode, kNoRunFolder);
  EXPECT_NE(result.errors.find("cannot be made"), std::string::npos);
}

TEST_F(ScriptTest, LogsGoWhereTheUserWantsThem) {
  role({"/bin/sh", "-c", "echo out; echo err >&2"}, 2).workingDirectory = root_;
  order_.logs.standardOutput = "logs-%x-%j-%t.txt";
  EXPECT_EQ(run(rankScript(order_)).exitCode, 0) << read("batch.log");
  std::ifstream file(root_ + "/logs-train-77-1.txt");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT_EQ(text, "out\nerr\n");
  EXPECT_EQ(rankLog(order_, 1, false), "logs-train-%j-1.txt");
}

TEST(ShellText, DirectivesCountOnlyBeforeTheFirstCommand) {
  EXPECT_TRUE(hasDirectives("#!/bin/sh\n\n# x\n#SBATCH -N1\n"));
  EXPECT_FALSE(hasDirectives("#!/bin/sh\necho\n#SBATCH -N1\n"));
  EXPECT_FALSE(hasDirectives(""));
}

RC_GTEST_PROP(ShellText, AShellReadsBackWhatWasQuoted, ()) {
  const auto byte = rc::gen::map(rc::gen::inRange(1, 256), [](int c) { return static_cast<char>(c); });
  const auto text = *rc::gen::container<std::string>(byte);
  net::ProcessSpec spec;
  spec.argv = {"/bin/bash", "-c", "printf %s " + shellWord(text)};
  spec.env = {"LC_ALL=C"};
  const auto result = net::runProcess(spec);
  RC_ASSERT(result.has_value());
  RC_ASSERT(result->output == text);
}

}  // namespace
}  // namespace fairlead::engine::slurm
