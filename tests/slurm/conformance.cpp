// The suite of all engines on a real Slurm cluster, through REST or through the commands. Run it as root where the
// cluster's users exist and its files are seen:
//
//   FAIRLEAD_SLURM_CONF       slurm.conf of the cluster (needed)
//   FAIRLEAD_SLURM_USER       whom work runs as (needed); has an association and may use the default partition
//   FAIRLEAD_SLURM_FOLDER     a folder that this user may write and all nodes see (needed)
//   FAIRLEAD_SLURM_PROGRAMS   folder of squeue and its kin; not set: through PATH
//   FAIRLEAD_SLURM_ENDPOINT   http://127.0.0.1:6820; not set: the commands
//   FAIRLEAD_SLURM_RESTART    a program that ends slurmctld hard and starts it again
//   FAIRLEAD_SLURM_LOSE_NODE  a program that takes away the node given as its argument, hard
//   FAIRLEAD_SLURM_PARTITION  for all jobs
//   FAIRLEAD_SLURM_INTERVAL   milliseconds between reads of the queue; not set: 300
//
// FAIRLEAD_TEST_LIMIT (seconds) bounds each wait; a time limit of a minute needs 180.
#include <fairlead/engine/slurm.hpp>
#include <fairlead/engine/testing/conformance.hpp>
#include <fairlead/model/accelerators.hpp>
#include <fairlead/net/subprocess.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <pwd.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace fairlead::engine {
namespace {

namespace fs = std::filesystem;

constexpr auto kPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

class SlurmHarness final : public testing::EngineHarness {
 public:
  SlurmHarness() {
    std::string state = setting("FAIRLEAD_SLURM_FOLDER") + "/state-XXXXXX";
    EXPECT_NE(::mkdtemp(state.data()), nullptr);
    state_ = state;
    std::string folder = setting("FAIRLEAD_SLURM_FOLDER") + "/suite-XXXXXX";
    EXPECT_NE(::mkdtemp(folder.data()), nullptr) << folder;
    folder_ = folder;
    const auto* user = ::getpwnam(unixUser().c_str());
    EXPECT_TRUE(user != nullptr && ::chown(folder_.c_str(), user->pw_uid, user->pw_gid) == 0) << unixUser();
    options_.cluster = "slurm";
    options_.stateDir = state_;
    options_.governs = [](const std::string&) { return true; };
    options_.slurmConf = setting("FAIRLEAD_SLURM_CONF");
    options_.endpoint = setting("FAIRLEAD_SLURM_ENDPOINT");
    options_.partition = setting("FAIRLEAD_SLURM_PARTITION");
    options_.runFolder = folder_ + "/runs";
    options_.programs = setting("FAIRLEAD_SLURM_PROGRAMS");
    options_.tokenCommand = {program("scontrol"), "token", "username=%u", "lifespan=%s"};
    const auto interval = std::atoi(setting("FAIRLEAD_SLURM_INTERVAL").c_str());
    options_.jobInterval = {interval > 0 ? interval : 300};
    options_.submitSettle = {3'000};
    options_.callTimeout = {30'000};
    const auto hourAgo = std::chrono::system_clock::now() - std::chrono::hours(1);
    options_.historyFrom = {hourAgo.time_since_epoch() / std::chrono::milliseconds(1)};
    options_.log = [](LogSeverity severity, const std::string& line) {
      if (severity != LogSeverity::info) std::fprintf(stderr, "engine: %s\n", line.c_str());
    };
  }
  ~SlurmHarness() override {
    std::error_code ignored;
    fs::remove_all(state_, ignored);
    fs::remove_all(folder_, ignored);
  }

  std::unique_ptr<control::EnginePort> open() override {
    auto engine = makeSlurmEngine(options_);
    EXPECT_TRUE(engine) << toText(engine.error());
    return engine ? std::move(*engine) : nullptr;
  }
  std::string folder() override { return folder_; }
  std::string unixUser() override { return setting("FAIRLEAD_SLURM_USER"); }
  std::uint64_t nextAttempt() override {
    // Several of these programs may work on one cluster at once, and a cluster remembers the runs of the day before.
    static std::uint64_t next = std::uint64_t{std::random_device{}()} << 8;
    return ++next;
  }
  Device device() override { return {"nvidia", "h100", std::string(model::visibleVariable("nvidia"))}; }
  Milliseconds shortestLimit() override { return {60'000}; }
  bool allowRequeue() override { return options_.requeue = true; }
  void requeue(const std::string& nativeId) override {
    const auto* user = ::getpwnam(unixUser().c_str());
    ASSERT_NE(user, nullptr);
    net::ProcessSpec spec;
    spec.argv = {program("scontrol"), "requeue", nativeId.substr(0, nativeId.find('@'))};
    spec.user = net::UnixUser{user->pw_uid, user->pw_gid, {}};
    spec.env = {kPath, "SLURM_CONF=" + options_.slurmConf};
    const auto result = net::runProcess(spec);
    EXPECT_TRUE(result && result->succeeded()) << (result ? result->errors : result.error().message);
  }
  bool limitsMemory() override { return true; }
  bool runNative(const std::string& script) override {
    const auto* user = ::getpwnam(unixUser().c_str());
    if (user == nullptr) return false;
    net::ProcessSpec spec;
    spec.argv = {program("sbatch"), "--gres=gpu:h100:1", "--output=/dev/null"};
    if (!options_.partition.empty()) spec.argv.push_back("--partition=" + options_.partition);
    spec.env = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                "SLURM_CONF=" + options_.slurmConf};
    spec.cwd = "/";
    spec.user = net::UnixUser{user->pw_uid, user->pw_gid, {user->pw_gid}};
    spec.input = script;
    spec.timeout = {60'000};
    const auto result = net::runProcess(spec);
    EXPECT_TRUE(result && result->succeeded()) << (result ? result->errors : result.error().message);
    return true;
  }
  bool restartDaemons() override { return runProgram(setting("FAIRLEAD_SLURM_RESTART"), {}); }
  bool loseNode(const std::string& node) override { return runProgram(setting("FAIRLEAD_SLURM_LOSE_NODE"), {node}); }

 private:
  [[nodiscard]] std::string program(const std::string& name) const {
    return options_.programs.empty() ? name : options_.programs + "/" + name;
  }
  static bool runProgram(const std::string& program, std::vector<std::string> arguments) {
    if (program.empty()) return false;
    net::ProcessSpec spec;
    spec.argv = {program};
    spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
    spec.env = {kPath};
    spec.timeout = {120'000};
    const auto result = net::runProcess(spec);
    EXPECT_TRUE(result && result->succeeded()) << (result ? result->errors : result.error().message);
    return true;
  }

  SlurmOptions options_;
  std::string state_, folder_;
};

class SlurmConformance : public ::testing::TestWithParam<const testing::ConformanceCase*> {};

TEST_P(SlurmConformance, Holds) {
  SlurmHarness harness;
  testing::EngineUnderTest subject(harness);
  GetParam()->run(subject);
}

std::vector<const testing::ConformanceCase*> allCases() {
  std::vector<const testing::ConformanceCase*> all;
  for (const auto& one : testing::conformanceCases()) all.push_back(&one);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Slurm, SlurmConformance, ::testing::ValuesIn(allCases()),
                         [](const auto& one) { return std::string(one.param->name); });

}  // namespace
}  // namespace fairlead::engine

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "supervise")  // the engine reads users' files by a program of its own
    return fairlead::engine::superviseMain({argv + 2, argv + argc});
  ::testing::InitGoogleTest(&argc, argv);
  for (const auto* name : {"FAIRLEAD_SLURM_CONF", "FAIRLEAD_SLURM_USER", "FAIRLEAD_SLURM_FOLDER"})
    if (std::getenv(name) == nullptr) {
      std::fprintf(stderr, "slurm_conformance: %s is not set; its first lines say what it needs\n", name);
      return 2;
    }
  return RUN_ALL_TESTS();
}
