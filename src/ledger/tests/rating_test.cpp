#include <fairlead/ledger/errors.hpp>
#include <fairlead/ledger/rating.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>

namespace fairlead::ledger {
namespace {

using model::Posting;
using model::Price;

constexpr std::int64_t kHour = 3'600'000;
constexpr TimePoint hour(std::int64_t n) { return {n * kHour}; }

Price price(std::string model, std::int64_t micro, TimePoint from = {}, TimePoint to = {},
            std::string currency = "USD") {
  return {std::move(model), {micro}, std::move(currency), from, to};
}

Posting posting(std::string model, std::int64_t milli, TimePoint from, TimePoint to) {
  Posting p;
  p.deviceModel = std::move(model);
  p.devices = {milli};
  p.from = from;
  p.to = to;
  return p;
}

PriceBook bookOf(std::vector<Price> prices) {
  auto book = PriceBook::make(std::move(prices));
  if (!book) ADD_FAILURE() << book.error().front().message;
  return book ? *book : PriceBook{};
}

std::int64_t micros(const Cost& cost, const std::string& currency = "USD") {
  const auto found = cost.byCurrency.find(currency);
  return found == cost.byCurrency.end() ? -1 : found->second.rounded().count;
}

std::vector<std::string> problems(std::vector<Price> prices) {
  std::vector<std::string> out;
  const auto book = PriceBook::make(std::move(prices));
  if (book) return out;
  for (const auto& error : book.error()) out.push_back(error.field + " " + std::string(error.token()));
  return out;
}

TEST(PriceBook, refusesEachBadPriceAndNamesAllOfThem) {
  using ::testing::ElementsAre;
  EXPECT_THAT(problems({price("", 1)}), ElementsAre("prices[0].deviceModel ledger/price-invalid"));
  EXPECT_THAT(problems({price("a", -1)}), ElementsAre("prices[0].perDeviceHour ledger/price-invalid"));
  EXPECT_THAT(problems({price("a", std::numeric_limits<std::int64_t>::max())}),
              ElementsAre("prices[0].perDeviceHour ledger/price-invalid"));
  EXPECT_THAT(problems({price("a", 1, {}, {}, "usd"), price("b", 1, {}, {}, "")}),
              ElementsAre("prices[0].currency ledger/price-invalid", "prices[1].currency ledger/price-invalid"));
  EXPECT_THAT(problems({price("a", 1, hour(2), hour(2))}), ElementsAre("prices[0].to ledger/price-invalid"));
  EXPECT_THAT(problems({price("a", 1, hour(0)), price("a", 2, hour(5))}),
              ElementsAre("prices[1].from ledger/price-overlap"));
  EXPECT_THAT(problems({price("a", 2, hour(5)), price("a", 1, hour(1), hour(6))}),
              ElementsAre("prices[0].from ledger/price-overlap"));
  EXPECT_THAT(problems({price("a", 1, hour(0), hour(5)), price("a", 2, hour(5), {}, "CNY")}),
              ElementsAre("prices[1].currency ledger/price-currency-mix"));
}

TEST(PriceBook, acceptsPricesThatTouchAndFreeOnesAndCurrenciesPerModel) {
  EXPECT_TRUE(
      problems({price("a", 1, hour(0), hour(5)), price("a", 0, hour(5)), price("b", 2, {}, {}, "CNY")}).empty());
}

TEST(Cost, isPriceTimesDeviceHours) {
  const auto book = bookOf({price("h100", 2'500'000)});
  EXPECT_EQ(micros(cost(book, posting("h100", 8'000, hour(10), hour(12)))), 40'000'000);
  EXPECT_EQ(micros(cost(book, posting("h100", 250, hour(10), hour(11)))), 625'000) << "a quarter of a device";
}

TEST(Cost, splitsWhereThePriceChanges) {
  const auto book = bookOf({price("h100", 1'000'000, hour(0), hour(10)), price("h100", 3'000'000, hour(10))});
  EXPECT_EQ(micros(cost(book, posting("h100", 1'000, hour(8), hour(11)))), 5'000'000);
}

TEST(Cost, takesTheLongestFamilyNameAtEachInstant) {
  const auto book = bookOf({price("h100", 1'000'000), price("h100-sxm5", 2'000'000, hour(5), hour(6))});
  EXPECT_EQ(micros(cost(book, posting("h100-sxm5-80gb", 1'000, hour(5), hour(6)))), 2'000'000);
  EXPECT_EQ(micros(cost(book, posting("h100-sxm5-80gb", 1'000, hour(4), hour(7)))), 4'000'000);
  EXPECT_EQ(micros(cost(book, posting("h100-pcie", 1'000, hour(5), hour(6)))), 1'000'000);
}

TEST(Cost, aNameThatOnlyBeginsAlikeIsAnotherModel) {
  const auto book = bookOf({price("h100", 1'000'000), price("a10", 1)});
  for (const auto* model : {"h1000", "a100", "a", "h10", "", "-", "--"}) {
    const auto result = cost(book, posting(model, 1'000, hour(1), hour(2)));
    EXPECT_TRUE(result.byCurrency.empty()) << model;
    EXPECT_EQ(result.unpriced.count, kMicroDeviceSecondsPerDeviceHour) << model;
  }
}

TEST(Cost, tellsWhatNoPriceCoversAndIsNotSilentlyFree) {
  const auto book = bookOf({price("h100", 1'000'000, hour(10), hour(11)), price("free", 0)});
  const auto partly = cost(book, posting("h100", 1'000, hour(9), hour(13)));
  EXPECT_EQ(micros(partly), 1'000'000);
  EXPECT_EQ(partly.unpriced.count, 3 * kMicroDeviceSecondsPerDeviceHour);
  const auto free = cost(book, posting("free", 1'000, hour(9), hour(13)));
  EXPECT_EQ(micros(free), 0) << "a price of zero is a price";
  EXPECT_EQ(free.unpriced.count, 0);
}

TEST(Cost, ofACorrectionIsTheNegativeOfWhatItCorrects) {
  const auto book = bookOf({price("h100", 333'333)});
  const auto span = posting("h100", 1'000, {1}, {12'345});
  auto correction = span;
  correction.devices = {-1'000};
  EXPECT_EQ(micros(cost(book, span)), -micros(cost(book, correction)));
}

TEST(ExactCost, roundsHalvesAwayFromZeroAndClampsWhatDoesNotFit) {
  const Int128 unit = kMicroDeviceSecondsPerDeviceHour;
  EXPECT_EQ(ExactCost{unit / 2}.rounded().count, 1);
  EXPECT_EQ(ExactCost{unit / 2 - 1}.rounded().count, 0);
  EXPECT_EQ(ExactCost{-unit / 2}.rounded().count, -1);
  EXPECT_EQ(ExactCost{unit * 3}.rounded().count, 3);
  EXPECT_EQ(ExactCost{unit << 70}.rounded().count, std::numeric_limits<std::int64_t>::max());
}

rc::Gen<std::vector<Price>> anyPrices(std::string model) {
  return rc::gen::exec([model] {
    std::vector<Price> prices;
    std::int64_t from = *rc::gen::inRange(0, 20);
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
      const std::int64_t to = from + *rc::gen::inRange(1, 20);
      prices.push_back(price(model, *rc::gen::inRange(0, 1'000'000), {from}, {to}));
      from = to + *rc::gen::inRange(0, 5);
    }
    return prices;
  });
}

TEST(CostProperty, priceAndUnpricedTimeCoverTheSpanOnceAndSplittingChangesNothing) {
  EXPECT_TRUE(rc::check([] {
    auto prices = *anyPrices("h100");
    const auto special = *anyPrices("h100-sxm5");
    prices.insert(prices.end(), special.begin(), special.end());
    const auto book = PriceBook::make(prices);
    RC_ASSERT(book.has_value());
    const TimePoint from{*rc::gen::inRange(0, 60)};
    const TimePoint to{from.msSinceEpoch + *rc::gen::inRange(1, 60)};
    auto next = from;
    for (const auto& piece : book->pieces("h100-sxm5", from, to)) {
      RC_ASSERT(piece.from == next && piece.from < piece.to);
      next = piece.to;
    }
    RC_ASSERT(next == to);

    const TimePoint cut{*rc::gen::inRange(from.msSinceEpoch, to.msSinceEpoch + 1)};
    const auto whole = cost(*book, posting("h100-sxm5", 700, from, to));
    const auto left = cost(*book, posting("h100-sxm5", 700, from, cut));
    const auto right = cost(*book, posting("h100-sxm5", 700, cut, to));
    const auto value = [](const Cost& c) {
      return c.byCurrency.contains("USD") ? c.byCurrency.at("USD").value : Int128{0};
    };
    RC_ASSERT(value(whole) == value(left) + value(right));
    RC_ASSERT(whole.unpriced == left.unpriced + right.unpriced);
    RC_ASSERT(value(whole) >= 0);
  }));
}

}  // namespace
}  // namespace fairlead::ledger
