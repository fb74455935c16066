#include <fairlead/base/text.hpp>
#include <fairlead/ledger/errors.hpp>
#include <fairlead/ledger/usage.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>

namespace fairlead::ledger {
namespace {

using model::Posting;
using model::PostingCategory;
using ::testing::ElementsAre;

constexpr std::int64_t kDay = 86'400'000;

TimePoint time(const char* text) { return parseTime(text).value(); }

Posting posting(std::string project, std::string user, std::string model, std::int64_t milli, TimePoint from,
                TimePoint to, PostingCategory category = PostingCategory::used) {
  Posting p;
  p.project = std::move(project);
  p.user = std::move(user);
  p.deviceModel = std::move(model);
  p.devices = {milli};
  p.from = from;
  p.to = to;
  p.category = category;
  p.workload = {3};
  return p;
}

const PriceBook& noPrices() {
  static const PriceBook book;
  return book;
}

TEST(UsageQuery, refusesWhatCannotBeAnswered) {
  EXPECT_FALSE(check({TimePoint{5}, TimePoint{5}, {}}));
  EXPECT_FALSE(check({TimePoint{6}, TimePoint{5}, {}}));
  EXPECT_FALSE(check({TimePoint{-1}, TimePoint{5}, {}}));
  EXPECT_FALSE(check({TimePoint{0}, TimePoint{std::numeric_limits<std::int64_t>::max()}, {}}));
  EXPECT_FALSE(check({TimePoint{1}, TimePoint{5}, {UsageKey::user, UsageKey::user}}));
  EXPECT_FALSE(check({TimePoint{0}, TimePoint{4'000 * kDay}, {UsageKey::day}}));
  EXPECT_TRUE(check({TimePoint{0}, TimePoint{4'000 * kDay}, {UsageKey::user}}));
}

TEST(Usage, groupsSortsAndAddsUp) {
  const UsageQuery query{
      time("2026-11-01T00:00:00Z"), time("2026-12-01T00:00:00Z"), {UsageKey::project, UsageKey::user}};
  const auto from = time("2026-11-30T10:00:00Z");
  const auto to = time("2026-11-30T11:00:00Z");
  const std::vector<Posting> postings{
      posting("nlp", "bob", "h100", 1'000, from, to),
      posting("cv", "zoe", "h100", 2'000, from, to),
      posting("nlp", "alice", "h100", 4'000, from, to, PostingCategory::lost),
      posting("nlp", "bob", "h100", 1'000, from, to, PostingCategory::idle),
  };
  const auto report = summarise(postings, query, noPrices());
  ASSERT_EQ(report.rows.size(), 3U);
  EXPECT_THAT(report.rows[0].key, ElementsAre("cv", "zoe"));
  EXPECT_THAT(report.rows[1].key, ElementsAre("nlp", "alice"));
  EXPECT_THAT(report.rows[2].key, ElementsAre("nlp", "bob"));
  EXPECT_EQ(report.rows[1].of(PostingCategory::lost).count, 4 * kMicroDeviceSecondsPerDeviceHour);
  EXPECT_EQ(report.rows[2].of(PostingCategory::idle).count, kMicroDeviceSecondsPerDeviceHour);
  EXPECT_EQ(report.rows[2].total().count, 2 * kMicroDeviceSecondsPerDeviceHour);
  EXPECT_EQ(report.total.total().count, 8 * kMicroDeviceSecondsPerDeviceHour);
  EXPECT_EQ(report.total.unpriced, report.total.total()) << "no price: told, not free";
  EXPECT_TRUE(report.total.cost.empty());
}

TEST(Usage, countsOnlyThePartInsideTheHalfOpenWindow) {
  const UsageQuery query{TimePoint{1'000}, TimePoint{2'000}, {}};
  const auto count = [&](std::int64_t from, std::int64_t to) {
    const std::vector one{posting("p", "u", "m", 1'000, {from}, {to})};
    return summarise(one, query, noPrices()).total.total().count / 1'000;
  };
  EXPECT_EQ(count(0, 5'000), 1'000);
  EXPECT_EQ(count(0, 1'000), 0);
  EXPECT_EQ(count(2'000, 3'000), 0);
  EXPECT_EQ(count(1'999, 3'000), 1);
  EXPECT_EQ(count(1'500, 1'400), 0) << "a turned span is not negative use";
  EXPECT_EQ(count(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()), 1'000);
}

TEST(Usage, splitsAtMidnightUtc) {
  const UsageQuery query{time("2026-10-01T00:00:00Z"), time("2026-11-01T00:00:00Z"), {UsageKey::day}};
  const std::vector one{posting("p", "u", "m", 1'000, time("2026-10-24T22:00:00Z"), time("2026-10-26T01:00:00Z"))};
  const auto report = summarise(one, query, noPrices());
  ASSERT_EQ(report.rows.size(), 3U);
  EXPECT_THAT(report.rows[0].key, ElementsAre("2026-10-24"));
  EXPECT_EQ(report.rows[0].total().count, 2 * kMicroDeviceSecondsPerDeviceHour);
  EXPECT_THAT(report.rows[1].key, ElementsAre("2026-10-25"));
  EXPECT_EQ(report.rows[1].total().count, 24 * kMicroDeviceSecondsPerDeviceHour) << "clock changes have no say";
  EXPECT_EQ(report.rows[2].total().count, 1 * kMicroDeviceSecondsPerDeviceHour);
}

TEST(Usage, roundsMoneyOncePerRowAndTheTotalIsTheSumOfTheRows) {
  const auto book = PriceBook::make({{"m", {1'000'000}, "USD", {}, {}}, {"n", {5}, "CNY", {}, {}}}).value();
  const UsageQuery query{TimePoint{0}, TimePoint{kDay}, {UsageKey::user}};
  std::vector<Posting> postings;
  // 1 ms of a device costs 0.27 micro-dollars: rounded one by one these 1,000 would be nothing.
  for (std::int64_t i = 0; i < 1'000; ++i) postings.push_back(posting("p", "a", "m", 1'000, {i}, {i + 1}));
  postings.push_back(posting("p", "b", "m", 1'000, {0}, {2}));
  postings.push_back(posting("p", "b", "n", 1'000, {0}, {3'600'000}));
  const auto report = summarise(postings, query, book);
  ASSERT_EQ(report.rows.size(), 2U);
  EXPECT_THAT(report.rows[0].cost, ElementsAre(Money{"USD", {278}}));
  EXPECT_THAT(report.rows[1].cost, ElementsAre(Money{"CNY", {5}}, Money{"USD", {1}}));
  EXPECT_THAT(report.total.cost, ElementsAre(Money{"CNY", {5}}, Money{"USD", {279}}));
  EXPECT_EQ(report.total.unpriced.count, 0);
}

TEST(Usage, absurdRowsSaturateInsteadOfEndingTheProcess) {
  const UsageQuery query{
      TimePoint{0}, time("9999-12-31T00:00:00Z"), {UsageKey::workload, UsageKey::category, UsageKey::taskClass}};
  const auto book = PriceBook::make({{"m", {1'000'000'000'000'000}, "USD", {}, {}}}).value();
  const auto most = std::numeric_limits<std::int64_t>::max();
  const std::vector two{posting("p", "u", "m", most, {0}, {most}), posting("p", "u", "m", most, {0}, {most})};
  const auto report = summarise(two, query, book);
  EXPECT_EQ(report.total.total().count, most);
}

TEST(UsageProperty, orderAndGroupingNeverChangeTheTotalAndRowsAddUpExactly) {
  const auto book = PriceBook::make({{"m", {123'457}, "USD", {}, {}}, {"n", {777}, "USD", {500}, {}}}).value();
  EXPECT_TRUE(rc::check([&book] {
    std::vector<Posting> postings;
    for (int i = *rc::gen::inRange(0, 20); i > 0; --i) {
      const TimePoint from{*rc::gen::inRange<std::int64_t>(0, 3 * kDay)};
      postings.push_back(posting(*rc::gen::element<std::string>("p", "q"), *rc::gen::element<std::string>("a", "b"),
                                 *rc::gen::element<std::string>("m", "n", "o"), *rc::gen::inRange(-500, 4'000), from,
                                 from + Milliseconds{*rc::gen::inRange<std::int64_t>(0, 2 * kDay)},
                                 *rc::gen::elementOf(std::vector{PostingCategory::used, PostingCategory::lost})));
    }
    UsageQuery query{
        TimePoint{kDay / 2}, TimePoint{2 * kDay + 7}, {UsageKey::day, UsageKey::project, UsageKey::deviceModel}};
    const auto report = summarise(postings, query, book);
    MicroDeviceSeconds sum;
    MicroCurrency money;
    for (const auto& row : report.rows) {
      sum += row.total();
      for (const auto& part : row.cost) money += part.amount;
    }
    RC_ASSERT(sum == report.total.total());
    RC_ASSERT(money == (report.total.cost.empty() ? MicroCurrency{} : report.total.cost[0].amount));

    std::reverse(postings.begin(), postings.end());
    const auto turned = summarise(postings, query, book);
    RC_ASSERT(turned.rows == report.rows);
    query.groupBy.clear();
    RC_ASSERT(summarise(postings, query, book).total.byCategory == report.total.byCategory);
  }));
}

}  // namespace
}  // namespace fairlead::ledger
