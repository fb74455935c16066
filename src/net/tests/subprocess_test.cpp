#include "raw_client.hpp"

#include <fairlead/net/subprocess.hpp>

#include <csignal>
#include <fstream>
#include <sys/stat.h>

namespace fairlead::net {
namespace {

using namespace test;

/// A program of several lines, run by a named interpreter: the runner itself has no shell.
ProcessSpec script(const std::string& lines) {
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", lines};
  spec.env = {"PATH=/usr/bin:/bin"};
  spec.timeout = {10'000};
  return spec;
}

TEST(Subprocess, returnsOutputErrorsAndTheExactExitCode) {
  auto spec = script("cat; echo problem >&2; exit 37");
  spec.input = std::string(300'000, 'i');
  const auto result = runProcess(spec);
  ASSERT_TRUE(result.has_value()) << toText(result.error());
  EXPECT_EQ(result->output, spec.input);
  EXPECT_EQ(result->errors, "problem\n");
  EXPECT_EQ(result->exitCode, 37);
  EXPECT_EQ(result->signal, 0);
  EXPECT_FALSE(result->truncated || result->timedOut || result->succeeded());
}

TEST(Subprocess, tellsTheSignal) {
  const auto result = runProcess(script("kill -USR1 $$"));
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->signal, SIGUSR1);
  EXPECT_FALSE(result->succeeded());
}

TEST(Subprocess, aProgramMayIgnoreItsInput) {
  auto spec = script("exit 0");
  spec.input = std::string(5 << 20, 'i');
  EXPECT_TRUE(runProcess(spec)->succeeded());
}

TEST(Subprocess, givesExactlyTheEnvironmentFolderAndArguments) {
  ProcessSpec spec;
  spec.argv = {"env"};
  spec.env = {"A=1", "B=two words"};
  EXPECT_EQ(runProcess(spec)->output, "A=1\nB=two words\n");
  spec.argv = {"pwd"};
  spec.cwd = "/usr";
  EXPECT_EQ(runProcess(spec)->output, "/usr\n");
  spec.argv = {"printf", "%s|", "$HOME", "a b", "*", "-n"};
  EXPECT_EQ(runProcess(spec)->output, "$HOME|a b|*|-n|");
}

TEST(Subprocess, cutsOutputAndReadsOn) {
  auto spec = script("head -c 3000000 /dev/zero; echo end >&2");
  spec.maxOutput = {1000};
  const auto result = runProcess(spec);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->output.size(), 1000U);
  EXPECT_EQ(result->errors, "end\n");
  EXPECT_TRUE(result->truncated);
  EXPECT_EQ(result->exitCode, 0);
}

/// True while the process can be seen and is no zombie.
bool alive(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string line;
  return std::getline(file, line) && line.find(") Z ") == std::string::npos;
}

TEST(Subprocess, theTimeoutEndsGrandchildrenThatIgnoreTerm) {
  TempFolder folder;
  auto spec = script("trap '' TERM; sleep 100 & echo $! > " + folder.path + "/pid; sleep 100; sleep 100");
  spec.timeout = {300};
  spec.grace = {200};
  const auto start = std::chrono::steady_clock::now();
  const auto result = runProcess(spec);
  ASSERT_TRUE(result.has_value());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_TRUE(result->timedOut);
  EXPECT_EQ(result->signal, SIGKILL);
  std::string pid;
  std::ifstream(folder.path + "/pid") >> pid;
  ASSERT_FALSE(pid.empty());
  EXPECT_TRUE(eventually([&] { return !alive(pid); }));
}

TEST(Subprocess, termComesFirst) {
  auto spec = script("trap 'echo bye; exit 5' TERM; sleep 100 & wait");
  spec.timeout = {300};
  spec.grace = {5'000};
  const auto result = runProcess(spec);
  EXPECT_TRUE(result->timedOut);
  EXPECT_EQ(result->exitCode, 5);
  EXPECT_EQ(result->output, "bye\n");
}

TEST(Subprocess, leavesNothingBehindThatHoldsTheOutput) {
  TempFolder folder;
  const auto start = std::chrono::steady_clock::now();
  const auto result = runProcess(script("sleep 100 & echo $! > " + folder.path + "/pid; echo done"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(result->output, "done\n");
  EXPECT_TRUE(result->succeeded());
  std::string pid;
  std::ifstream(folder.path + "/pid") >> pid;
  EXPECT_TRUE(eventually([&] { return !alive(pid); }));
}

TEST(Subprocess, stopsWhenAsked) {
  std::stop_source source;
  auto spec = script("sleep 100");
  spec.stop = source.get_token();
  std::thread stopper([&] { source.request_stop(); });
  const auto result = runProcess(spec);
  stopper.join();
  EXPECT_TRUE(result->stopped);
  EXPECT_EQ(result->signal, SIGTERM);
}

TEST(Subprocess, saysWhatFailed) {
  TempFolder folder;
  std::ofstream(folder.path + "/plain") << "x";
  const auto messageOf = [](ProcessSpec spec) {
    const auto result = runProcess(spec);
    return result ? std::string("it ran") : toText(result.error());
  };
  ProcessSpec spec;
  EXPECT_NE(messageOf(spec).find("no program"), std::string::npos);
  spec.argv = {"no-such-program-here"};
  EXPECT_NE(messageOf(spec).find("not in PATH"), std::string::npos);
  spec.argv = {folder.path + "/none"};
  EXPECT_NE(messageOf(spec).find("No such file"), std::string::npos);
  spec.argv = {folder.path + "/plain"};
  EXPECT_NE(messageOf(spec).find("Permission denied"), std::string::npos);
  spec.argv = {"/bin/true"};
  spec.cwd = folder.path + "/nowhere";
  EXPECT_NE(messageOf(spec).find("cannot enter the folder"), std::string::npos);
}

TEST(Subprocess, inheritsNoDescriptorsAndDefaultSignals) {
  const int open = ::open("/dev/null", O_RDONLY);  // without close-on-exec
  const auto before = signal(SIGPIPE, SIG_IGN);
  auto spec =
      script("ls /proc/self/fd; grep -E 'SigIgn|SigBlk' /proc/self/status; ps -o pgid= -p $$ | tr -d ' '; echo $$");
  const auto result = runProcess(spec);
  signal(SIGPIPE, before);
  ::close(open);
  EXPECT_TRUE(result->output.starts_with("0\n1\n2\n3\n")) << result->output;  // 3 is the folder that ls reads
  EXPECT_EQ(result->output.find("\n4\n"), std::string::npos) << result->output;
  EXPECT_NE(result->output.find("SigBlk:\t0000000000000000"), std::string::npos);
  EXPECT_NE(result->output.find("SigIgn:\t0000000000000000"), std::string::npos) << result->output;
}

TEST(Subprocess, runsAsAnotherUserOnlyForRoot) {
  ProcessSpec spec;
  spec.argv = {"id", "-u"};
  spec.user = UnixUser{65534, 65534, {}};
  const auto result = runProcess(spec);
  if (geteuid() == 0) {
    EXPECT_EQ(result->output, "65534\n");
    spec.argv = {"id", "-G"};
    EXPECT_EQ(runProcess(spec)->output, "65534\n") << "no group of ours is kept";
    EXPECT_EQ(geteuid(), 0U);
  } else {
    EXPECT_FALSE(result.has_value());
  }
}

TEST(Subprocess, worksFromManyThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&good, i] {
      for (int round = 0; round < 10; ++round) {
        auto spec = script("cat; exit " + std::to_string(i));
        spec.input = std::to_string(i * 100 + round);
        const auto result = runProcess(spec);
        if (result && result->output == spec.input && result->exitCode == i) ++good;
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 80);
}

}  // namespace
}  // namespace fairlead::net
