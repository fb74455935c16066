#include <fairlead/ledger/postings.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <memory>
#include <set>
#include <string>

namespace fairlead::ledger {
namespace {

using model::Attempt;
using model::MemberPlacement;
using model::Workload;

constexpr TimePoint kPlanned{1'000'000};
constexpr TimePoint at(std::int64_t seconds) { return {kPlanned.msSinceEpoch + seconds * 1'000}; }

Workload workloadOf(model::TaskClass taskClass = model::TaskClass::training) {
  auto document = std::make_shared<model::SpecDocument>();
  document->spec.taskClass = taskClass;
  Workload workload;
  workload.id = {7};
  workload.project = "nlp";
  workload.submitter = "alice";
  workload.spec = document;
  return workload;
}

MemberPlacement member(std::int32_t rank, std::string node, std::int32_t devices, std::string model = "h100") {
  MemberPlacement placement;
  placement.rank = rank;
  placement.node = std::move(node);
  placement.vendor = "nvidia";
  placement.model = std::move(model);
  for (std::int32_t i = 0; i < devices; ++i) placement.devices.push_back({i, {1000}});
  return placement;
}

Attempt attemptOf(std::vector<MemberPlacement> placement) {
  Attempt attempt;
  attempt.id = {9};
  attempt.workload = {7};
  attempt.cluster = "local";
  attempt.placement = std::move(placement);
  attempt.plannedAt = kPlanned;
  attempt.startedAt = at(10);
  attempt.endedAt = at(110);
  return attempt;
}

/// Device-seconds of one category.
std::int64_t seconds(const std::vector<Posting>& postings, PostingCategory category) {
  Int128 sum = 0;
  for (const auto& posting : postings)
    if (posting.category == category) sum += amount(posting).count;
  EXPECT_EQ(static_cast<std::int64_t>(sum % 1'000'000), 0);
  return static_cast<std::int64_t>(sum / 1'000'000);
}

struct Expected {
  std::int64_t used, idle, lost, overhead;
};

void expectSeconds(const std::vector<Posting>& postings, Expected expected) {
  EXPECT_EQ(seconds(postings, PostingCategory::used), expected.used) << "used";
  EXPECT_EQ(seconds(postings, PostingCategory::idle), expected.idle) << "idle";
  EXPECT_EQ(seconds(postings, PostingCategory::lost), expected.lost) << "lost";
  EXPECT_EQ(seconds(postings, PostingCategory::overhead), expected.overhead) << "overhead";
}

TEST(Postings, aGoodAttemptIsOverheadAndUse) {
  const auto postings = postingsOf(workloadOf(), attemptOf({member(0, "n1", 2)}), false);
  expectSeconds(postings, {200, 0, 0, 20});
  ASSERT_EQ(postings.size(), 2U);
  const auto& first = postings[0];
  EXPECT_EQ(first.category, PostingCategory::overhead);
  EXPECT_EQ(first.workload.value, 7U);
  EXPECT_EQ(first.attempt.value, 9U);
  EXPECT_EQ(first.project, "nlp");
  EXPECT_EQ(first.user, "alice");
  EXPECT_EQ(first.cluster, "local");
  EXPECT_EQ(first.node, "n1");
  EXPECT_EQ(first.vendor, "nvidia");
  EXPECT_EQ(first.deviceModel, "h100");
  EXPECT_EQ(first.devices, MilliDevices{2000});
  EXPECT_EQ(first.from, kPlanned);
  EXPECT_EQ(first.to, at(10));
}

TEST(Postings, aMemberThatIsDoneWaitsIdleForItsGang) {
  auto attempt = attemptOf({member(0, "n1", 1), member(1, "n2", 1)});
  attempt.ends = {{0, 0, 0, false, at(60)}, {1, 0, 0, false, at(110)}};
  expectSeconds(postingsOf(workloadOf(), attempt, false), {150, 50, 0, 20});
}

TEST(Postings, whatAFailureThrowsAwayIsLostSinceTheCheckpoint) {
  auto attempt = attemptOf({member(0, "n1", 4)});
  attempt.checkpointAt = at(80);
  expectSeconds(postingsOf(workloadOf(), attempt, true), {280, 0, 120, 40});
  EXPECT_EQ(lostWork(workloadOf(), attempt, true).count, 120'000'000);
  EXPECT_EQ(lostWork(workloadOf(), attempt, false).count, 0);
}

TEST(Postings, withoutACheckpointAllIsLost) {
  expectSeconds(postingsOf(workloadOf(), attemptOf({member(0, "n1", 1)}), true), {0, 0, 100, 10});
}

TEST(Postings, aCheckpointThatWasHandedOverSavesNothing) {
  auto attempt = attemptOf({member(0, "n1", 1)});
  attempt.checkpointAt = at(-500);
  expectSeconds(postingsOf(workloadOf(), attempt, true), {0, 0, 100, 10});
}

TEST(Postings, aCheckpointWrittenOnTheStopSignalSavesAllWork) {
  auto attempt = attemptOf({member(0, "n1", 1)});
  attempt.stopAt = at(100);
  attempt.checkpointAt = at(105);
  expectSeconds(postingsOf(workloadOf(), attempt, true), {90, 0, 0, 20});
}

TEST(Postings, stoppingIsOverheadUntilTheMemberEndsAndIdleAfter) {
  auto attempt = attemptOf({member(0, "n1", 1)});
  attempt.stopAt = at(90);
  attempt.ends = {{0, 0, 15, false, at(95)}};
  expectSeconds(postingsOf(workloadOf(), attempt, false), {80, 15, 0, 15});
}

TEST(Postings, anAttemptThatNeverStartedIsAllOverhead) {
  auto attempt = attemptOf({member(0, "n1", 3)});
  attempt.startedAt = {};
  expectSeconds(postingsOf(workloadOf(), attempt, true), {0, 0, 0, 330});
}

TEST(Postings, servingWorkIsNeverLost) {
  for (const auto taskClass : {model::TaskClass::inference, model::TaskClass::platform})
    expectSeconds(postingsOf(workloadOf(taskClass), attemptOf({member(0, "n1", 1)}), true), {100, 0, 0, 10});
  expectSeconds(postingsOf(workloadOf(model::TaskClass::interactive), attemptOf({member(0, "n1", 1)}), true),
                {0, 0, 100, 10});
}

TEST(Postings, sharesCountTheirPartAndFourQuartersMakeOneDevice) {
  auto quarter = member(0, "n1", 0);
  quarter.devices = {{0, {250}}};
  std::vector<MemberPlacement> four;
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    quarter.rank = rank;
    four.push_back(quarter);
  }
  const auto postings = postingsOf(workloadOf(), attemptOf(four), false);
  EXPECT_EQ(postings.size(), 2U) << "alike members share a posting";
  expectSeconds(postings, {100, 0, 0, 10});
}

TEST(Postings, membersOfDifferentNodesAndModelsHaveTheirOwn) {
  const auto postings =
      postingsOf(workloadOf(), attemptOf({member(0, "n1", 1), member(1, "n1", 1, "a100"), member(2, "n2", 1)}), false);
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& posting : postings) seen.emplace(posting.node, posting.deviceModel);
  EXPECT_THAT(seen, ::testing::ElementsAre(std::pair("n1", "a100"), std::pair("n1", "h100"), std::pair("n2", "h100")));
}

TEST(Postings, aMemberWithoutDevicesPostsNothing) {
  EXPECT_TRUE(postingsOf(workloadOf(), attemptOf({member(0, "n1", 0)}), true).empty());
}

TEST(Postings, aTenSecondAttemptIsPosted) {
  auto attempt = attemptOf({member(0, "n1", 1)});
  attempt.startedAt = kPlanned;
  attempt.endedAt = at(10);
  expectSeconds(postingsOf(workloadOf(), attempt, false), {10, 0, 0, 0});
}

TEST(AccruedPostings, countALivingAttemptUpToNowAndAnEndedOneNotAgain) {
  auto attempt = attemptOf({member(0, "n1", 1)});
  EXPECT_TRUE(accruedPostings(workloadOf(), attempt, at(500)).empty());
  attempt.endedAt = {};
  expectSeconds(accruedPostings(workloadOf(), attempt, at(50)), {40, 0, 0, 10});
  EXPECT_TRUE(accruedPostings(workloadOf(), attempt, at(-5)).empty());
}

rc::Gen<Attempt> anyAttempt() {
  return rc::gen::exec([] {
    const auto instant = [] {
      return *rc::gen::oneOf(rc::gen::just(TimePoint{}), rc::gen::map(rc::gen::inRange(-50, 150), at));
    };
    std::vector<MemberPlacement> placement;
    const auto members = *rc::gen::inRange(0, 5);
    for (std::int32_t rank = 0; rank < members; ++rank) {
      auto placed = member(rank, *rc::gen::element<std::string>("n1", "n2"), *rc::gen::inRange(0, 3));
      if (*rc::gen::arbitrary<bool>()) placed.devices.push_back({7, {*rc::gen::inRange(1, 1000)}});
      placement.push_back(std::move(placed));
    }
    auto attempt = attemptOf(std::move(placement));
    attempt.startedAt = instant();
    attempt.stopAt = instant();
    attempt.endedAt = instant();
    attempt.checkpointAt = instant();
    for (std::int32_t rank = 0; rank < members + 2; ++rank)
      if (*rc::gen::arbitrary<bool>()) attempt.ends.push_back({rank, 0, 0, false, instant()});
    return attempt;
  });
}

Int128 heldBy(const Attempt& attempt, std::int32_t rank) {
  Int128 milli = 0;
  for (const auto& placed : attempt.placement)
    if (rank < 0 || placed.rank == rank)
      for (const auto& slice : placed.devices) milli += slice.milli.count;
  return milli * std::max<std::int64_t>(0, (attempt.endedAt - attempt.plannedAt).count);
}

TEST(PostingsProperty, categoriesAddUpToDevicesTimesTimeInAnyOrderOfInstants) {
  EXPECT_TRUE(rc::check([] {
    const auto attempt = *anyAttempt();
    const auto lost = *rc::gen::arbitrary<bool>();
    const auto workload =
        workloadOf(*rc::gen::elementOf(std::vector{model::TaskClass::training, model::TaskClass::inference}));
    const auto postings = postingsOf(workload, attempt, lost);
    Int128 sum = 0;
    for (const auto& posting : postings) {
      RC_ASSERT(posting.from < posting.to);
      RC_ASSERT(posting.from >= attempt.plannedAt && posting.to <= attempt.endedAt);
      RC_ASSERT(posting.devices.count > 0);
      RC_ASSERT(posting.category != PostingCategory::lost ||
                (lost && workload.spec->spec.taskClass == model::TaskClass::training));
      sum += amount(posting).count;
    }
    RC_ASSERT(sum == heldBy(attempt, -1));
  }));
}

TEST(PostingsProperty, losingWorkMovesUseToLostAndTouchesNothingElse) {
  EXPECT_TRUE(rc::check([] {
    const auto attempt = *anyAttempt();
    const auto of = [&](bool lost, PostingCategory category) {
      Int128 sum = 0;
      for (const auto& posting : postingsOf(workloadOf(), attempt, lost))
        if (posting.category == category) sum += amount(posting).count;
      return sum;
    };
    RC_ASSERT(of(true, PostingCategory::idle) == of(false, PostingCategory::idle));
    RC_ASSERT(of(true, PostingCategory::overhead) == of(false, PostingCategory::overhead));
    RC_ASSERT(of(true, PostingCategory::used) + of(true, PostingCategory::lost) == of(false, PostingCategory::used));
  }));
}

TEST(PostingsProperty, atNoInstantIsADeviceInTwoCategories) {
  EXPECT_TRUE(rc::check([] {
    auto attempt = *anyAttempt();
    if (attempt.placement.size() > 1) attempt.placement.resize(1);
    const auto postings = postingsOf(workloadOf(), attempt, *rc::gen::arbitrary<bool>());
    for (std::size_t i = 0; i < postings.size(); ++i)
      for (std::size_t k = i + 1; k < postings.size(); ++k)
        RC_ASSERT(postings[i].to <= postings[k].from || postings[k].to <= postings[i].from);
  }));
}

}  // namespace
}  // namespace fairlead::ledger
