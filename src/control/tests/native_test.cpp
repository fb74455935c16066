// Jobs that people start on a cluster themselves: seen, counted and charged, never touched.
#include <fairlead/control/errors.hpp>
#include <fairlead/control/testing/harness.hpp>
#include <fairlead/store/memory.hpp>

#include <gtest/gtest.h>

namespace fairlead::control {
namespace {

using model::FailureCategory;
using model::NativeJob;
using model::WorkloadState;
using testing::actAndWait;
using testing::action;
using testing::Harness;
using testing::specDocument;
using testing::submission;
using testing::submitAndWait;
using testing::waitUntil;

constexpr TimePoint kSubmitted{1'799'999'000'000};

/// Job 7 of alice: two whole devices of n1 when it runs.
NativeJob job(WorkloadState state, std::string word = "PENDING") {
  NativeJob job;
  job.origin = {"local", "7", "research", "gpu", "normal", std::move(word), "Resources", 1};
  job.submittedAt = kSubmitted;
  job.name = "bert";
  job.user = "alice";
  job.project = "research";
  job.spec = specDocument(1, 2, 77);
  job.state = state;
  return job;
}

NativeJob running(TimePoint since, std::uint32_t run = 1) {
  auto told = job(WorkloadState::running, "RUNNING");
  told.run = run;
  told.startedAt = since;
  model::MemberPlacement member;
  member.node = "n1";
  member.vendor = "nvidia";
  member.model = "h100-sxm5-80gb";
  member.devices = {{0, {1000}}, {1, {1000}}};
  told.placement = {member};
  return told;
}

NativeJob ended(NativeJob told, TimePoint at, FailureCategory failure = FailureCategory::none) {
  told.state = failure == FailureCategory::none ? WorkloadState::succeeded : WorkloadState::failed;
  told.origin.state = failure == FailureCategory::none ? "COMPLETED" : "FAILED";
  told.endedAt = at;
  told.failure = failure;
  return told;
}

class Natives : public ::testing::Test {
 protected:
  /// Tells, and waits until the core has taken it in.
  void tell(std::vector<NativeJob> jobs) {
    h_.engine().tellNative(std::move(jobs));
    // The inbox is taken in order: a command behind the news is answered after it.
    ASSERT_FALSE(actAndWait(h_.control(), action(ActionKind::hold, {1'000'000})));
  }
  model::WorkloadId id() {
    return h_.control().read([](const State& s) { return s.nativeWorkload("local", "7"); });
  }
  MilliDevices freeDevices() {
    return h_.control().read([](const State& s) {
      MilliDevices sum;
      for (const auto& node : s.snapshot(10).nodes)
        for (const auto free : node.deviceFree) sum += free;
      return sum;
    });
  }
  std::vector<model::Posting> postings() {
    std::vector<model::Posting> rows;
    const auto read = store_.readPostings({{0}, {}, {}, {}}, [&](const model::Posting& row) {
      rows.push_back(row);
      return true;
    });
    EXPECT_TRUE(read);
    return rows;
  }
  std::uint64_t revision() { return h_.row(id()).revision; }

  store::MemoryStore store_;
  Harness h_{store_, 4};
};

TEST_F(Natives, areInTheCatalogueButNotInOurQueue) {
  tell({job(WorkloadState::queued)});
  ASSERT_TRUE(id());
  const auto row = h_.row(id());
  EXPECT_EQ(row.name, "bert");
  EXPECT_EQ(row.project, "research");
  EXPECT_EQ(row.submitter, "alice");
  EXPECT_EQ(row.state, WorkloadState::queued);
  EXPECT_EQ(row.submittedAt, kSubmitted);
  EXPECT_EQ(h_.control().read([](const State& s) { return s.queueLength(); }), 0U);
  EXPECT_TRUE(h_.engine().orders().empty());
  const auto why = h_.control().explain(id());
  ASSERT_TRUE(why);
  EXPECT_EQ(why->decision.reasons.at(0).code, model::ReasonCode::nativeWaits);
  EXPECT_NE(model::render(why->decision.reasons.at(0)).find("Resources"), std::string::npos);
}

TEST_F(Natives, holdWhatTheyWereGivenAndAreCharged) {
  const auto start = h_.clock().now();
  tell({running(start)});
  EXPECT_EQ(h_.stateOf(id()), WorkloadState::running);
  EXPECT_EQ(freeDevices(), MilliDevices{2'000});
  h_.clock().advance(60'000);
  tell({ended(running(start), h_.clock().now())});
  EXPECT_EQ(h_.stateOf(id()), WorkloadState::succeeded);
  EXPECT_EQ(freeDevices(), MilliDevices{4'000});
  const auto rows = postings();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].user, "alice");
  EXPECT_EQ(rows[0].project, "research");
  EXPECT_EQ(rows[0].category, model::PostingCategory::used);
  EXPECT_EQ(rows[0].devices, MilliDevices{2'000});
  EXPECT_EQ((rows[0].to - rows[0].from).count, 60'000);
}

TEST_F(Natives, toldAgainChangeNothing) {
  const auto start = h_.clock().now();
  tell({job(WorkloadState::queued), job(WorkloadState::queued)});
  EXPECT_EQ(h_.control().read([](const State& s) { return s.workloadCount(); }), 1U);
  tell({running(start)});
  const auto before = revision();
  tell({running(start), running(start)});
  EXPECT_EQ(revision(), before);
  tell({ended(running(start), start + Milliseconds{5})});
  const auto after = revision();
  tell({ended(running(start), start + Milliseconds{5}), running(start), job(WorkloadState::queued)});
  EXPECT_EQ(revision(), after) << "late news of what has ended";
  EXPECT_EQ(postings().size(), 1U);
}

TEST_F(Natives, thatWereNeverSeenRunningAreChargedFromTheirStart) {
  const auto start = h_.clock().now();
  h_.clock().advance(90'000);
  tell({ended(running(start), start + Milliseconds{30'000}, FailureCategory::applicationExit)});
  EXPECT_EQ(h_.stateOf(id()), WorkloadState::failed);
  EXPECT_EQ(h_.row(id()).failure, FailureCategory::applicationExit);
  const auto rows = postings();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ((rows[0].to - rows[0].from).count, 30'000);
}

TEST_F(Natives, sentBackToTheirQueueRunAgainAsAnotherAttempt) {
  const auto start = h_.clock().now();
  tell({running(start)});
  h_.clock().advance(10'000);
  auto waiting = job(WorkloadState::queued);
  waiting.run = 2;
  waiting.failure = FailureCategory::nodeLost;
  tell({waiting});
  EXPECT_EQ(h_.stateOf(id()), WorkloadState::queued);
  EXPECT_EQ(freeDevices(), MilliDevices{4'000});
  EXPECT_EQ(h_.row(id()).failure, FailureCategory::nodeLost);
  h_.clock().advance(10'000);
  tell({running(h_.clock().now(), 2)});
  EXPECT_EQ(h_.row(id()).attempts, 2U);
  EXPECT_EQ(freeDevices(), MilliDevices{2'000});
  tell({running(start, 1)});
  EXPECT_EQ(h_.row(id()).attempts, 2U) << "late news of the first run";
  EXPECT_EQ(postings().size(), 1U);
}

TEST_F(Natives, ofThePastAreChargedForEachRunAsLongAsItWas) {
  const auto start = h_.clock().now();
  h_.clock().advance(1'000'000);
  auto waiting = job(WorkloadState::queued, "REQUEUED");
  waiting.run = 2;
  waiting.endedAt = start + Milliseconds{10'000};
  const auto second = running(start + Milliseconds{200'000}, 2);
  const std::vector<NativeJob> story{running(start), waiting, second, ended(second, start + Milliseconds{230'000})};
  tell(story);
  tell(story);
  EXPECT_EQ(h_.stateOf(id()), WorkloadState::succeeded);
  EXPECT_EQ(h_.row(id()).attempts, 2U);
  const auto rows = postings();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ((rows[0].to - rows[0].from).count, 10'000);
  EXPECT_EQ((rows[1].to - rows[1].from).count, 30'000);
}

TEST_F(Natives, whoseIdComesRoundAgainAreAnotherWorkload) {
  tell({running(h_.clock().now())});
  const auto first = id();
  auto second = job(WorkloadState::queued);
  second.submittedAt = kSubmitted + Milliseconds{500'000};
  second.user = "bob";
  tell({second});
  EXPECT_NE(id(), first);
  EXPECT_EQ(h_.row(id()).submitter, "bob");
  EXPECT_TRUE(model::isFinal(h_.stateOf(first)));
  EXPECT_EQ(freeDevices(), MilliDevices{4'000});
  tell({running(h_.clock().now())});
  EXPECT_EQ(h_.row(id()).submitter, "bob") << "late news of the first owner";
}

TEST_F(Natives, areNeverTouched) {
  tell({running(h_.clock().now())});
  for (const auto kind : {ActionKind::cancel, ActionKind::hold, ActionKind::release, ActionKind::requeue,
                          ActionKind::setPriority, ActionKind::signal}) {
    const auto reply = actAndWait(h_.control(), action(kind, id(), 9));
    ASSERT_FALSE(reply) << toText(kind);
    EXPECT_EQ(reply.error().code, &kNativeJob) << toText(kind);
  }
  EXPECT_TRUE(h_.engine().otherIntents().empty());
}

TEST_F(Natives, standInTheWayLikeAnyOther) {
  auto told = running(h_.clock().now());
  told.placement[0].devices = {{0, {1000}}, {1, {1000}}, {2, {1000}}, {3, {1000}}};
  tell({told});
  const auto reply = submitAndWait(h_.control(), submission(specDocument(1, 1)));
  ASSERT_TRUE(reply);
  const auto why = h_.control().explain(reply->first);
  ASSERT_TRUE(why);
  ASSERT_EQ(why->holders.size(), 1U);
  EXPECT_EQ(why->holders[0].workload, id());
  tell({ended(told, h_.clock().now())});
  h_.awaitAttempt(reply->first, 1);
}

TEST(NativesAcrossARestart, goOnWhereTheyWere) {
  store::MemoryStore store;
  model::WorkloadId id;
  {
    Harness h(store, 4);
    h.engine().tellNative({running(h.clock().now())});
    ASSERT_TRUE(waitUntil([&] {
      id = h.control().read([](const State& s) { return s.nativeWorkload("local", "7"); });
      return id.value != 0;
    }));
  }
  Harness h(store, 4);
  EXPECT_TRUE(h.engine().known().empty()) << "the engine tells of them by itself";
  const auto before = h.row(id).revision;
  h.engine().tellNative({running(h.clock().now())});
  ASSERT_FALSE(actAndWait(h.control(), action(ActionKind::hold, {1'000'000})));
  EXPECT_EQ(h.row(id).revision, before);
  EXPECT_EQ(h.control().read([](const State& s) { return s.workloadCount(); }), 1U);
}

TEST(UsedAsTheEngineSays, isNotFreeForUs) {
  store::MemoryStore store;
  Harness h(store, 4);
  auto node = testing::fakeNode("n1", 4);
  node.used.devices = {{1000}, {1000}, {1000}, {500}};
  h.engine().changeNodes({node});
  ASSERT_FALSE(actAndWait(h.control(), action(ActionKind::hold, {1'000'000})));
  const auto reply = submitAndWait(h.control(), submission(specDocument(1, 1)));
  ASSERT_TRUE(reply);
  EXPECT_EQ(h.row(reply->first).attempts, 0U);
  EXPECT_EQ(h.control().explain(reply->first)->decision.reasons.at(0).code, model::ReasonCode::devicesShort);
  node.used.devices = {{0}, {0}, {0}, {0}};
  h.engine().changeNodes({node});
  h.awaitAttempt(reply->first, 1);
}

TEST(PlacedByTheEngine, isWhatIsHeldAndCharged) {
  store::MemoryStore store;
  Harness h(store, 4);
  const auto [id, attempt] = h.startOne(specDocument(1, 1));
  model::Observation fact;
  fact.attempt = attempt;
  fact.kind = model::ObservationKind::started;
  fact.at = h.clock().now();
  fact.placement = h.attempt(attempt).placement;
  fact.placement[0].devices = {{3, {1000}}};
  h.engine().report(fact);
  ASSERT_TRUE(h.reaches(id, WorkloadState::running));
  EXPECT_EQ(h.attempt(attempt).placement, fact.placement);
}

}  // namespace
}  // namespace fairlead::control
