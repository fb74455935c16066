// What the command line transport asks Slurm's programs; the programs are ours here and write down their arguments.
#include "slurm/command_calls.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>

namespace fairlead::engine::slurm {
namespace {

namespace fs = std::filesystem;

class SlurmCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/fairlead-commands-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    program("scontrol", "Slurmctld(primary) at host is UP");
  }
  void TearDown() override { fs::remove_all(root_); }
  /// A program that prints this, or the release when it is asked for that.
  void program(const std::string& name, const std::string& prints, const std::string& release = "26.05.5") {
    std::ofstream(root_ + "/" + name) << "#!/bin/sh\n[ \"$1\" != --version ] || exec echo slurm " << release
                                      << "\necho \"$*\" >>" << root_ << "/asked\ncat <<'END'\n"
                                      << prints << "\nEND\n";
    ::chmod((root_ + "/" + name).c_str(), 0755);
  }
  std::string asked() {
    std::ifstream file(root_ + "/asked");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  CommandOptions options() { return {root_, "", 1, {10'000}, 1 << 20}; }

  std::string root_;
};

TEST_F(SlurmCommandTest, AsksForJobsThatHaveEndedToo) {
  program("squeue", R"({"jobs":[],"errors":[],"warnings":[]})");
  CommandCalls calls(options());
  const auto server = calls.connect();
  ASSERT_TRUE(server) << toText(server.error());
  EXPECT_EQ(server->release, "26.05.5");
  ASSERT_TRUE(calls.jobs({}));
  EXPECT_EQ(asked(), "ping\n--all --states=all --json=v0.0.42\n");
}

/// sacct --json of 22.05 fails on its own --starttime when it is.
TEST_F(SlurmCommandTest, JsonIsAskedForWithoutAFormOfTime) {
  std::ofstream(root_ + "/sacct") << "#!/bin/sh\nenv >" << root_ << "/asked\necho '{\"jobs\":[],\"errors\":[]}'\n";
  ::chmod((root_ + "/sacct").c_str(), 0755);
  program("squeue", "", "22.05.8");
  CommandCalls calls(options());
  ASSERT_TRUE(calls.connect());
  HistoryQuery query;
  query.from = TimePoint{1'796'000'000'000};
  const auto read = calls.history(query);
  ASSERT_TRUE(read) << toText(read.error());
  EXPECT_NE(asked().find("LC_ALL=C"), std::string::npos);
  EXPECT_EQ(asked().find("SLURM_TIME_FORMAT"), std::string::npos);
}

TEST_F(SlurmCommandTest, HoldingIsAskedInScontrolsOwnWords) {
  program("scontrol", "");
  CommandCalls calls(options());
  wire::SlurmJobUpdate change;
  change.hold = true;
  ASSERT_TRUE(calls.update(7, change, {}));
  change.hold = false;
  ASSERT_TRUE(calls.update(7, change, {}));
  change.timeLimit = Milliseconds{3'600'000};
  ASSERT_TRUE(calls.update(7, change, {}));
  EXPECT_EQ(asked(), "hold 7\nrelease 7\nrelease 7\nupdate JobId=7 TimeLimit=01:00:00\n");
}

}  // namespace
}  // namespace fairlead::engine::slurm
