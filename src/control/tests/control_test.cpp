// The core on a memory store and a fake engine: every command durable before it is answered, every fact taken once.
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

struct Rows {
  std::vector<model::Event> events;
  std::vector<model::AuditRecord> audits;
  std::vector<model::Posting> postings;
};

Rows rowsOf(StorePort& store) {
  Rows rows;
  EXPECT_TRUE(store.readEvents(0, {}, [&](const auto& e) { return rows.events.push_back(e), true; }));
  EXPECT_TRUE(store.readAudit(1, [&](const auto& a) { return rows.audits.push_back(a), true; }));
  EXPECT_TRUE(store.readPostings({{0}, {INT64_MAX / 2}, {}, {}},
                                 [&](const auto& p) { return rows.postings.push_back(p), true; }));
  return rows;
}

std::size_t openIntents(StorePort& store) {
  std::size_t open = 0;
  LoadSink sink;
  sink.spec = [](auto&&) {};
  sink.workload = [](auto&&) {};
  sink.attempt = [](auto&&) {};
  sink.intent = [&](auto&&) { ++open; };
  sink.version = [](auto&&) {};
  sink.idempotency = [](auto&&) {};
  EXPECT_TRUE(store.load(sink));
  return open;
}

std::int64_t postedMilliMs(const Rows& rows, model::PostingCategory category) {
  std::int64_t sum = 0;
  for (const auto& p : rows.postings)
    if (p.category == category) sum += (p.devices * (p.to - p.from)).count;
  return sum;
}

TEST(Control, aSubmissionIsDurableWithAuditAndEventWhenItIsAnswered) {
  store::MemoryStore store;
  Harness h(store, 0);
  const auto reply = submitAndWait(h.control(), submission(specDocument()));
  ASSERT_TRUE(reply);
  const auto rows = rowsOf(store);
  ASSERT_EQ(rows.audits.size(), 1U);
  EXPECT_EQ(rows.audits[0].action, "workload.submit");
  EXPECT_EQ(rows.audits[0].object, toText(reply->first));
  EXPECT_EQ(rows.audits[0].rule, "role member of project nlp");
  ASSERT_EQ(rows.events.size(), 1U);
  EXPECT_EQ(rows.events[0].kind, "workload.queued");
  EXPECT_EQ(h.stateOf(reply->first), WorkloadState::queued);
}

TEST(Control, aFailedCommitChangesNothingAndTheNextOneWorks) {
  store::MemoryStore store;
  Harness h(store, 0);
  store.failNextCommit();
  const auto failed = submitAndWait(h.control(), submission(specDocument()));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, &kNotStored);
  EXPECT_NE(h.control().trouble(), "");
  EXPECT_EQ(h.control().read([](const State& s) { return s.workloadCount(); }), 0U);
  const auto good = submitAndWait(h.control(), submission(specDocument()));
  ASSERT_TRUE(good);
  EXPECT_EQ(good->first.value, 1U);
  EXPECT_EQ(h.control().trouble(), "");
}

TEST(Control, anIdempotencyKeyGivesTheFirstAnswerAgainAlsoAfterARestart) {
  store::MemoryStore store;
  auto command = submission(specDocument());
  command.idempotency = IdempotencyKey{{1}, {2}};
  model::WorkloadId first;
  {
    Harness h(store, 0);
    first = submitAndWait(h.control(), command)->first;
    const auto again = submitAndWait(h.control(), command);
    EXPECT_TRUE(again->repeated);
    EXPECT_EQ(again->first, first);
  }
  Harness h(store, 0);
  EXPECT_EQ(submitAndWait(h.control(), command)->first, first);
  command.idempotency->body = {3};
  EXPECT_EQ(submitAndWait(h.control(), command).error().code, &kIdempotencyMismatch);
  EXPECT_EQ(h.control().read([](const State& s) { return s.workloadCount(); }), 1U);
}

TEST(Control, runsAWorkloadFromSubmitToLedger) {
  store::MemoryStore store;
  Harness h(store);
  const auto [id, attempt] = h.startOne(specDocument(1, 2));
  h.clock().advance(1'000);
  h.engine().started(attempt, h.clock().now());
  ASSERT_TRUE(h.reaches(id, WorkloadState::running));
  h.clock().advance(60'000);
  h.engine().ended(attempt, h.clock().now());
  ASSERT_TRUE(h.reaches(id, WorkloadState::succeeded));
  ASSERT_TRUE(waitUntil([&] { return h.engine().settledAttempts().size() == 1; }));
  const auto rows = rowsOf(store);
  EXPECT_EQ(postedMilliMs(rows, model::PostingCategory::used), 2 * 1000 * 60'000);
  EXPECT_EQ(postedMilliMs(rows, model::PostingCategory::overhead), 2 * 1000 * 1'000);
  EXPECT_TRUE(h.control().read([](const State& s) { return s.liveAttempts().empty() && s.openIntents().empty(); }));
}

TEST(Control, takesRepeatedAndLateFactsOnce) {
  store::MemoryStore store;
  Harness h(store);
  const auto [id, attempt] = h.startOne(specDocument());
  h.engine().started(attempt, h.clock().now());
  ASSERT_TRUE(h.reaches(id, WorkloadState::running));
  model::Observation end;
  end.attempt = attempt;
  end.kind = model::ObservationKind::ended;
  end.at = h.clock().now();
  end.sequence = 10;
  h.engine().report(end);
  h.engine().report(end);
  end.sequence = 11;
  end.category = FailureCategory::nodeLost;
  h.engine().report(end);
  const auto probe = submitAndWait(h.control(), submission(specDocument()));  // behind all three in the inbox
  ASSERT_TRUE(probe);
  EXPECT_EQ(h.stateOf(id), WorkloadState::succeeded);
  EXPECT_EQ(h.attempt(attempt).failure, FailureCategory::none);
}

TEST(Control, retriesACoveredFailureAfterBackOffAndStopsWhenTheBudgetIsSpent) {
  store::MemoryStore store;
  Harness h(store);
  auto spec = specDocument();
  spec->spec.retry.limit = 1;
  const auto [id, first] = h.startOne(spec);
  h.engine().started(first, h.clock().now());
  h.engine().ended(first, h.clock().now(), FailureCategory::engineLost);
  ASSERT_TRUE(h.reaches(id, WorkloadState::queued));
  EXPECT_EQ(h.row(id).notBefore, h.clock().now() + Milliseconds{1'000});
  EXPECT_EQ(h.control().explain(id)->decision.reasons.at(0).code, model::ReasonCode::backoff);
  h.clock().advance(1'000);
  const auto second = h.awaitAttempt(id, 2);
  EXPECT_NE(second, first);
  h.engine().ended(second, h.clock().now(), FailureCategory::engineLost);
  ASSERT_TRUE(h.reaches(id, WorkloadState::failed));
  EXPECT_EQ(h.row(id).failure, FailureCategory::engineLost);
}

TEST(Control, anUncoveredFailureIsFinal) {
  store::MemoryStore store;
  Harness h(store);
  const auto [id, attempt] = h.startOne(specDocument());
  h.engine().ended(attempt, h.clock().now(), FailureCategory::applicationExit, 3);
  ASSERT_TRUE(h.reaches(id, WorkloadState::failed));
  EXPECT_EQ(h.row(id).message, "exit (rank 0 exited with 3)");
}

TEST(Control, lostWorkIsWhatCameAfterTheNewestCheckpoint) {
  store::MemoryStore store;
  Harness h(store);
  const auto [id, attempt] = h.startOne(specDocument(1, 1));
  h.engine().started(attempt, h.clock().now());
  ASSERT_TRUE(h.reaches(id, WorkloadState::running));
  const auto start = h.clock().now();
  h.clock().advance(100'000);
  model::Observation end;
  end.attempt = attempt;
  end.kind = model::ObservationKind::lost;
  end.category = FailureCategory::nodeLost;
  end.at = h.clock().now();
  end.checkpoint = "/ckpt/7";
  end.checkpointAt = start + Milliseconds{60'000};
  h.engine().report(end);
  ASSERT_TRUE(h.reaches(id, WorkloadState::queued));
  const auto rows = rowsOf(store);
  EXPECT_EQ(postedMilliMs(rows, model::PostingCategory::used), 1000 * 60'000);
  EXPECT_EQ(postedMilliMs(rows, model::PostingCategory::lost), 1000 * 40'000);
  EXPECT_EQ(h.row(id).avoidNodes, std::vector<std::string>{"n1"});
}

TEST(Control, cancelsWhatWaitsAtOnceAndWhatRunsThroughTheEngine) {
  store::MemoryStore store;
  Harness h(store, 1);
  const auto [running, attempt] = h.startOne(specDocument());
  const auto waiting = submitAndWait(h.control(), submission(specDocument()))->first;
  EXPECT_EQ(actAndWait(h.control(), action(ActionKind::cancel, waiting))->state, WorkloadState::cancelled);
  h.engine().started(attempt, h.clock().now());
  ASSERT_TRUE(h.reaches(running, WorkloadState::running));
  EXPECT_EQ(actAndWait(h.control(), action(ActionKind::cancel, running))->state, WorkloadState::stopping);
  EXPECT_FALSE(actAndWait(h.control(), action(ActionKind::cancel, running))->changed);
  ASSERT_TRUE(waitUntil([&] { return h.engine().otherIntents().size() == 1; }));
  EXPECT_EQ(toText(h.engine().otherIntents()[0].id), toText(attempt) + ".stop.0");
  h.engine().ended(attempt, h.clock().now(), FailureCategory::cancelled);
  ASSERT_TRUE(h.reaches(running, WorkloadState::cancelled));
  EXPECT_EQ(actAndWait(h.control(), action(ActionKind::hold, running)).error().code, &kNotAllowedInState);
}

TEST(Control, anEngineThatIsDownGetsTheSameIntentAgain) {
  store::MemoryStore store;
  ControlOptions options;
  options.engineRetry = {10};
  Harness h(store, 1, options);
  h.engine().setDown(true);
  const auto id = submitAndWait(h.control(), submission(specDocument()))->first;
  ASSERT_TRUE(h.reaches(id, WorkloadState::starting));
  EXPECT_TRUE(h.engine().orders().empty());
  h.engine().setDown(false);
  const auto attempt = h.awaitAttempt(id, 1);
  EXPECT_EQ(h.engine().startsOf(attempt), 1);
}

TEST(Control, afterARestartOpenIntentsGoOutAgainAndLiveAttemptsAreKnown) {
  store::MemoryStore store;
  model::WorkloadId running, starting;
  model::AttemptId runningAttempt;
  {
    Harness h(store, 2);
    std::tie(running, runningAttempt) = h.startOne(specDocument());
    h.engine().started(runningAttempt, h.clock().now());
    ASSERT_TRUE(h.reaches(running, WorkloadState::running));
    h.engine().setDown(true);
    starting = submitAndWait(h.control(), submission(specDocument()))->first;
    ASSERT_TRUE(h.reaches(starting, WorkloadState::starting));
  }
  Harness h(store, 2);
  EXPECT_EQ(h.awaitAttempt(starting, 1), h.row(starting).currentAttempt);
  EXPECT_EQ(h.engine().startsOf(runningAttempt), 0) << "its start intent was done before";
  const auto known = h.engine().known();
  EXPECT_EQ(known.size(), 2U);
  EXPECT_EQ(h.stateOf(running), WorkloadState::running);
}

TEST(Control, anOpenIntentOfAnEndedAttemptIsClosedAfterARestart) {
  store::MemoryStore store;
  {
    Harness h(store, 1);
    h.engine().setDown(true);
    const auto id = submitAndWait(h.control(), submission(specDocument()))->first;
    ASSERT_TRUE(h.reaches(id, WorkloadState::starting));
    h.engine().ended(h.row(id).currentAttempt, h.clock().now());
    ASSERT_TRUE(h.reaches(id, WorkloadState::succeeded));
    ASSERT_EQ(openIntents(store), 1U) << "its try failed, and the daemon ended before another";
  }
  Harness h(store, 1);
  EXPECT_TRUE(waitUntil([&] { return openIntents(store) == 0; }));
  EXPECT_TRUE(h.engine().orders().empty());
}

TEST(Control, unknownKeepsItsDevicesUntilThereIsEvidence) {
  store::MemoryStore store;
  Harness h(store, 1);
  const auto [id, attempt] = h.startOne(specDocument());
  h.engine().started(attempt, h.clock().now());
  model::Observation fact;
  fact.attempt = attempt;
  fact.at = h.clock().now();
  fact.kind = model::ObservationKind::unreachable;
  h.engine().report(fact);
  ASSERT_TRUE(h.reaches(id, WorkloadState::unknown));
  const auto second = submitAndWait(h.control(), submission(specDocument()))->first;
  const auto why = h.control().explain(second);
  EXPECT_EQ(why->decision.reasons.at(0).code, model::ReasonCode::devicesShort);
  fact.kind = model::ObservationKind::alive;
  fact.sequence = 0;
  h.engine().report(fact);
  EXPECT_TRUE(h.reaches(id, WorkloadState::running));
}

TEST(Control, aDeviceOfAnotherVendorWithTheSameIndexStaysFree) {
  store::MemoryStore store;
  Harness h(store, 1);
  auto node = testing::fakeNode("n1", 1);
  node.devices.push_back(node.devices[0]);
  node.devices[1].vendor = "huawei";
  node.devices[1].model = "ascend-910b";
  h.engine().changeNodes({node});
  auto ascend = specDocument(1, 1, 1);
  ascend->spec.roles[0].devices[0].model = "ascend-910b";
  h.startOne(ascend);
  h.startOne(specDocument(1, 1, 2));
  EXPECT_EQ(h.engine().orders().size(), 2U);
}

TEST(Control, anEmptyBatchMakesNothingAlsoBehindALongQueue) {
  store::MemoryStore store;
  ControlOptions options;
  options.policy.depth = 1;
  Harness h(store, 0, options);
  ASSERT_TRUE(waitUntil([&] { return h.control().stats().plans > 0; }));
  ASSERT_TRUE(submitAndWait(h.control(), submission(specDocument())));
  const auto before = h.control().stats().plans;
  ASSERT_TRUE(submitAndWait(h.control(), submission(specDocument())));
  ASSERT_TRUE(waitUntil([&] { return h.control().stats().plans > before; }));
  SubmitCommand command;
  command.actor = testing::someone();
  const auto reply = submitAndWait(h.control(), command);
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->count, 0U);
}

TEST(Control, ifMatchRefusesAnOldRevision) {
  store::MemoryStore store;
  Harness h(store, 0);
  const auto id = submitAndWait(h.control(), submission(specDocument()))->first;
  auto command = action(ActionKind::hold, id);
  command.ifMatch = 1;
  ASSERT_TRUE(actAndWait(h.control(), command));
  command.kind = ActionKind::release;
  EXPECT_EQ(actAndWait(h.control(), command).error().code, &kRevisionMismatch);
}

}  // namespace
}  // namespace fairlead::control
