// The Slurm engine and what else goes on on its cluster, over a table.
#include "slurm/slurm_engine.hpp"
#include "tests/fake_slurm.hpp"
#include "tests/harness.hpp"

#include <fairlead/codec/slurm/grammars.hpp>
#include <fairlead/codec/slurm/hostlist.hpp>

#include <pwd.h>
#include <unistd.h>

namespace fairlead::engine::test {
namespace {

using model::NativeJob;
using model::ObservationKind;
using model::WorkloadState;

class SlurmOthers : public LocalEngineTest {
 protected:
  void SetUp() override {
    LocalEngineTest::SetUp();
    slurm_.cluster = "lab";
    slurm_.stateDir = root_ + "/slurm";
    slurm_.governs = [](const std::string&) { return true; };
    slurm_.endpoint = "http://127.0.0.1:1";
    slurm_.jobInterval = {5};
    slurm_.nodeInterval = {3'600'000};
    slurm_.historyPause = {1};
    slurm_.runFolder = root_ + "/run/%u";
    wire::SlurmNode node;
    node.name = "n1";
    node.state = wire::NodeState::idle;
    node.cpus = 8;
    ASSERT_TRUE(wire::readGres("gpu:h100:4", node.gres));
    world_.nodes = {node};
  }
  void startSlurm() {
    sink_ = std::make_unique<RememberingSink>();
    engine_ = std::make_unique<slurm::SlurmEngine>(slurm_, std::make_unique<FakeCalls>(world_));
    ASSERT_TRUE(engine_->start(*sink_, {}));
    (void)sink_->awaitNode();
  }
  /// Alice starts job `id` with one device.
  void startNative(std::uint32_t id) {
    const std::lock_guard guard(world_.mutex);
    auto& job = world_.queue[id];
    job.id = id;
    job.name = "bert";
    job.user = "alice";
    job.batch = true;
    job.submitTime = TimePoint{1'000'000};
    run(job, "gpu:h100:1(IDX:3)");
    ASSERT_TRUE(wire::readGres("gpu:h100:1(IDX:3)", world_.nodes[0].gresUsed));
  }
  static void run(wire::SlurmJob& job, const std::string& gres) {
    job.state = wire::JobState::running;
    job.stateText = "RUNNING";
    job.startTime = TimePoint{2'000'000};
    job.nodes = wire::hostSet("n1");
    job.gresDetail.assign(1, {"n1", {}});
    EXPECT_TRUE(wire::readGres(gres, job.gresDetail[0].gres));
    EXPECT_TRUE(wire::readTres("cpu=4,mem=1G,node=1,gres/gpu=2", job.allocated));
  }
  static auto isIn(const std::string& id, WorkloadState state) {
    return [id, state](const NativeJob& job) { return job.origin.id == id && job.state == state; };
  }
  control::StartOrder job(std::uint64_t attempt) {
    auto made = shell(attempt, "true");
    made.workload.unixUser = ::getpwuid(::geteuid())->pw_name;
    return made;
  }
  void startOurs(const control::StartOrder& order) {
    engine_->dispatchStart(order);
    ASSERT_EQ(sink_->awaitAnswer(order.intent.id).first, control::DispatchOutcome::done);
  }

  SlurmOptions slurm_;
  FakeSlurm world_;
};

TEST_F(SlurmOthers, AreToldFromTheQueueAndTheirEndFromTheDatabase) {
  startSlurm();
  startNative(50);
  const auto running = sink_->awaitNative(isIn("50", WorkloadState::running));
  EXPECT_EQ(running.origin.cluster, "lab");
  ASSERT_EQ(running.placement.size(), 1U);
  EXPECT_EQ(running.placement[0].devices.at(0).index, 3);
  {
    const std::lock_guard guard(world_.mutex);
    world_.databaseDown = true;
  }
  world_.end(50, wire::JobState::failed, "FAILED", 3);
  world_.forget(50);
  startNative(51);  // a reading later
  (void)sink_->awaitNative(isIn("51", WorkloadState::running));
  for (const auto& told : sink_->natives()) EXPECT_FALSE(model::isFinal(told.state)) << "nobody said so yet";
  {
    const std::lock_guard guard(world_.mutex);
    world_.databaseDown = false;
  }
  const auto end = sink_->awaitNative(isIn("50", WorkloadState::failed));
  EXPECT_EQ(end.failure, model::FailureCategory::applicationExit);
  EXPECT_EQ(end.endedAt.msSinceEpoch, 3'000'000);
}

TEST_F(SlurmOthers, NodesAreReadAgainWhenSomethingStarts) {
  startSlurm();
  EXPECT_EQ(sink_->awaitNode().used.devices.at(3).count, 0);
  startNative(50);
  EXPECT_TRUE(eventually([&] { return sink_->nodes().at(0).used.devices.at(3).count == 1000; }));
}

TEST_F(SlurmOthers, OursSayWhereTheyReallyRun) {
  startSlurm();
  const auto order = job(1);
  startOurs(order);
  {
    const std::lock_guard guard(world_.mutex);
    run(world_.queue.at(100), "");
    auto& component = world_.submitted.at(0).components.at(0);
    ASSERT_TRUE(component.gresPerNode.empty());
  }
  const auto started = sink_->awaitKind(order.attempt.id, ObservationKind::started);
  ASSERT_EQ(started.placement.size(), 1U);
  EXPECT_EQ(started.placement[0].node, "n1");
  EXPECT_EQ(started.placement[0].cpus.count, 4'000);
  EXPECT_EQ(started.placement[0].memory.count, 1LL << 30);
  world_.end(100, wire::JobState::completed, "COMPLETED", 0);
  (void)sink_->awaitEnd(order.attempt.id);
  EXPECT_TRUE(sink_->natives().empty());
}

TEST_F(SlurmOthers, OursGoOnWhenSlurmRequeuesThem) {
  startSlurm();
  const auto order = job(1);
  startOurs(order);
  {
    const std::lock_guard guard(world_.mutex);
    run(world_.queue.at(100), "");
  }
  (void)sink_->awaitKind(order.attempt.id, ObservationKind::started);
  {
    const std::lock_guard guard(world_.mutex);
    auto& again = world_.queue.at(100);
    again.submitTime = *again.submitTime + Milliseconds{60'000};  // Slurm submits it anew
    again.restarts = 1;
  }
  world_.end(100, wire::JobState::failed, "FAILED", 3);
  EXPECT_EQ(sink_->awaitEnd(order.attempt.id).category, model::FailureCategory::applicationExit);
  for (const auto& seen : sink_->seen(order.attempt.id)) EXPECT_NE(seen.kind, ObservationKind::unreachable);
}

TEST_F(SlurmOthers, ThePastIsToldBesides) {
  slurm_.historyFrom = local::wallNow() - Milliseconds{86'400'000};
  wire::SlurmAccountedJob past;
  past.id = 7;
  past.user = "bob";
  past.name = "old";
  past.state = wire::JobState::completed;
  past.stateText = "COMPLETED";
  past.endTime = local::wallNow() - Milliseconds{60'000};
  past.startTime = past.submitTime = *past.endTime - Milliseconds{60'000};
  past.nodes = wire::hostSet("n1");
  world_.database.push_back(past);
  startSlurm();
  EXPECT_EQ(sink_->awaitNative(isIn("7", WorkloadState::succeeded)).user, "bob");
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(slurm_.stateDir + "/history"); }));
}

}  // namespace
}  // namespace fairlead::engine::test
