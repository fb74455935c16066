// Random change sets leave the memory and the SQLite store with the same content and the same answers.
#include "sqlite_fixture.hpp"

#include <fairlead/store/memory.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace fairlead::store {
namespace {

using testing::dump;
using testing::dumpAll;

class Agreement : public SqliteTest {};

/// Makes change sets that are mostly good, with sequences that go on from set to set, and now and then one that is
/// refused.
class Maker {
 public:
  control::ChangeSet next() {
    control::ChangeSet set;
    for (int i = upTo(2); i > 0; --i) set.specs.push_back(testing::sampleSpec(pick(1, 6)));
    for (int i = upTo(20); i > 0; --i) set.workloads.push_back(workload());
    for (int i = upTo(3); i > 0; --i) set.attempts.push_back(attempt());
    for (int i = upTo(3); i > 0; --i) {
      set.intents.push_back(testing::sampleIntent(pick(1, 9), {pick(1, 4)}));
      set.intents.back().state = pick(0, 2) == 0 ? model::IntentState::done : model::IntentState::open;
    }
    for (int i = upTo(20); i > 0; --i) set.events.push_back(testing::sampleEvent(event_ += pick(1, 2)));
    for (int i = upTo(20); i > 0; --i) set.audits.push_back(testing::sampleAudit(++audit_));
    for (int i = upTo(3); i > 0; --i) set.postings.push_back(testing::samplePosting(++posting_));
    if (pick(0, 3) == 0) set.versions.push_back(testing::sampleVersion(pick(1, 9)));
    for (int i = upTo(2); i > 0; --i) set.idempotency.push_back(testing::sampleIdempotency(pick(1, 30)));
    if (pick(0, 3) == 0) set.checkpoints.push_back(testing::sampleCheckpoint(pick(1, 30)));
    if (pick(0, 2) == 0) set.auditHead = testing::sampleCheckpoint(pick(1, 30));
    if (pick(0, 3) == 0) set.dropEventsBefore = pick(0, event_ + 3);
    if (pick(0, 3) == 0) set.dropIdempotencyBefore = testing::sampleIdempotency(pick(1, 30)).at;
    return set;
  }

 private:
  static std::uint64_t pick(std::uint64_t low, std::uint64_t high) {
    return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint64_t>(low, high + 1));
  }
  static int upTo(int most) { return static_cast<int>(pick(0, static_cast<std::uint64_t>(most))); }
  static model::Workload workload() { return testing::sampleWorkload(pick(1, 12), testing::sampleSpec(pick(1, 6))); }
  static model::Attempt attempt() {
    auto row = testing::sampleAttempt(pick(1, 12), {pick(1, 4)});
    row.number = static_cast<std::uint32_t>(row.id.value);  // one workload's numbers differ
    row.workload = {row.id.value % 4 + 1};
    return row;
  }

  std::uint64_t event_ = 0;
  std::uint64_t audit_ = 0;
  std::uint64_t posting_ = 0;
};

std::vector<std::string> answers(control::StorePort& store, std::uint64_t after) {
  auto lines = dump(testing::loadAll(store));
  const auto append = [&](std::vector<std::string> more) { lines.insert(lines.end(), more.begin(), more.end()); };
  append(dumpAll(testing::allEvents(store, after)));
  append(dumpAll(testing::allEvents(store, after, testing::sampleEvent(1).project)));
  append(dumpAll(testing::allAudits(store, after)));
  append(dumpAll(testing::allPostings(store)));
  append(dumpAll(
      testing::allPostings(store, {.from = testing::samplePosting(2).to, .to = {}, .project = {}, .workload = {}})));
  append(dumpAll(testing::allPostings(
      store, {.from = {}, .to = {}, .project = {}, .workload = testing::samplePosting(2).workload})));
  append(dumpAll(store.readCheckpoints().value()));
  if (auto head = store.readAuditHead().value()) lines.push_back(dump(*head));
  for (std::uint64_t workload = 1; workload <= 4; ++workload) append(dumpAll(store.readAttempts({workload}).value()));
  return lines;
}

TEST_F(Agreement, OfMemoryAndSqliteAfterRandomChangeSets) {
  const bool holds = rc::check("both stores agree", [this] {
    std::filesystem::remove(path());
    auto durable = open();
    RC_ASSERT(durable.has_value());
    auto memory = makeMemoryStore();
    Maker maker;
    const int sets = *rc::gen::inRange(1, 8);
    for (int i = 0; i < sets; ++i) {
      const auto set = maker.next();
      const auto first = memory->commit(set);
      const auto second = (*durable)->commit(set);
      RC_ASSERT(first.has_value() == second.has_value());
      if (!first) RC_ASSERT(first.error().token() == second.error().token());
      RC_ASSERT(answers(*memory, 0) == answers(**durable, 0));
    }
    durable->reset();
    durable = open();
    RC_ASSERT(durable.has_value());
    RC_ASSERT(answers(*memory, 5) == answers(**durable, 5));
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace fairlead::store
