#include "cases.hpp"

#include <fairlead/store/errors.hpp>
#include <fairlead/store/testing/rows.hpp>

#include <gtest/gtest.h>

namespace fairlead::store::testing {
namespace {

/// Everything a store answers, as lines.
std::vector<std::string> contents(control::StorePort& store) {
  auto lines = dump(loadAll(store));
  const auto append = [&](std::vector<std::string> more) { lines.insert(lines.end(), more.begin(), more.end()); };
  append(dumpAll(allEvents(store)));
  append(dumpAll(allAudits(store)));
  append(dumpAll(allPostings(store)));
  append(dumpAll(store.readCheckpoints().value()));
  return lines;
}

control::ChangeSet submission(std::uint64_t n) {
  control::ChangeSet set;
  set.specs = {sampleSpec(n)};
  set.workloads = {sampleWorkload(n, set.specs[0])};
  set.events = {sampleEvent(n)};
  set.audits = {sampleAudit(n)};
  return set;
}

void expectRefused(StoreUnderTest& subject, const control::ChangeSet& bad, const ErrorCode& code) {
  const auto before = contents(subject.store());
  const auto done = subject.store().commit(bad);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().token(), code.token);
  EXPECT_FALSE(done.error().message.empty());
  EXPECT_EQ(contents(subject.store()), before);
  subject.restart();
  EXPECT_EQ(contents(subject.store()), before);
}

}  // namespace

void emptyCommitSucceeds(StoreUnderTest& subject) {
  subject.commit({});
  subject.commit(submission(1));
  const auto before = contents(subject.store());
  subject.commit({});
  EXPECT_EQ(contents(subject.store()), before);
}

void refusedCommitChangesNothing(StoreUnderTest& subject) {
  subject.commit(submission(4));
  auto bad = submission(5);
  bad.events.push_back(sampleEvent(4));
  expectRefused(subject, bad, kConflictingRow);
  bad = submission(5);
  bad.audits = {sampleAudit(4)};
  expectRefused(subject, bad, kConflictingRow);
  bad = submission(5);
  bad.postings = {samplePosting(2), samplePosting(2)};
  expectRefused(subject, bad, kConflictingRow);
  bad = submission(5);
  bad.workloads[0].id = {};
  expectRefused(subject, bad, kConflictingRow);
  bad = submission(5);
  bad.attempts = {sampleAttempt(0, {5})};
  expectRefused(subject, bad, kConflictingRow);
  bad = submission(5);
  bad.intents = {sampleIntent(1, {})};
  expectRefused(subject, bad, kConflictingRow);
  bad = submission(5);
  bad.events[0].sequence = std::uint64_t{1} << 63;
  expectRefused(subject, bad, kConflictingRow);
  subject.commit(submission(5));
  EXPECT_EQ(loadAll(subject.store()).workloads.size(), 2U);
}

void unknownSpecIsRefused(StoreUnderTest& subject) {
  subject.commit(submission(1));
  auto bad = submission(2);
  bad.specs.clear();
  expectRefused(subject, bad, kUnknownSpec);
  bad = submission(2);
  bad.workloads[0].spec.reset();
  expectRefused(subject, bad, kUnknownSpec);
  bad = submission(2);
  bad.specs.push_back(nullptr);
  expectRefused(subject, bad, kUnknownSpec);
}

void repeatedVersionIsRefused(StoreUnderTest& subject) {
  auto set = submission(1);
  set.versions = {sampleVersion(1)};
  subject.commit(set);
  auto bad = submission(2);
  bad.versions = {sampleVersion(2), sampleVersion(1)};
  expectRefused(subject, bad, kConflictingRow);
  bad.versions = {sampleVersion(3), sampleVersion(3)};
  expectRefused(subject, bad, kConflictingRow);
  bad.versions = {sampleVersion(2), sampleVersion(3)};  // the spec of a refused set was not remembered
  subject.commit(bad);
  EXPECT_EQ(loadAll(subject.store()).versions.size(), 3U);
}

void droppedEventsAreGoneAndTheHeadStays(StoreUnderTest& subject) {
  control::ChangeSet set;
  for (std::uint64_t n = 1; n <= 20; ++n) set.events.push_back(sampleEvent(n));
  set.audits = {sampleAudit(1)};
  set.postings = {samplePosting(1)};
  subject.commit(set);
  control::ChangeSet drop;
  drop.dropEventsBefore = 15;
  subject.commit(drop);
  EXPECT_EQ(allEvents(subject.store()).front().sequence, 15U);
  EXPECT_EQ(loadAll(subject.store()).heads.oldestEvent, 15U);
  drop.dropEventsBefore = 1'000;
  drop.events = {sampleEvent(21)};
  subject.commit(drop);
  subject.restart();
  const auto heads = loadAll(subject.store()).heads;
  EXPECT_EQ(heads.event, 21U);
  EXPECT_EQ(heads.oldestEvent, 21U);
  EXPECT_EQ(allEvents(subject.store()).size(), 1U);
  EXPECT_EQ(allAudits(subject.store()).size(), 1U);
  EXPECT_EQ(allPostings(subject.store()).size(), 1U);
}

void manyDroppedEventsGoAtOnceForReaders(StoreUnderTest& subject) {
  control::ChangeSet set;
  for (std::uint64_t n = 1; n <= 30'000; ++n) set.events.push_back(sampleEvent(n));
  subject.commit(set);
  control::ChangeSet drop;
  drop.dropEventsBefore = 29'000;
  subject.commit(drop);
  const auto rows = allEvents(subject.store());
  ASSERT_EQ(rows.size(), 1'001U);
  EXPECT_EQ(rows.front().sequence, 29'000U);
  EXPECT_EQ(loadAll(subject.store()).heads.oldestEvent, 29'000U);
}

void expiredIdempotencyGoesAndItsKeyIsFree(StoreUnderTest& subject) {
  control::ChangeSet set;
  set.idempotency = {sampleIdempotency(1), sampleIdempotency(2), sampleIdempotency(3)};
  for (std::size_t i = 0; i < 3; ++i) set.idempotency[i].at = {static_cast<std::int64_t>(100 * (i + 1))};
  subject.commit(set);
  control::ChangeSet drop;
  drop.dropIdempotencyBefore = {200};
  drop.idempotency = {sampleIdempotency(1)};  // the freed key, with an older instant than the limit
  drop.idempotency[0].at = {50};
  subject.commit(drop);
  subject.restart();
  const auto rows = loadAll(subject.store()).idempotency;
  EXPECT_EQ(dumpAll(rows), dumpAll(std::vector{set.idempotency[1], set.idempotency[2], drop.idempotency[0]}));
}

}  // namespace fairlead::store::testing
