#include "cases.hpp"

#include <fairlead/store/testing/rows.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace fairlead::store::testing {
namespace {

constexpr std::uint64_t kFar = std::numeric_limits<std::int64_t>::max();

control::ChangeSet oneOfEach(std::uint64_t n) {
  control::ChangeSet set;
  set.specs = {sampleSpec(n)};
  set.workloads = {sampleWorkload(n, set.specs[0])};
  set.attempts = {sampleAttempt(n, {n})};
  set.intents = {sampleIntent(n, {n})};
  set.events = {sampleEvent(n)};
  set.audits = {sampleAudit(n)};
  set.postings = {samplePosting(n)};
  set.versions = {sampleVersion(n)};
  set.idempotency = {sampleIdempotency(n)};
  set.checkpoints = {sampleCheckpoint(n)};
  set.auditHead = sampleCheckpoint(n + 50);
  return set;
}

void expectHeld(StoreUnderTest& subject, const control::ChangeSet& set) {
  const auto loaded = loadAll(subject.store());
  ASSERT_EQ(loaded.specs.size(), set.specs.size());
  for (std::size_t i = 0; i < set.specs.size(); ++i) {
    EXPECT_EQ(dump(*loaded.specs[i]), dump(*set.specs[i]));
    EXPECT_TRUE(loaded.specs[i]->spec == set.specs[i]->spec);
  }
  EXPECT_EQ(dumpAll(loaded.workloads), dumpAll(set.workloads));
  EXPECT_EQ(dumpAll(loaded.attempts), dumpAll(set.attempts));
  EXPECT_EQ(dumpAll(loaded.intents), dumpAll(set.intents));
  EXPECT_EQ(dumpAll(loaded.versions), dumpAll(set.versions));
  EXPECT_EQ(dumpAll(loaded.idempotency), dumpAll(set.idempotency));
  EXPECT_EQ(dumpAll(allEvents(subject.store())), dumpAll(set.events));
  EXPECT_EQ(dumpAll(allAudits(subject.store())), dumpAll(set.audits));
  EXPECT_EQ(dumpAll(allPostings(subject.store())), dumpAll(set.postings));
  EXPECT_EQ(dumpAll(subject.store().readCheckpoints().value()), dumpAll(set.checkpoints));
  const auto head = subject.store().readAuditHead().value();
  EXPECT_EQ(head ? dump(*head) : "", set.auditHead ? dump(*set.auditHead) : "");
}

void expectKept(StoreUnderTest& subject, const control::ChangeSet& set) {
  subject.commit(set);
  expectHeld(subject, set);
  subject.restart();
  expectHeld(subject, set);
}

}  // namespace

void emptyStoreLoadsNothing(StoreUnderTest& subject) {
  expectHeld(subject, {});
  EXPECT_EQ(dump(loadAll(subject.store()).heads), dump(control::StoreHeads{}));
  EXPECT_TRUE(subject.store().readAttempts({1}).value().empty());
  EXPECT_FALSE(subject.store().describe().empty());
}

void everyFieldOfEveryRowComesBack(StoreUnderTest& subject) { expectKept(subject, oneOfEach(7)); }

void emptyFieldsComeBack(StoreUnderTest& subject) {
  control::ChangeSet set;
  set.specs = {sampleSpec(1)};
  model::Workload workload;
  workload.id = {1};
  workload.spec = set.specs[0];
  set.workloads = {workload};
  model::Attempt attempt;
  attempt.id = {1};
  attempt.workload = {1};
  set.attempts = {attempt};
  model::Intent intent;
  intent.id.attempt = {1};
  set.intents = {intent};
  set.events.emplace_back().sequence = 1;
  set.audits.emplace_back().sequence = 1;
  set.postings.emplace_back().sequence = 1;
  set.postings.back().to = {1};
  set.versions.emplace_back();
  set.idempotency.emplace_back();
  set.checkpoints.emplace_back();
  set.auditHead.emplace();
  expectKept(subject, set);
}

void extremeIntegersComeBack(StoreUnderTest& subject) {
  auto set = oneOfEach(kFar);
  auto& workload = set.workloads[0];
  workload.priority = std::numeric_limits<std::int32_t>::min();
  workload.attempts = std::numeric_limits<std::uint32_t>::max();
  workload.revision = std::numeric_limits<std::uint64_t>::max();
  workload.currentAttempt = {kFar};
  workload.arrayIndex = std::numeric_limits<std::int32_t>::min();
  workload.elementsStarted = std::numeric_limits<std::int32_t>::max();
  workload.submittedAt = {std::numeric_limits<std::int64_t>::min()};
  workload.endedAt = {std::numeric_limits<std::int64_t>::max()};
  auto& attempt = set.attempts[0];
  attempt.observed = std::numeric_limits<std::uint64_t>::max();
  attempt.placement[0].memory = {std::numeric_limits<std::int64_t>::max()};
  attempt.placement[0].cpus = {std::numeric_limits<std::int64_t>::max()};
  attempt.ends[0].exitCode = std::numeric_limits<std::int32_t>::min();
  auto& intent = set.intents[0];
  intent.signal = std::numeric_limits<int>::min();
  intent.grace = {std::numeric_limits<std::int64_t>::max()};
  intent.id.ordinal = std::numeric_limits<std::uint32_t>::max();
  set.postings[0].devices = {std::numeric_limits<std::int64_t>::min()};
  set.postings[0].from = {std::numeric_limits<std::int64_t>::min()};
  set.postings[0].to = {std::numeric_limits<std::int64_t>::max()};
  set.versions[0].version = std::numeric_limits<std::int32_t>::max();
  set.versions[0].size = {std::numeric_limits<std::int64_t>::max()};
  set.idempotency[0].count = std::numeric_limits<std::uint32_t>::max();
  expectKept(subject, set);
  EXPECT_TRUE(allEvents(subject.store(), std::numeric_limits<std::uint64_t>::max()).empty());
  EXPECT_TRUE(allAudits(subject.store(), std::numeric_limits<std::uint64_t>::max()).empty());
}

void largeAndOddTextsComeBack(StoreUnderTest& subject) {
  auto set = oneOfEach(3);
  set.workloads[0].message = std::string(1'000'000, 'x');
  set.workloads[0].name = std::string("zero\0inside", 11);
  set.workloads[0].project = "'; DROP TABLE workloads; --";
  set.workloads[0].labels = {{"", ""}, {"k\u0001\t\x7f", "\xF0\x9F\x9A\xA2 \"}]\\"}, {"z", std::string(100'000, 'y')}};
  set.workloads[0].avoidNodes.assign(1'000, "node with spaces");
  set.attempts[0].nativeReason = "broken \xff\xfe bytes from an engine";
  set.attempts[0].placement.resize(1'000, set.attempts[0].placement[0]);
  set.checkpoints[0].signature.assign(1'000'000, 0x5a);
  expectKept(subject, set);
}

void upsertsReplaceWholeRows(StoreUnderTest& subject) {
  auto set = oneOfEach(1);
  subject.commit(set);
  control::ChangeSet second;
  second.specs = {sampleSpec(2)};
  second.workloads = {sampleWorkload(2, second.specs[0])};
  second.workloads[0].id = {1};
  second.attempts = {sampleAttempt(2, {1})};
  second.attempts[0].id = {1};
  second.intents = {sampleIntent(9, {1})};
  second.intents[0].id = set.intents[0].id;
  second.auditHead = sampleCheckpoint(70);
  subject.commit(second);

  set.specs.push_back(second.specs[0]);
  set.workloads = second.workloads;
  set.attempts = second.attempts;
  set.intents = second.intents;
  set.auditHead = second.auditHead;
  expectHeld(subject, set);
  subject.restart();
  expectHeld(subject, set);

  control::ChangeSet third;  // a row twice in one set: the later counts
  third.workloads = {sampleWorkload(4, second.specs[0]), sampleWorkload(5, set.specs[0])};
  third.workloads[0].id = third.workloads[1].id = {1};
  third.intents = {set.intents[0]};
  third.intents[0].state = model::IntentState::done;
  subject.commit(third);
  const auto loaded = loadAll(subject.store());
  ASSERT_EQ(loaded.workloads.size(), 1U);
  EXPECT_EQ(dump(loaded.workloads[0]), dump(third.workloads[1]));
  EXPECT_TRUE(loaded.intents.empty());
}

void loadComesInOrder(StoreUnderTest& subject) {
  control::ChangeSet set;
  set.specs = {sampleSpec(2), sampleSpec(1)};
  for (std::uint64_t n : {5U, 3U, 9U, 1U}) {
    set.workloads.push_back(sampleWorkload(n, set.specs[n % 2]));
    set.attempts.push_back(sampleAttempt(n, {n}));
  }
  for (auto kind : {model::IntentKind::signal, model::IntentKind::stop, model::IntentKind::start})
    for (std::uint64_t attempt : {9U, 5U})
      for (std::uint32_t ordinal : {2U, 1U}) {
        set.intents.push_back(sampleIntent(attempt, {attempt}));
        set.intents.back().id = {{attempt}, kind, ordinal};
      }
  set.versions = {sampleVersion(4), sampleVersion(2), sampleVersion(1), sampleVersion(3)};
  set.idempotency = {sampleIdempotency(8), sampleIdempotency(2)};
  subject.commit(set);
  subject.restart();

  const auto loaded = loadAll(subject.store());
  const auto byId = [](const auto& a, const auto& b) { return a.id < b.id; };
  std::ranges::sort(set.workloads, byId);
  std::ranges::sort(set.attempts, byId);
  std::ranges::sort(set.intents, byId);  // of an attempt: start, stop, signal
  EXPECT_EQ(dumpAll(loaded.workloads), dumpAll(set.workloads));
  EXPECT_EQ(dumpAll(loaded.attempts), dumpAll(set.attempts));
  EXPECT_EQ(dumpAll(loaded.intents), dumpAll(set.intents));
  EXPECT_EQ(dumpAll(loaded.idempotency), dumpAll(set.idempotency));
  EXPECT_EQ(dumpAll(loaded.specs.empty() ? std::vector<model::SpecDocument>{}
                                         : std::vector{*loaded.specs[0], *loaded.specs[1]}),
            dumpAll(std::vector{*set.specs[0], *set.specs[1]}));
  EXPECT_THAT(dumpAll(loaded.versions), ::testing::UnorderedElementsAreArray(dumpAll(set.versions)));
}

void loadGivesOpenAndNewestAttempts(StoreUnderTest& subject) {
  control::ChangeSet set;
  const auto add = [&](std::uint64_t id, std::uint64_t workload, std::uint32_t number, model::AttemptState state) {
    auto& row = set.attempts.emplace_back(sampleAttempt(id, {workload}));
    row.number = number;
    row.state = state;
  };
  using enum model::AttemptState;
  add(1, 1, 1, failed);     // neither open nor newest
  add(2, 1, 2, unknown);    // open
  add(3, 1, 3, succeeded);  // newest
  add(4, 2, 1, cancelled);  // newest of another workload
  add(5, 3, 2, stopping);   // newest by number, not by id
  add(6, 3, 1, failed);
  add(7, 4, 1, planned);
  add(8, 4, 2, accepted);
  add(9, 4, 3, running);
  subject.commit(set);
  std::vector<std::uint64_t> ids;
  for (const auto& row : loadAll(subject.store()).attempts) ids.push_back(row.id.value);
  EXPECT_THAT(ids, ::testing::ElementsAre(2, 3, 4, 5, 7, 8, 9));
}

void specsAreSharedAndStoredOnce(StoreUnderTest& subject) {
  control::ChangeSet set;
  set.specs = {sampleSpec(1), sampleSpec(1)};
  set.workloads = {sampleWorkload(1, sampleSpec(1)), sampleWorkload(2, set.specs[1])};
  subject.commit(set);
  control::ChangeSet again;
  again.specs = {sampleSpec(1), sampleSpec(2)};
  again.workloads = {sampleWorkload(3, again.specs[0]), sampleWorkload(4, again.specs[1])};
  subject.commit(again);
  subject.restart();
  const auto loaded = loadAll(subject.store());
  ASSERT_EQ(loaded.specs.size(), 2U);
  ASSERT_EQ(loaded.workloads.size(), 4U);
  for (int i : {0, 1, 2}) EXPECT_EQ(loaded.workloads[static_cast<std::size_t>(i)].spec, loaded.specs[0]);
  EXPECT_EQ(loaded.workloads[3].spec, loaded.specs[1]);
}

void headsFollowEveryCommit(StoreUnderTest& subject) {
  subject.commit(oneOfEach(5));
  auto set = oneOfEach(12);
  set.versions.clear();
  subject.commit(set);
  const control::StoreHeads expected{12, 12, 12, 12, 12, 5, sampleAudit(12).hash};
  EXPECT_EQ(dump(loadAll(subject.store()).heads), dump(expected));
  subject.restart();
  EXPECT_EQ(dump(loadAll(subject.store()).heads), dump(expected));
}

}  // namespace fairlead::store::testing
