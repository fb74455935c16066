#include <fairlead/audit/verify.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

namespace fairlead::audit {
namespace {

struct Trail {
  Signer signer = Signer::generate();
  std::vector<AuditRecord> records;
  std::vector<AuditCheckpoint> checkpoints;
  std::optional<AuditCheckpoint> head;

  void append(std::string object) {
    AuditRecord record;
    record.sequence = records.size() + 1;
    record.at = {1'000 + static_cast<std::int64_t>(record.sequence)};
    record.principal = "alice";
    record.action = "workload.submit";
    record.object = std::move(object);
    record.project = "nlp";
    record.rule = "role member of project nlp";
    appendToChain(record, records.empty() ? Digest{} : records.back().hash);
    records.push_back(std::move(record));
    head = signer.sign(records.size(), {2'000}, records.back().hash);
  }
  void checkpoint() { checkpoints.push_back(*head); }

  /// As one who can write the store and knows the encoding, but has no key.
  void rehashFrom(std::size_t index) {
    for (; index < records.size(); ++index)
      appendToChain(records[index], index == 0 ? Digest{} : records[index - 1].hash);
  }
  [[nodiscard]] AuditReport report(bool knowsKey = true) const {
    Verifier keys;
    if (knowsKey) {
      EXPECT_TRUE(keys.add(signer.publicKeyPem()));
    }
    ChainVerifier chain(keys, checkpoints);
    for (const auto& record : records) chain.add(record);
    return chain.finish(head);
  }
  [[nodiscard]] std::string problem(bool knowsKey = true) const {
    const auto found = report(knowsKey);
    EXPECT_EQ(found.ok, !found.firstProblem.has_value());
    if (!found.firstProblem) return "ok";
    EXPECT_FALSE(found.firstProblem->text.empty());
    return std::string(toText(found.firstProblem->kind)) + " " + std::to_string(found.firstProblem->sequence);
  }
};

Trail trailOf(std::size_t records, std::size_t checkpointEvery = 4) {
  Trail trail;
  for (std::size_t i = 1; i <= records; ++i) {
    trail.append("w-" + std::to_string(i));
    if (i % checkpointEvery == 0) trail.checkpoint();
  }
  return trail;
}

TEST(ChainVerifier, findsNothingInAnUntouchedTrail) {
  const auto report = trailOf(10).report();
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.records, 10U);
  EXPECT_EQ(report.checkpointsChecked, 3U) << "two kept ones and the head";
  EXPECT_EQ(Trail{}.problem(), "ok");
}

TEST(ChainVerifier, namesAnEditedRecord) {
  auto trail = trailOf(10);
  trail.records[4].principal = "mallory";
  EXPECT_EQ(trail.problem(), "edited 5");
}

TEST(ChainVerifier, namesADeletedRecord) {
  auto trail = trailOf(10);
  trail.records.erase(trail.records.begin() + 4);
  EXPECT_EQ(trail.problem(), "deleted 5");
  trail.records.erase(trail.records.begin());
  EXPECT_EQ(trail.problem(), "deleted 1");
}

TEST(ChainVerifier, namesMovedRecords) {
  auto trail = trailOf(10);
  std::swap(trail.records[2], trail.records[6]);
  EXPECT_EQ(trail.problem(), "reordered 3");
  std::swap(trail.records[2].sequence, trail.records[6].sequence);
  EXPECT_EQ(trail.problem(), "reordered 3") << "renumbered to look right";
}

TEST(ChainVerifier, namesARecordThatStandsTwice) {
  auto trail = trailOf(10);
  trail.records.insert(trail.records.begin() + 7, trail.records[2]);
  EXPECT_EQ(trail.problem(), "reordered 3");
}

TEST(ChainVerifier, namesTheFirstMissingRecordOfACutTail) {
  auto trail = trailOf(10);
  trail.records.resize(7);
  EXPECT_EQ(trail.problem(), "truncated 8");
  trail.records.clear();
  EXPECT_EQ(trail.problem(), "truncated 1");
}

TEST(ChainVerifier, aCutTailWithItsHeadShowsInAKeptCheckpoint) {
  auto trail = trailOf(10);
  trail.head = trail.signer.sign(6, {2'000}, trail.records[5].hash);
  trail.records.resize(6);
  EXPECT_EQ(trail.problem(), "truncated 7") << "record 8 was signed and is gone";
  trail.head.reset();
  EXPECT_EQ(trail.problem(), "truncated 7");
}

TEST(ChainVerifier, aMissingHeadIsATruncation) {
  auto trail = trailOf(3);
  trail.head.reset();
  EXPECT_EQ(trail.problem(), "truncated 4");
}

TEST(ChainVerifier, aRewrittenChainDoesNotFitItsCheckpoint) {
  auto trail = trailOf(10);
  trail.records[4].object = "w-other";
  trail.rehashFrom(4);
  EXPECT_EQ(trail.problem(), "checkpoint-mismatch 8");
  EXPECT_NE(trail.report().firstProblem->text.find("records 5 to 8"), std::string::npos);
  auto late = trailOf(10);
  late.records[9].detail = "x";
  late.rehashFrom(9);
  EXPECT_EQ(late.problem(), "checkpoint-mismatch 10") << "the head covers what no kept checkpoint does";
}

TEST(ChainVerifier, recordsBehindTheHeadAreForeign) {
  auto trail = trailOf(10);
  const auto head = trail.head;
  trail.append("forged");
  trail.head = head;
  EXPECT_EQ(trail.problem(), "unsigned-tail 11");
}

TEST(ChainVerifier, namesBadSignaturesAndUnknownKeys) {
  auto trail = trailOf(10);
  trail.checkpoints[1].signature[5] ^= 1;
  EXPECT_EQ(trail.problem(), "bad-signature 8");
  trail = trailOf(10);
  trail.head->at.msSinceEpoch += 1;
  EXPECT_EQ(trail.problem(), "bad-signature 10");
  EXPECT_EQ(trailOf(10).problem(false), "unknown-key 4");
}

TEST(ChainVerifier, theSmallestSequenceIsTheFirstProblem) {
  auto trail = trailOf(10);
  trail.checkpoints[1].signature[5] ^= 1;
  trail.records[2].rule.clear();
  EXPECT_EQ(trail.problem(), "edited 3");
}

TEST(ChainVerifier, aLiveTrailIsReadUpToItsHead) {
  auto trail = trailOf(6);
  Verifier keys;
  ASSERT_TRUE(keys.add(trail.signer.publicKeyPem()));
  ChainVerifier chain(keys, trail.checkpoints);
  for (const auto& record : trail.records) chain.add(record);
  trail.append("committed meanwhile");
  for (auto next = chain.nextSequence(); next <= trail.head->sequence; ++next) chain.add(trail.records[next - 1]);
  EXPECT_TRUE(chain.finish(trail.head).ok);
}

/// Changes one field of one record in some way.
void mutate(AuditRecord& record) {
  const auto text = [](std::string& field) {
    const auto changed = *rc::gen::distinctFrom(rc::gen::arbitrary<std::string>(), field);
    field = changed;
  };
  switch (*rc::gen::inRange(0, 10)) {
    case 0:
      record.sequence = *rc::gen::distinctFrom(rc::gen::inRange<std::uint64_t>(0, 30), record.sequence);
      break;
    case 1:
      record.at.msSinceEpoch = *rc::gen::distinctFrom(rc::gen::arbitrary<std::int64_t>(), record.at.msSinceEpoch);
      break;
    case 2:
      text(record.principal);
      break;
    case 3:
      text(record.action);
      break;
    case 4:
      text(record.object);
      break;
    case 5:
      text(record.project);
      break;
    case 6:
      text(record.rule);
      break;
    case 7:
      text(record.detail);
      break;
    case 8:
      record.allowed = !record.allowed;
      break;
    default:
      record.hash[*rc::gen::inRange<std::size_t>(0, 32)] ^= *rc::gen::inRange<std::uint8_t>(1, 255);
      break;
  }
}

TEST(ChainVerifierProperty, anyChangeOfAnyFieldIsFoundAtItsRecord) {
  EXPECT_TRUE(rc::check([] {
    auto trail = trailOf(*rc::gen::inRange<std::size_t>(1, 16));
    const auto index = *rc::gen::inRange<std::size_t>(0, trail.records.size());
    mutate(trail.records[index]);
    RC_ASSERT(trail.problem() == "edited " + std::to_string(index + 1));
  }));
}

TEST(ChainVerifierProperty, anyRemovalSwapAndCutIsFoundAtItsRecord) {
  EXPECT_TRUE(rc::check([] {
    const auto whole = trailOf(*rc::gen::inRange<std::size_t>(2, 16));
    const auto size = whole.records.size();
    const auto a = *rc::gen::inRange<std::size_t>(0, size - 1);
    const auto b = *rc::gen::inRange<std::size_t>(a + 1, size);
    const auto name = std::to_string(a + 1);

    auto removed = trailOf(size);
    removed.records.erase(removed.records.begin() + static_cast<std::ptrdiff_t>(a));
    RC_ASSERT(removed.problem() == "deleted " + name);

    auto swapped = trailOf(size);
    std::swap(swapped.records[a], swapped.records[b]);
    RC_ASSERT(swapped.problem() == "reordered " + name);

    auto cut = trailOf(size);
    cut.records.resize(a);
    RC_ASSERT(cut.problem() == "truncated " + name);
  }));
}

TEST(ChainVerifierProperty, anyRewriteWithoutTheKeyIsFound) {
  EXPECT_TRUE(rc::check([] {
    auto trail = trailOf(*rc::gen::inRange<std::size_t>(1, 16));
    const auto index = *rc::gen::inRange<std::size_t>(0, trail.records.size());
    trail.records[index].detail = "rewritten";
    trail.rehashFrom(index);
    const auto report = trail.report();
    RC_ASSERT(!report.ok);
    RC_ASSERT(report.firstProblem->kind == AuditProblemKind::checkpointMismatch);
    RC_ASSERT(report.firstProblem->sequence > index);
  }));
}

}  // namespace
}  // namespace fairlead::audit
