// What ended on a cluster before anybody looked: which part of the past is read, and what is told of it.
#include "slurm/history_reader.hpp"
#include "slurm/submission.hpp"
#include "tests/fake_slurm.hpp"

#include <fairlead/codec/slurm/grammars.hpp>
#include <fairlead/codec/slurm/hostlist.hpp>
#include <fairlead/engine/testing/conformance.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace fairlead::engine::test {
namespace {

using model::NativeJob;
using model::WorkloadState;
using slurm::Coverage;
using slurm::Window;

TEST(SlurmCoverage, IsReadFromTheTopInPieces) {
  Coverage read;
  EXPECT_EQ(read.next({100}, {1000}, {300}), (Window{{700}, {1000}}));
  read.add({{700}, {1000}});
  EXPECT_EQ(read.next({100}, {1000}, {300}), (Window{{400}, {700}}));
  read.add({{400}, {700}});
  EXPECT_EQ(read.parts(), (std::vector<Window>{{{400}, {1000}}}));
  EXPECT_EQ(read.next({250}, {1000}, {300}), (Window{{250}, {400}}));
  read.add({{250}, {400}});
  EXPECT_FALSE(read.next({250}, {1000}, {300}));
  EXPECT_FALSE(read.next({300}, {1000}, {300}));
  EXPECT_EQ(read.next({240}, {1000}, {300}), (Window{{240}, {250}}));
}

TEST(SlurmCoverage, ReadsWhatADaemonMissedFirst) {
  Coverage read;
  read.add({{400}, {1000}});
  EXPECT_EQ(read.next({100}, {2000}, {700}), (Window{{1300}, {2000}}));
  read.add({{1300}, {2000}});
  EXPECT_EQ(read.next({100}, {2000}, {700}), (Window{{1000}, {1300}}));
  read.add({{1000}, {1300}});
  EXPECT_EQ(read.next({100}, {2000}, {700}), (Window{{100}, {400}}));
  read.cut({1500});
  EXPECT_EQ(read.next({100}, {2000}, {700}), (Window{{1500}, {2000}}));
  read.cut({200});
  EXPECT_TRUE(read.parts().empty());
}

TEST(SlurmCoverage, IsWrittenDownAndRead) {
  Coverage read;
  EXPECT_TRUE(slurm::decodeCoverage(slurm::encodeCoverage(read)));
  read.add({{1}, {3}});
  read.add({{5}, {9}});
  const auto text = slurm::encodeCoverage(read);
  const auto again = slurm::decodeCoverage(text);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->parts(), read.parts());
  auto torn = text;
  torn[0] = '2';
  EXPECT_FALSE(slurm::decodeCoverage(torn));
  EXPECT_FALSE(slurm::decodeCoverage(text.substr(0, text.size() - 3)));
  EXPECT_FALSE(slurm::decodeCoverage(""));
}

class SlurmHistory : public ::testing::Test {
 protected:
  SlurmHistory() {
    std::string folder = "/tmp/fairlead-history-XXXXXX";
    EXPECT_NE(::mkdtemp(folder.data()), nullptr);
    options_.cluster = "lab";
    options_.stateDir = folder;
    options_.historyFrom = local::wallNow() - Milliseconds{10 * kDay};
    options_.historyPause = {1};
    options_.historyAgain = {kDay};
    world_.heedWindow = true;
  }
  ~SlurmHistory() override {
    reader_.reset();
    std::filesystem::remove_all(options_.stateDir);
  }

  /// A job of one run that ended so many milliseconds ago.
  wire::SlurmAccountedJob& add(std::uint32_t id, std::int64_t agoMs, wire::JobState state = wire::JobState::completed) {
    const std::lock_guard guard(world_.mutex);
    auto& row = world_.database.emplace_back();
    row.id = id;
    row.name = "bert";
    row.user = "alice";
    row.account = "research";
    row.state = state;
    row.stateText = "WORD";
    row.endTime = second(local::wallNow() - Milliseconds{agoMs});
    row.startTime = *row.endTime - Milliseconds{60'000};
    row.submitTime = *row.endTime - Milliseconds{90'000};
    row.nodes = wire::hostSet("n1");
    row.exit = wire::ExitCode{};
    EXPECT_TRUE(wire::readTres("cpu=1,node=1,gres/gpu=2,gres/gpu:h100=2", row.allocated));
    return row;
  }
  static TimePoint second(TimePoint at) { return {at.msSinceEpoch / 1000 * 1000}; }

  void start(bool restartsTold = true) {
    slurm::HistoryHooks hooks;
    hooks.ready = [this] { return ready_.load(); };
    hooks.isAlive = [this](const std::string& name) { return name == alive_; };
    hooks.reading = [restartsTold] { return slurm::RunReading{"", restartsTold}; };
    hooks.devices = [] { return std::make_shared<const slurm::ClusterDevices>(); };
    hooks.tell = [this](std::vector<NativeJob> jobs) { sink_.native(std::move(jobs)); };
    hooks.say = [this](LogSeverity, const std::string& text) {
      if (text.find("has been read back") != std::string::npos) done_ = true;
    };
    hooks.ownerOf = [this](model::AttemptId, const std::string&) { return owner_; };
    reader_ = std::make_unique<slurm::HistoryReader>(options_, calls_, std::move(hooks));
    done_ = false;
    ASSERT_TRUE(reader_->start());
  }
  void readAll(bool restartsTold = true) {
    start(restartsTold);
    ASSERT_TRUE(testing::eventually([&] { return done_.load(); }));
    reader_->shutdown();
  }
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const auto& job : sink_.natives()) all.push_back(job.origin.id);
    std::sort(all.begin(), all.end());
    return all;
  }
  std::size_t asked() {
    const std::lock_guard guard(world_.mutex);
    return world_.asked.size();
  }

  static constexpr std::int64_t kHour = 3'600'000, kDay = 24 * kHour;
  using Names = std::vector<std::string>;
  SlurmOptions options_;
  FakeSlurm world_;
  FakeCalls calls_{world_};
  testing::RememberingSink sink_;
  std::atomic<bool> ready_{true}, done_{false};
  std::string alive_ = "none";
  slurm::Owner owner_ = slurm::Owner::unknown;
  std::unique_ptr<slurm::HistoryReader> reader_;
};

TEST_F(SlurmHistory, TellsWhatEndedSinceThen) {
  add(1, 100);
  add(2, 36 * kHour);
  add(3, 9 * kDay, wire::JobState::failed);
  add(4, 11 * kDay);  // before it
  add(5, kHour, wire::JobState::running).endTime.reset();
  alive_ = "6";
  add(6, kHour);  // slurmdbd does not know yet that it was requeued
  readAll();
  EXPECT_EQ(names(), (Names{"1", "2", "3"}));
  for (const auto& job : sink_.natives()) {
    EXPECT_TRUE(model::isFinal(job.state));
    EXPECT_EQ(job.run, 1U);
    ASSERT_EQ(job.placement.size(), 1U);
    EXPECT_EQ(job.placement[0].devices.size(), 2U);
    EXPECT_EQ((job.endedAt - job.startedAt).count, 60'000);
  }
  const std::lock_guard guard(world_.mutex);
  for (std::size_t i = 1; i < world_.asked.size(); ++i) {
    ASSERT_TRUE(world_.asked[i].to);
    EXPECT_LE((*world_.asked[i].to - *world_.asked[i].from).count, kDay + 2'000);
  }
  EXPECT_FALSE(world_.asked[0].to) << "the cluster's clock may be before ours";
  EXPECT_EQ(world_.asked.size(), 10U);
}

TEST_F(SlurmHistory, WaitsForTheQueue) {
  ready_ = false;
  add(1, kHour);
  start();
  EXPECT_EQ(asked(), 0U);
  ready_ = true;
  (void)sink_.awaitNative([](const NativeJob& job) { return job.origin.id == "1"; });
}

TEST_F(SlurmHistory, GoesOnWhereItWas) {
  add(1, 30 * kHour);
  readAll();
  const auto before = asked();
  readAll();
  EXPECT_EQ(asked(), before + 1) << "only the latest day again";
  EXPECT_EQ(names(), (Names{"1"}));
  options_.historyFrom = options_.historyFrom - Milliseconds{kDay};
  add(2, 10 * kDay + kHour);
  readAll();
  EXPECT_EQ(names(), (Names{"1", "2"}));
  EXPECT_EQ(asked(), before + 3);
  std::ofstream(options_.stateDir + "/history") << "torn";
  readAll();
  EXPECT_EQ(names(), (Names{"1", "1", "2", "2"})) << "without its file all is read again";
}

TEST_F(SlurmHistory, WhatIsNotAnsweredIsNotDone) {
  options_.historyFrom = local::wallNow() - Milliseconds{kHour};
  world_.databaseDown = true;
  add(1, 1'000);
  start();
  ASSERT_TRUE(testing::eventually([&] { return asked() >= 3; }));
  EXPECT_FALSE(std::filesystem::exists(options_.stateDir + "/history"));
  {
    const std::lock_guard guard(world_.mutex);
    world_.databaseDown = false;
  }
  (void)sink_.awaitNative([](const NativeJob& job) { return job.origin.id == "1"; });
  EXPECT_TRUE(testing::eventually([&] { return done_.load(); }));
}

TEST_F(SlurmHistory, HalvesWindowsThatHoldTooMuch) {
  options_.historyFrom = local::wallNow() - Milliseconds{2 * kDay};
  world_.mostRows = 3;
  for (std::uint32_t id = 1; id <= 12; ++id) add(id, id * 3 * kHour);
  readAll();
  EXPECT_EQ(sink_.natives().size(), 12U);
}

TEST_F(SlurmHistory, OursAreNeverTold) {
  const model::IntentId intent{{7}, model::IntentKind::start, 0};
  add(1, kHour).name = slurm::jobName(intent, "job");
  add(2, kHour);
  readAll();
  EXPECT_EQ(names(), (Names{"2"})) << "also where nobody remembers the attempt";
  owner_ = slurm::Owner::another;
  std::filesystem::remove(options_.stateDir + "/history");
  readAll();
  EXPECT_EQ(names(), (Names{"1", "2", "2"})) << "somebody else wrote our words";
}

TEST_F(SlurmHistory, TellsEveryRunInItsOrder) {
  for (const bool restartsTold : {true, false}) {
    {
      const std::lock_guard guard(world_.mutex);
      world_.database.clear();
    }
    const auto first = *add(7, 4 * kDay, wire::JobState::nodeFail).submitTime;  // in another window
    const auto ended = *world_.database[0].endTime;
    auto& second = add(7, kHour);
    second.submitTime = ended + Milliseconds{5'000};
    second.restarts = restartsTold ? 1 : 0;
    sink_.forgetNatives();
    std::filesystem::remove(options_.stateDir + "/history");
    readAll(restartsTold);
    const auto told = sink_.natives();
    ASSERT_GE(told.size(), 4U);
    EXPECT_EQ(told[0].state, WorkloadState::running);
    EXPECT_EQ(told[0].run, 1U);
    EXPECT_EQ(told[1].state, WorkloadState::queued);
    EXPECT_EQ(told[1].run, 2U);
    EXPECT_EQ(told[1].failure, model::FailureCategory::nodeLost);
    EXPECT_EQ(told[1].endedAt, ended);
    EXPECT_EQ(told[2].state, WorkloadState::running);
    EXPECT_EQ(told[3].state, WorkloadState::succeeded);
    EXPECT_EQ(told[3].run, 2U);
    for (const auto& job : told) EXPECT_EQ(job.submittedAt, first);
  }
}

TEST_F(SlurmHistory, EndsAtOnce) {
  options_.historyPause = {3'600'000};
  add(1, kHour);
  start();
  ASSERT_TRUE(testing::eventually([&] { return asked() == 1; }));
  reader_->shutdown();  // the test's own limit is the proof
}

}  // namespace
}  // namespace fairlead::engine::test
