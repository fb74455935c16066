// Dependencies, arrays, model versions, requeue and event listeners.
#include <fairlead/control/control.hpp>
#include <fairlead/control/errors.hpp>
#include <fairlead/control/testing/harness.hpp>
#include <fairlead/store/memory.hpp>

#include <gtest/gtest.h>

namespace fairlead::control {
namespace {

using model::FailureCategory;
using model::WorkloadState;
using testing::actAndWait;
using testing::action;
using testing::Harness;
using testing::specDocument;
using testing::submission;
using testing::submitAndWait;
using testing::waitUntil;

std::shared_ptr<model::SpecDocument> dependsOn(model::WorkloadId id, model::Dependency::Condition condition) {
  auto spec = specDocument(1, 1, static_cast<std::uint8_t>(10 + 4 * id.value + static_cast<std::uint64_t>(condition)));
  spec->spec.dependencies.push_back({toText(id), condition});
  return spec;
}

TEST(Dependencies, startWhenFulfilledAndFailWhenInVain) {
  store::MemoryStore store;
  Harness h(store, 4);
  const auto [first, attempt] = h.startOne(specDocument());
  const auto good =
      submitAndWait(h.control(), submission(dependsOn(first, model::Dependency::Condition::succeeded)))->first;
  const auto vain =
      submitAndWait(h.control(), submission(dependsOn(first, model::Dependency::Condition::failed)))->first;
  EXPECT_EQ(h.control().explain(good)->decision.reasons.at(0).code, model::ReasonCode::dependencyOpen);
  EXPECT_EQ(h.row(good).attempts, 0U);
  h.engine().ended(attempt, h.clock().now());
  h.awaitAttempt(good, 1);
  ASSERT_TRUE(h.reaches(vain, WorkloadState::failed));
  EXPECT_NE(h.row(vain).message.find("can no longer become failed"), std::string::npos);
}

TEST(Dependencies, onNothingAreRefused) {
  store::MemoryStore store;
  Harness h(store, 0);
  const auto reply = submitAndWait(h.control(), submission(dependsOn({99}, model::Dependency::Condition::finished)));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, &kDependency);
  EXPECT_EQ(reply.error().field, "spec.dependencies[0]");
}

TEST(Arrays, areOneRecordUntilElementsStart) {
  store::MemoryStore store;
  Harness h(store, 2);
  auto spec = specDocument();
  spec->spec.array = model::ArrayRule{{{5, 9, 2}}, 2};
  const auto array = submitAndWait(h.control(), submission(spec))->first;
  ASSERT_TRUE(waitUntil([&] { return h.engine().orders().size() == 2; }));
  EXPECT_EQ(h.control().read([](const State& s) { return s.workloadCount(); }), 3U);
  EXPECT_EQ(h.stateOf(array), WorkloadState::queued);
  auto orders = h.engine().orders();
  EXPECT_EQ(orders[0].workload.arrayIndex, 5);
  EXPECT_EQ(orders[1].workload.name, "job[7]");
  h.engine().ended(orders[0].attempt.id, h.clock().now());
  ASSERT_TRUE(waitUntil([&] { return h.engine().orders().size() == 3; }));
  EXPECT_TRUE(h.reaches(array, WorkloadState::running));
  orders = h.engine().orders();
  h.engine().ended(orders[1].attempt.id, h.clock().now(), FailureCategory::applicationExit, 1);
  h.engine().ended(orders[2].attempt.id, h.clock().now());
  EXPECT_TRUE(h.reaches(array, WorkloadState::failed)) << "one element failed";
}

TEST(Arrays, aCancelReachesTheElementsAndTheRestNeverStarts) {
  store::MemoryStore store;
  Harness h(store, 1);
  auto spec = specDocument();
  spec->spec.array = model::ArrayRule{{{0, 99, 1}}, 0};
  const auto array = submitAndWait(h.control(), submission(spec))->first;
  ASSERT_TRUE(waitUntil([&] { return h.engine().orders().size() == 1; }));
  ASSERT_TRUE(actAndWait(h.control(), action(ActionKind::cancel, array)));
  ASSERT_TRUE(waitUntil([&] { return h.engine().otherIntents().size() == 1; }));
  h.engine().ended(h.engine().orders()[0].attempt.id, h.clock().now(), FailureCategory::cancelled);
  EXPECT_TRUE(h.reaches(array, WorkloadState::cancelled));
  EXPECT_EQ(h.engine().orders().size(), 1U);
}

TEST(Arrays, aCancelEndsAnArrayWhoseElementsAllWait) {
  store::MemoryStore store;
  Harness h(store, 1);
  auto spec = specDocument();
  spec->spec.array = model::ArrayRule{{{0, 1, 1}}, 1};
  const auto array = submitAndWait(h.control(), submission(spec))->first;
  ASSERT_TRUE(waitUntil([&] { return h.engine().orders().size() == 1; }));
  const auto first = h.engine().orders()[0];
  h.engine().ended(first.attempt.id, h.clock().now(), FailureCategory::engineLost);  // waits out its back-off
  ASSERT_TRUE(h.reaches(first.workload.id, WorkloadState::queued));
  ASSERT_TRUE(actAndWait(h.control(), action(ActionKind::cancel, array)));
  EXPECT_EQ(h.stateOf(first.workload.id), WorkloadState::cancelled);
  EXPECT_EQ(h.stateOf(array), WorkloadState::cancelled);
}

TEST(Models, anOutputBecomesAVersionAndAnotherWorkloadGetsIt) {
  store::MemoryStore store;
  Harness h(store, 2);
  auto maker = specDocument();
  maker->spec.outputs.push_back({"model", "out/model", model::OutputRule::Kind::model, "bert", {}});
  const auto [id, attempt] = h.startOne(maker);
  model::Observation end;
  end.attempt = attempt;
  end.kind = model::ObservationKind::ended;
  end.at = h.clock().now();
  end.outputs.push_back({"model", "file:///artifacts/x", {7}, {123}, {{"loss", "1.5"}}, {}});
  h.engine().report(end);
  ASSERT_TRUE(h.reaches(id, WorkloadState::succeeded));
  auto user = specDocument(1, 1, 1);
  user->spec.model = model::ModelInput{"bert", 1};
  h.startOne(user);
  EXPECT_EQ(h.engine().orders().back().modelUri, "file:///artifacts/x");
  EXPECT_EQ(h.engine().orders().back().modelDigest, model::Digest{7});
  user = specDocument(1, 1, 2);
  user->spec.model = model::ModelInput{"bert", 2};
  EXPECT_EQ(submitAndWait(h.control(), submission(user)).error().code, &kModelUnknown);
}

TEST(Requeue, sendsARunningWorkloadBackWithoutTakingFromItsBudget) {
  store::MemoryStore store;
  Harness h(store, 1);
  const auto [id, attempt] = h.startOne(specDocument());
  h.engine().started(attempt, h.clock().now());
  ASSERT_TRUE(h.reaches(id, WorkloadState::running));
  ASSERT_TRUE(actAndWait(h.control(), action(ActionKind::requeue, id)));
  h.engine().ended(attempt, h.clock().now(), FailureCategory::cancelled);
  h.awaitAttempt(id, 2);
  for (const auto used : h.row(id).failures) EXPECT_EQ(used, 0);
}

TEST(Events, aListenerGetsWhatItMissedThenWhatComesOfItsProject) {
  store::MemoryStore store;
  ControlOptions options;
  options.eventsInMemory = 2;
  Harness h(store, 0, options);
  for (int i = 0; i < 5; ++i)
    ASSERT_TRUE(submitAndWait(h.control(), submission(specDocument(), "a", i % 2 == 0 ? "nlp" : "vision")));
  std::mutex mutex;
  std::vector<std::uint64_t> seen;
  const auto outcome = h.control().events().subscribe("nlp", 0, [&](const model::Event& event) {
    const std::lock_guard lock(mutex);
    seen.push_back(event.sequence);
    return true;
  });
  ASSERT_TRUE(outcome);
  EXPECT_EQ(*outcome, SubscribeOutcome::live);
  ASSERT_TRUE(submitAndWait(h.control(), submission(specDocument())));
  const std::lock_guard lock(mutex);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 3, 5, 6}));
}

// A commit is durable before it is published: in between, the store knows more than the hub.
TEST(Events, aListenerThatComesBetweenCommitAndPublishingGetsEachEventOnce) {
  store::MemoryStore store;
  ChangeSet changes;
  for (std::uint64_t i = 1; i <= 6; ++i) changes.events.push_back({i, {}, "workload.queued", "nlp", {i}, {}, {}});
  ASSERT_TRUE(store.commit(changes));
  EventHub hub(store, 100);
  hub.reset(3, 1);
  std::vector<std::uint64_t> seen;
  const auto outcome = hub.subscribe({}, 1, [&](const model::Event& event) {
    seen.push_back(event.sequence);
    return true;
  });
  ASSERT_TRUE(outcome);
  EXPECT_EQ(*outcome, SubscribeOutcome::live);
  hub.publish({changes.events.begin() + 3, changes.events.end()});
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{2, 3, 4, 5, 6}));
}

TEST(Events, aListenerFromBehindTheRetentionIsToldToReadAgain) {
  store::MemoryStore store;
  ControlOptions options;
  options.eventsInMemory = 2;
  Harness h(store, 0, options);
  h.control().events().dropped(3);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(submitAndWait(h.control(), submission(specDocument())));
  EXPECT_EQ(*h.control().events().subscribe({}, 0, [](const auto&) { return true; }), SubscribeOutcome::tooOld);
  EXPECT_EQ(*h.control().events().subscribe({}, 99, [](const auto&) { return true; }), SubscribeOutcome::tooOld);
  EXPECT_EQ(h.control().events().listeners(), 0U);
}

}  // namespace
}  // namespace fairlead::control
