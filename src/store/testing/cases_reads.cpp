#include "cases.hpp"

#include <fairlead/store/testing/rows.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace fairlead::store::testing {
namespace {

template <class Row>
std::vector<std::uint64_t> sequences(const std::vector<Row>& rows) {
  std::vector<std::uint64_t> numbers;
  for (const Row& row : rows) numbers.push_back(row.sequence);
  return numbers;
}

void commitNumbered(StoreUnderTest& subject, std::uint64_t first, std::uint64_t last) {
  control::ChangeSet set;
  for (std::uint64_t n = first; n <= last; ++n) {
    set.events.push_back(sampleEvent(n));
    set.audits.push_back(sampleAudit(n));
    set.postings.push_back(samplePosting(n));
  }
  subject.commit(set);
}

}  // namespace

void eventsAreFilteredAndOrdered(StoreUnderTest& subject) {
  commitNumbered(subject, 1, 2'000);  // more than any page
  const auto all = allEvents(subject.store());
  ASSERT_EQ(all.size(), 2'000U);
  EXPECT_TRUE(std::ranges::is_sorted(sequences(all)));
  EXPECT_THAT(sequences(allEvents(subject.store(), 1'997)), ::testing::ElementsAre(1'998, 1'999, 2'000));
  EXPECT_TRUE(allEvents(subject.store(), 2'000).empty());
  const auto project = sampleEvent(1).project;
  EXPECT_THAT(sequences(allEvents(subject.store(), 1'990, project)), ::testing::ElementsAre(1'993, 1'996, 1'999));
  EXPECT_EQ(allEvents(subject.store(), 0, project).size(), 667U);
  EXPECT_TRUE(allEvents(subject.store(), 0, "nobody").empty());
  EXPECT_THAT(sequences(allAudits(subject.store(), 1'999)), ::testing::ElementsAre(1'999, 2'000));
  EXPECT_EQ(allAudits(subject.store()).size(), 2'000U);
}

void visitorsStopEarly(StoreUnderTest& subject) {
  commitNumbered(subject, 1, 600);
  int seen = 0;
  const auto stopAfter = [&seen](int limit) { return [&seen, limit](const auto&) { return ++seen < limit; }; };
  for (int limit : {1, 2, 300, 512, 599}) {
    seen = 0;
    ASSERT_TRUE(subject.store().readEvents(0, {}, stopAfter(limit)).has_value());
    EXPECT_EQ(seen, limit);
    seen = 0;
    ASSERT_TRUE(subject.store().readAudit(0, stopAfter(limit)).has_value());
    EXPECT_EQ(seen, limit);
    seen = 0;
    ASSERT_TRUE(subject.store().readPostings({}, stopAfter(limit)).has_value());
    EXPECT_EQ(seen, limit);
  }
  commitNumbered(subject, 601, 601);  // nothing is left open by readers that stopped
  EXPECT_EQ(allEvents(subject.store()).size(), 601U);
}

void visitorsMayUseTheStore(StoreUnderTest& subject) {
  commitNumbered(subject, 1, 700);
  std::uint64_t next = 700;
  int seen = 0;
  const auto done = subject.store().readEvents(0, {}, [&](const model::Event& row) {
    ++seen;
    if (row.sequence % 100 != 0) return true;
    ++next;
    commitNumbered(subject, next, next);
    return allAudits(subject.store(), next).size() == 1;
  });
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(seen, 700) << "a reader sees what was there when it began";
}

void postingsAreFilteredByTimeProjectAndWorkload(StoreUnderTest& subject) {
  control::ChangeSet set;
  for (std::uint64_t n = 1; n <= 8; ++n) {
    auto& row = set.postings.emplace_back(samplePosting(n));
    row.project = n % 2 == 0 ? "even" : "odd";
    row.workload = {100 + n / 5};
    row.from = {static_cast<std::int64_t>(n * 10)};
    row.to = {static_cast<std::int64_t>(n * 10 + 10)};
  }
  subject.commit(set);
  auto& store = subject.store();
  const auto ask = [&](control::PostingQuery query) { return sequences(allPostings(store, query)); };
  EXPECT_EQ(ask({}).size(), 8U);
  EXPECT_THAT(ask({.from = {30}, .to = {50}, .project = {}, .workload = {}}), ::testing::ElementsAre(3, 4));
  EXPECT_THAT(ask({.from = {31}, .to = {51}, .project = {}, .workload = {}}), ::testing::ElementsAre(3, 4, 5));
  EXPECT_THAT(ask({.from = {80}, .to = {}, .project = {}, .workload = {}}), ::testing::ElementsAre(8));
  EXPECT_THAT(ask({.from = {}, .to = {40}, .project = "odd", .workload = {}}), ::testing::ElementsAre(1, 3));
  EXPECT_THAT(ask({.from = {}, .to = {}, .project = {}, .workload = {101}}), ::testing::ElementsAre(5, 6, 7, 8));
  EXPECT_THAT(ask({.from = {60}, .to = {80}, .project = "even", .workload = {101}}), ::testing::ElementsAre(6));
  EXPECT_TRUE(ask({.from = {90}, .to = {100}, .project = {}, .workload = {}}).empty());
  EXPECT_TRUE(ask({.from = {}, .to = {}, .project = "nobody", .workload = {}}).empty());
}

void attemptsOfAWorkloadComeByNumber(StoreUnderTest& subject) {
  control::ChangeSet set;
  for (std::uint64_t n : {4U, 1U, 3U, 2U}) {
    set.attempts.push_back(sampleAttempt(n, {n == 3 ? 8U : 7U}));
    set.attempts.back().number = static_cast<std::uint32_t>(10 - n);
    set.attempts.back().state = model::AttemptState::failed;
  }
  subject.commit(set);
  const auto rows = subject.store().readAttempts({7}).value();
  EXPECT_EQ(dumpAll(rows), dumpAll(std::vector{set.attempts[0], set.attempts[3], set.attempts[1]}));
  EXPECT_EQ(subject.store().readAttempts({8}).value().size(), 1U);
  EXPECT_TRUE(subject.store().readAttempts({9}).value().empty());
}

void checkpointsAndHeadComeBack(StoreUnderTest& subject) {
  EXPECT_FALSE(subject.store().readAuditHead().value().has_value());
  control::ChangeSet set;
  set.checkpoints = {sampleCheckpoint(1), sampleCheckpoint(2)};
  set.auditHead = sampleCheckpoint(2);
  subject.commit(set);
  control::ChangeSet more;
  more.checkpoints = {sampleCheckpoint(3)};
  subject.commit(more);
  subject.restart();
  EXPECT_EQ(dumpAll(subject.store().readCheckpoints().value()),
            dumpAll(std::vector{sampleCheckpoint(1), sampleCheckpoint(2), sampleCheckpoint(3)}));
  EXPECT_EQ(dump(subject.store().readAuditHead().value().value()), dump(sampleCheckpoint(2)));
}

void readersSeeWholeTransactions(StoreUnderTest& subject) {
  constexpr std::uint64_t kRowsPerCommit = 7;
  constexpr std::uint64_t kCommits = 150;
  std::atomic<bool> done{false};
  std::atomic<int> reads{0};
  auto& store = subject.store();
  const auto watch = [&] {
    while (!done || reads == 0) {
      std::uint64_t events = 0;
      const auto seen = store.readEvents(0, {}, [&](const model::Event& row) { return row.sequence == ++events; });
      EXPECT_TRUE(seen.has_value()) << toText(seen.error());
      EXPECT_EQ(events % kRowsPerCommit, 0U);
      EXPECT_EQ(allPostings(store).size() % kRowsPerCommit, 0U);
      EXPECT_GE(allAudits(store).size(), events) << "what was committed before cannot be missing later";
      ++reads;
    }
  };
  std::vector<std::thread> watchers;
  for (int i = 0; i < 3; ++i) watchers.emplace_back(watch);
  for (std::uint64_t n = 0; n < kCommits; ++n)
    commitNumbered(subject, n * kRowsPerCommit + 1, (n + 1) * kRowsPerCommit);
  done = true;
  for (auto& watcher : watchers) watcher.join();
  EXPECT_EQ(allEvents(store).size(), kCommits * kRowsPerCommit);
}

}  // namespace fairlead::store::testing
