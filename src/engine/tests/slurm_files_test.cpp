// Checkpoints, outputs and models of jobs on Slurm, where this host sees their files.
#include "slurm/slurm_engine.hpp"
#include "tests/fake_slurm.hpp"
#include "tests/harness.hpp"

#include <fairlead/codec/digest.hpp>

#include <fstream>
#include <pwd.h>
#include <unistd.h>

namespace fairlead::engine::test {
namespace {

namespace fs = std::filesystem;
using model::FailureCategory;
using model::ObservationKind;

class SlurmFilesTest : public LocalEngineTest {
 protected:
  void SetUp() override {
    LocalEngineTest::SetUp();
    slurm_.cluster = "lab";
    slurm_.stateDir = root_ + "/slurm";
    slurm_.governs = [](const std::string&) { return true; };
    slurm_.endpoint = "http://127.0.0.1:1";  // users that this host does not know may submit
    slurm_.jobInterval = {5};
    slurm_.nodeInterval = {20};
    slurm_.submitSettle = {1};
    slurm_.runFolder = root_ + "/run";
    slurm_.supervisor = {"/proc/self/exe", "supervise"};
    wire::SlurmNode node;
    node.name = "host";
    node.state = wire::NodeState::idle;
    node.cpus = 8;
    world_.nodes = {node};
    fs::create_directories(work_ = root_ + "/work");
  }
  void startSlurm(std::vector<control::KnownAttempt> known = {}) {
    sink_ = std::make_unique<RememberingSink>();
    engine_ = std::make_unique<slurm::SlurmEngine>(slurm_, std::make_unique<FakeCalls>(world_));
    ASSERT_TRUE(engine_->start(*sink_, std::move(known)));
    (void)sink_->awaitNode();
  }
  control::StartOrder job(std::uint64_t attempt, const std::function<void(model::Spec&)>& change = {}) {
    Wanted wanted;
    wanted.command = {"true"};
    wanted.spec = [&](model::Spec& spec) {
      spec.roles[0].workingDirectory = work_;
      if (change) change(spec);
    };
    auto made = order(attempt, wanted);
    made.workload.unixUser = ::getpwuid(::geteuid())->pw_name;
    return made;
  }
  void dispatch(const control::StartOrder& order) {
    engine_->dispatchStart(order);
    ASSERT_EQ(sink_->awaitAnswer(order.intent.id).first, control::DispatchOutcome::done);
  }
  /// From the queue to the end with this code.
  model::Observation finish(const control::StartOrder& order, std::int32_t code) {
    world_.put(100, wire::JobState::running, "RUNNING");
    (void)sink_->awaitKind(order.attempt.id, ObservationKind::started);
    const bool well = code == 0;
    world_.end(100, well ? wire::JobState::completed : wire::JobState::failed, well ? "COMPLETED" : "FAILED", code);
    return sink_->awaitEnd(order.attempt.id);
  }
  std::string submittedScript() {
    const std::lock_guard guard(world_.mutex);
    return world_.submitted.empty() ? "" : world_.submitted.back().script;
  }
  void write(const std::string& path, const std::string& content) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << content;
  }
  void checkpoint(const std::string& name, const std::string& content, const std::string& told, int age) {
    write(work_ + "/ckpt/" + name + "/w", content);
    const auto manifest = work_ + "/ckpt/" + name + "/SHA256SUMS";
    write(manifest, codec::toHex(codec::sha256(told)) + "  w\n");
    fs::last_write_time(manifest, fs::file_time_type::clock::now() - std::chrono::seconds(age));
  }
  static void byManifest(model::Spec& spec) {
    spec.checkpoint.emplace();
    spec.checkpoint->path = "ckpt";
    spec.checkpoint->valid.kind = model::CheckpointValidity::Kind::manifest;
    spec.checkpoint->valid.file = "SHA256SUMS";
  }
  static void withOutputs(model::Spec& spec) {
    spec.outputs.push_back({"net", "model", model::OutputRule::Kind::model, "net", "m.json"});
    spec.outputs.push_back({"gone", "nothing", model::OutputRule::Kind::artifact, "", ""});
  }

  std::string work_;
  SlurmOptions slurm_;
  FakeSlurm world_;
};

TEST_F(SlurmFilesTest, GoesOnFromTheNewestCheckpointThatIsWhole) {
  startSlurm();
  checkpoint("one", "data", "data", 200);
  checkpoint("two", "data", "data", 100);
  checkpoint("three", "half", "whole", 50);
  const auto order = job(1, byManifest);
  dispatch(order);
  EXPECT_EQ(sink_->awaitKind(order.attempt.id, ObservationKind::accepted).resumedFrom, work_ + "/ckpt/two");
  EXPECT_NE(submittedScript().find("FAIRLEAD_CHECKPOINT='" + work_ + "/ckpt/two'\n"), std::string::npos)
      << submittedScript();
  checkpoint("four", "more", "more", 10);
  const auto end = finish(order, 1);
  EXPECT_EQ(sink_->awaitKind(order.attempt.id, ObservationKind::started).resumedFrom, work_ + "/ckpt/two");
  EXPECT_EQ(end.checkpoint, work_ + "/ckpt/four");
  EXPECT_GT(end.checkpointAt, local::wallNow() - Milliseconds{60'000});
}

TEST_F(SlurmFilesTest, WithoutACheckpointNothingIsHandedOver) {
  startSlurm();
  checkpoint("one", "half", "whole", 10);
  const auto order = job(1, byManifest);
  dispatch(order);
  EXPECT_EQ(submittedScript().find("FAIRLEAD_CHECKPOINT"), std::string::npos);
  EXPECT_EQ(finish(order, 1).checkpoint, "");
}

TEST_F(SlurmFilesTest, WhatItResumedFromAndItsOutputsOutliveTheDaemon) {
  startSlurm();
  checkpoint("one", "data", "data", 100);
  const auto order = job(1, [](model::Spec& spec) {
    byManifest(spec);
    withOutputs(spec);
  });
  dispatch(order);
  const auto told = sink_->awaitKind(order.attempt.id, ObservationKind::accepted).sequence;
  engine_.reset();
  write(work_ + "/model/w", "weights");
  write(work_ + "/m.json", "{\"loss\": 0.5}");
  startSlurm({{order.attempt.id, model::AttemptState::accepted, told}});
  const auto end = finish(order, 0);
  EXPECT_EQ(sink_->awaitKind(order.attempt.id, ObservationKind::started).resumedFrom, work_ + "/ckpt/one");
  ASSERT_EQ(end.outputs.size(), 2u);
  EXPECT_EQ(end.outputs[0].problem, "");
}

TEST_F(SlurmFilesTest, OutputsBecomeArtifactsAndMissingOnesAreTold) {
  startSlurm();
  const auto order = job(1, withOutputs);
  dispatch(order);
  write(work_ + "/model/sub/w", "weights");
  write(work_ + "/m.json", "{\"loss\": 0.10}");
  const auto end = finish(order, 0);
  EXPECT_EQ(end.category, FailureCategory::none);
  ASSERT_EQ(end.outputs.size(), 2u);
  const auto& net = end.outputs[0];
  EXPECT_EQ(net.problem, "");
  EXPECT_EQ(net.name, "net");
  EXPECT_EQ(net.size.count, 7);
  const auto digest = codec::sha256(codec::toHex(codec::sha256("weights")) + "  sub/w\n");
  EXPECT_EQ(net.digest, digest);
  EXPECT_EQ(net.uri, "file://" + slurm_.stateDir + "/artifacts/" + codec::toHex(digest));
  EXPECT_EQ(read(net.uri.substr(7) + "/sub/w"), "weights");
  ASSERT_EQ(net.metrics.size(), 1u);
  EXPECT_EQ(net.metrics[0].second, "0.10");
  EXPECT_NE(end.outputs[1].problem.find(work_ + "/nothing on cluster lab"), std::string::npos)
      << end.outputs[1].problem;
  for (const auto& entry : fs::directory_iterator(slurm_.stateDir + "/artifacts"))
    EXPECT_EQ(entry.path().filename(), codec::toHex(digest));
}

TEST_F(SlurmFilesTest, AFailedJobLeavesNoOutputs) {
  startSlurm();
  const auto order = job(1, withOutputs);
  dispatch(order);
  write(work_ + "/model/w", "weights");
  EXPECT_TRUE(finish(order, 3).outputs.empty());
}

TEST_F(SlurmFilesTest, FilesThatThisHostCannotReachAreSaidAndTheEndIsTold) {
  startSlurm();
  auto order = job(1, withOutputs);
  order.workload.unixUser = "nobody-of-this-host";
  dispatch(order);
  write(work_ + "/model/w", "weights");
  const auto end = finish(order, 0);
  EXPECT_EQ(end.category, FailureCategory::none);
  ASSERT_EQ(end.outputs.size(), 2u);
  EXPECT_NE(end.outputs[0].problem.find("nobody-of-this-host"), std::string::npos) << end.outputs[0].problem;
  EXPECT_NE(end.outputs[0].problem.find(work_ + "/model on cluster lab"), std::string::npos) << end.outputs[0].problem;
}

TEST_F(SlurmFilesTest, AModelThatIsNotWhatItsVersionSaysIsRefused) {
  startSlurm();
  write(root_ + "/net", "weights");
  auto forged = job(1);
  forged.modelUri = "file://" + root_ + "/net";
  forged.modelDigest = codec::sha256("other");
  dispatch(forged);
  const auto refused = sink_->awaitKind(forged.attempt.id, ObservationKind::refused);
  EXPECT_EQ(refused.category, FailureCategory::startFailed);
  EXPECT_EQ(refused.reason, "the model at " + root_ + "/net has digest " + codec::toHex(codec::sha256("weights")) +
                                ", its version says " + codec::toHex(codec::sha256("other")));
  EXPECT_EQ(world_.count("submit"), 0u);
  auto right = job(2);
  right.modelUri = forged.modelUri;
  right.modelDigest = codec::sha256("weights");
  dispatch(right);
  EXPECT_NE(submittedScript().find("FAIRLEAD_MODEL_PATH='" + root_ + "/net'\n"), std::string::npos);
  EXPECT_EQ(submittedScript().find("sha256sum"), std::string::npos);  // compared already
}

TEST_F(SlurmFilesTest, AModelThatThisHostDoesNotSeeIsComparedByTheJob) {
  startSlurm();
  auto order = job(1);
  order.modelUri = "file://" + root_ + "/elsewhere";
  order.modelDigest = codec::sha256("weights");
  dispatch(order);
  EXPECT_NE(submittedScript().find(codec::toHex(order.modelDigest)), std::string::npos);
}

/// A check of the user's that does not end costs its own attempt its start, and nobody else's.
TEST_F(SlurmFilesTest, ASlowCheckHoldsUpNobodyElseNorTheEndOfTheDaemon) {
  startSlurm();
  fs::create_directories(work_ + "/ckpt/one");
  const auto slow = job(1, [](model::Spec& spec) {
    byManifest(spec);
    spec.checkpoint->valid.kind = model::CheckpointValidity::Kind::command;
    spec.checkpoint->valid.command = {"sh", "-c", "touch begun; exec tail -f /dev/null", "check"};
  });
  engine_->dispatchStart(slow);
  ASSERT_TRUE(eventually([&] { return fs::exists(work_ + "/begun"); }));
  const auto quick = job(2);
  dispatch(quick);
  const auto begun = local::monotonicNow();
  engine_.reset();
  EXPECT_LT(local::monotonicNow() - begun, Milliseconds{20'000});
  EXPECT_EQ(sink_->answers(slow.intent.id), 0u);
  EXPECT_EQ(world_.count("submit"), 1u);
}

}  // namespace
}  // namespace fairlead::engine::test
