// Clusters that come, change their terms and go while the core runs, and what only their engines can do.
#include <fairlead/control/control.hpp>
#include <fairlead/control/errors.hpp>
#include <fairlead/control/testing/harness.hpp>
#include <fairlead/store/memory.hpp>

#include <gtest/gtest.h>

namespace fairlead::control {
namespace {

using model::AttemptState;
using model::Verdict;
using model::WorkloadState;
using testing::actAndWait;
using testing::action;
using testing::FakeEngine;
using testing::fakeNode;
using testing::Harness;
using testing::specDocument;
using testing::submission;
using testing::submitAndWait;
using testing::waitFor;
using testing::waitUntil;

constexpr EngineAbilities kAll{true, true, true, true, true};

std::shared_ptr<FakeEngine> hpc(int devices = 4, EngineAbilities abilities = kAll) {
  return std::make_shared<FakeEngine>(std::vector{fakeNode("c1", devices)}, "hpc", abilities);
}

Result<void> connect(Control& control, std::shared_ptr<EnginePort> engine, model::ClusterTerms terms) {
  return waitFor([&](auto reply) { control.connect(std::move(engine), std::move(terms), std::move(reply)); });
}
Result<void> setTerms(Control& control, model::ClusterTerms terms) {
  return waitFor([&](auto reply) { control.setTerms("hpc", std::move(terms), std::move(reply)); });
}
Result<void> disconnect(Control& control) {
  return waitFor([&](auto reply) { control.disconnect("hpc", std::move(reply)); });
}

/// A workload that has one attempt on hpc, which its engine holds but has not started.
struct Waiting {
  store::MemoryStore store;
  Harness h{store, 0};
  std::shared_ptr<FakeEngine> engine;
  model::WorkloadId id;
  model::AttemptId attempt;

  explicit Waiting(EngineAbilities abilities = kAll) : engine(hpc(4, abilities)) {
    EXPECT_TRUE(connect(h.control(), engine, {.governsAll = true}));
    id = submitAndWait(h.control(), submission(specDocument()))->first;
    EXPECT_TRUE(waitUntil([&] { return engine->startsOf(h.row(id).currentAttempt) > 0; }));
    attempt = h.row(id).currentAttempt;
    model::Observation accepted;
    accepted.attempt = attempt;
    accepted.kind = model::ObservationKind::accepted;
    accepted.reason = "Priority: others are before it";
    engine->report(std::move(accepted));
    EXPECT_TRUE(waitUntil([&] { return h.attempt(attempt).state == AttemptState::accepted; }));
  }
  ~Waiting() { h.control().stop(); }
};

TEST(Clusters, oneThatIsOnlyLookedAtTakesNothing) {
  store::MemoryStore store;
  Harness h(store, 0);
  const auto engine = hpc();
  ASSERT_TRUE(connect(h.control(), engine, {}));
  const auto id = submitAndWait(h.control(), submission(specDocument()))->first;
  Verdict verdict{};
  ASSERT_TRUE(waitUntil([&] {
    const auto why = h.control().explain(id);
    verdict = why->decision.verdict;
    return verdict == Verdict::denied;
  }));
  EXPECT_EQ(h.control().explain(id)->decision.reasons.at(0),
            (model::Reason{model::ReasonCode::notGoverned, {std::string("nlp"), std::string("hpc")}}));
  EXPECT_TRUE(engine->orders().empty());
}

TEST(Clusters, governingIsSwitchedOnForAProjectAndOffAgain) {
  store::MemoryStore store;
  Harness h(store, 0);
  const auto engine = hpc(2);
  ASSERT_TRUE(connect(h.control(), engine, {}));
  ASSERT_TRUE(setTerms(h.control(), {.projects = {"nlp"}}));
  const auto ours = submitAndWait(h.control(), submission(specDocument(), "a", "nlp"))->first;
  const auto others = submitAndWait(h.control(), submission(specDocument(1, 1, 1), "b", "vision"))->first;
  ASSERT_TRUE(waitUntil([&] { return !engine->orders().empty(); }));
  EXPECT_EQ(h.stateOf(others), WorkloadState::queued);
  const auto attempt = h.row(ours).currentAttempt;
  engine->started(attempt, h.clock().now());
  ASSERT_TRUE(h.reaches(ours, WorkloadState::running));
  ASSERT_TRUE(setTerms(h.control(), {}));
  const auto late = submitAndWait(h.control(), submission(specDocument(), "c", "nlp"))->first;
  ASSERT_TRUE(waitUntil([&] { return h.control().explain(late)->decision.verdict == Verdict::denied; }));
  EXPECT_EQ(h.stateOf(ours), WorkloadState::running);
  EXPECT_TRUE(engine->otherIntents().empty()) << "nothing that runs is touched";
  EXPECT_EQ(engine->orders().size(), 1U);
}

TEST(Clusters, aNameIsConnectedOnceAndGoesOnlyWithoutWorkOfOurs) {
  Waiting w;
  EXPECT_EQ(connect(w.h.control(), hpc(), {}).error().code, &kClusterKnown);
  EXPECT_EQ(disconnect(w.h.control()).error().code, &kAttemptsLive);
  w.engine->started(w.attempt, w.h.clock().now());
  w.engine->ended(w.attempt, w.h.clock().now());
  ASSERT_TRUE(w.h.reaches(w.id, WorkloadState::succeeded));
  ASSERT_TRUE(disconnect(w.h.control()));
  EXPECT_TRUE(w.h.control().read([](const State& s) { return !s.clusters().contains("hpc"); }));
  EXPECT_EQ(disconnect(w.h.control()).error().code, &kNoEngine);
}

TEST(Clusters, nativeJobsOfOneThatIsGoneAreUnknownAndComeBackWithIt) {
  store::MemoryStore store;
  Harness h(store, 0);
  auto engine = hpc();
  ASSERT_TRUE(connect(h.control(), engine, {}));
  model::NativeJob job;
  job.origin = {"hpc", "7", "nlp", "gpu", "", "RUNNING", "", 1};
  job.submittedAt = job.startedAt = h.clock().now();
  job.name = "theirs";
  job.user = "bo";
  job.project = "nlp";
  job.spec = specDocument();
  job.state = WorkloadState::running;
  engine->tellNative({job});
  const auto known = [&] { return h.control().read([](const State& s) { return s.nativeWorkload("hpc", "7"); }); };
  ASSERT_TRUE(waitUntil([&] { return known().value != 0; }));
  ASSERT_TRUE(disconnect(h.control()));
  EXPECT_EQ(h.stateOf(known()), WorkloadState::unknown);
  auto again = hpc();
  ASSERT_TRUE(connect(h.control(), again, {}));
  again->tellNative({job});
  EXPECT_TRUE(h.reaches(known(), WorkloadState::running));
}

TEST(Clusters, whatWasDecidedForAClusterGoesOutWhenItIsConnectedAgain) {
  store::MemoryStore store;
  model::WorkloadId id;
  {
    Harness h(store, 0);
    auto engine = hpc();
    engine->setDown(true);
    ASSERT_TRUE(connect(h.control(), engine, {.governsAll = true}));
    id = submitAndWait(h.control(), submission(specDocument()))->first;
    ASSERT_TRUE(h.reaches(id, WorkloadState::starting));
    h.control().stop();
  }
  Harness next(store, 0);
  auto engine = hpc();
  ASSERT_TRUE(connect(next.control(), engine, {}));
  EXPECT_TRUE(waitUntil([&] { return engine->startsOf(next.row(id).currentAttempt) == 1; }));
  EXPECT_EQ(engine->known().size(), 1U);
}

TEST(Adjustments, holdAndPriorityOfWhatWaitsThereAreTheEngines) {
  Waiting w;
  const auto held = actAndWait(w.h.control(), action(ActionKind::hold, w.id));
  ASSERT_TRUE(held && held->adjustment);
  EXPECT_EQ(held->adjustment->kind, AdjustKind::hold);
  ASSERT_TRUE(w.h.control().adjust(*held->adjustment));
  const auto raised = actAndWait(w.h.control(), action(ActionKind::setPriority, w.id, 50));
  ASSERT_TRUE(raised && raised->adjustment);
  EXPECT_EQ(raised->adjustment->value, 50);
  EXPECT_EQ(w.h.row(w.id).priority, 50);
  EXPECT_EQ(w.engine->adjustments().size(), 1U);
  EXPECT_EQ(w.h.control().explain(w.id)->decision.reasons.at(0).code, model::ReasonCode::nativeWaits);
}

TEST(Adjustments, whatTheEngineRefusesIsTheAnswerAndAnEvent) {
  Waiting w;
  w.engine->started(w.attempt, w.h.clock().now());
  ASSERT_TRUE(w.h.reaches(w.id, WorkloadState::running));
  w.engine->setDown(true);
  const auto asked = actAndWait(w.h.control(), action(ActionKind::suspend, w.id));
  ASSERT_TRUE(asked && asked->adjustment);
  EXPECT_FALSE(w.h.control().adjust(*asked->adjustment));
  const auto told = [&] {
    bool found = false;
    EXPECT_TRUE(w.store.readEvents(0, {}, [&](const auto& event) {
      found |= event.kind == "workload.adjust-refused" && event.detail == "suspend: down";
      return true;
    }));
    return found;
  };
  EXPECT_TRUE(waitUntil(told));
}

TEST(Adjustments, anEngineThatCannotSaysSoBeforeAnythingIsAsked) {
  Waiting w(EngineAbilities{});
  EXPECT_EQ(actAndWait(w.h.control(), action(ActionKind::setTimeLimit, w.id, 1'000)).error().code, &kEngineCannot);
  w.engine->started(w.attempt, w.h.clock().now());
  ASSERT_TRUE(w.h.reaches(w.id, WorkloadState::running));
  EXPECT_EQ(actAndWait(w.h.control(), action(ActionKind::suspend, w.id)).error().code, &kEngineCannot);
  EXPECT_EQ(w.h.control().orderNode("hpc", {"c1", true, "fans"}).error().code, &kEngineCannot);
  EXPECT_EQ(w.h.control().orderNode("moon", {"c1", true, "fans"}).error().code, &kNoEngine);
}

}  // namespace
}  // namespace fairlead::control
