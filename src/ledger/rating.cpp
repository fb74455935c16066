#include "saturate.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/ledger/errors.hpp>
#include <fairlead/ledger/rating.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace fairlead::ledger {
namespace {

using model::Price;

constexpr std::int64_t kHighestPrice =
    1'000'000'000'000'000;  // 10^9 currency units an hour: products stay far in range
constexpr TimePoint kForever{std::numeric_limits<std::int64_t>::max()};

TimePoint endOf(const Price& price) { return price.to ? price.to : kForever; }

struct Numbered {
  std::size_t index;
  Price price;
};

Error priceError(const ErrorCode& code, std::size_t index, std::string_view field, std::string value,
                 std::string message, std::string remedy = {}) {
  return Error{&code, std::move(message), fmt::format("prices[{}].{}", index, field), printable(value),
               std::move(remedy)};
}

bool isCurrency(std::string_view text) {
  return text.size() == 3 && std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

void checkFields(const Numbered& item, Errors& errors) {
  const auto& price = item.price;
  if (price.deviceModel.empty())
    errors.push_back(priceError(kPriceInvalid, item.index, "deviceModel", "", "a price needs a device model"));
  if (!isCurrency(price.currency))
    errors.push_back(priceError(kPriceInvalid, item.index, "currency", price.currency, "not a currency code",
                                "three capital letters, such as USD or CNY"));
  if (price.perDeviceHour.count < 0 || price.perDeviceHour.count > kHighestPrice)
    errors.push_back(priceError(kPriceInvalid, item.index, "perDeviceHour", std::to_string(price.perDeviceHour.count),
                                fmt::format("a price is from 0 to {} millionths", kHighestPrice)));
  if (price.from >= endOf(price))
    errors.push_back(priceError(kPriceInvalid, item.index, "to", toText(price.to),
                                "the price ends before it begins, or at once", "give a later end, or none"));
}

/// `list` is of one model and sorted by from.
void checkTogether(const std::vector<Numbered>& list, Errors& errors) {
  for (std::size_t i = 1; i < list.size(); ++i) {
    const auto& before = list[i - 1];
    const auto& item = list[i];
    if (item.price.from < endOf(before.price))
      errors.push_back(
          priceError(kPriceOverlap, item.index, "from", toText(item.price.from),
                     fmt::format("prices[{}] of {} holds until {}", before.index, printable(item.price.deviceModel),
                                 before.price.to ? toText(before.price.to) : "further notice"),
                     "end the earlier price when the later one begins"));
    if (item.price.currency != list.front().price.currency)
      errors.push_back(
          priceError(kPriceCurrencyMix, item.index, "currency", item.price.currency,
                     fmt::format("prices[{}] of {} is in {}", list.front().index, printable(item.price.deviceModel),
                                 printable(list.front().price.currency))));
  }
}

/// `h100-sxm5-80gb`, `h100-sxm5`, `h100`.
std::vector<std::string_view> namesOf(std::string_view deviceModel) {
  std::vector<std::string_view> names{deviceModel};
  for (auto dash = deviceModel.rfind('-'); dash != std::string_view::npos && dash > 0;
       dash = deviceModel.rfind('-', dash - 1))
    names.push_back(deviceModel.substr(0, dash));
  return names;
}

}  // namespace

MicroCurrency ExactCost::rounded() const {
  constexpr Int128 kUnit = kMicroDeviceSecondsPerDeviceHour;
  const Int128 half = value < 0 ? -kUnit / 2 : kUnit / 2;
  return {saturated((value + half) / kUnit)};
}

Checked<PriceBook> PriceBook::make(std::vector<Price> prices) {
  Errors errors;
  std::map<std::string, std::vector<Numbered>> byModel;
  for (std::size_t i = 0; i < prices.size(); ++i) {
    Numbered item{i, std::move(prices[i])};
    checkFields(item, errors);
    auto name = item.price.deviceModel;
    byModel[std::move(name)].push_back(std::move(item));
  }
  PriceBook book;
  for (auto& [name, list] : byModel) {
    std::stable_sort(list.begin(), list.end(),
                     [](const auto& a, const auto& b) { return a.price.from < b.price.from; });
    checkTogether(list, errors);
    auto& kept = book.prices_[name];
    for (auto& item : list) kept.push_back(std::move(item.price));
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return book;
}

std::vector<PriceBook::Piece> PriceBook::pieces(std::string_view deviceModel, TimePoint from, TimePoint to) const {
  std::vector<Piece> out;
  if (from < to) cover(namesOf(deviceModel), 0, from, to, out);
  return out;
}

/// Fills [from, to) with the prices of one name, and the gaps between them with those of the next shorter name.
void PriceBook::cover(const std::vector<std::string_view>& names, std::size_t level, TimePoint from, TimePoint to,
                      std::vector<Piece>& out) const {
  if (level == names.size()) {
    out.push_back({from, to, nullptr});
    return;
  }
  const auto list = prices_.find(names[level]);
  if (list == prices_.end()) return cover(names, level + 1, from, to, out);
  for (const auto& price : list->second) {
    if (endOf(price) <= from) continue;
    if (price.from >= to) break;
    if (from < price.from) cover(names, level + 1, from, price.from, out);
    const auto begin = std::max(from, price.from);
    from = std::min(to, endOf(price));
    out.push_back({begin, from, &price});
    if (from == to) return;
  }
  cover(names, level + 1, from, to, out);
}

Cost cost(const PriceBook& book, const model::Posting& posting) {
  Cost sum;
  Int128 unpriced = 0;
  for (const auto& piece : book.pieces(posting.deviceModel, posting.from, posting.to)) {
    // 64 bits of use times a price of at most 10^15 leave room for thousands of such absurd rows in a sum.
    const Int128 used = saturated(Int128{posting.devices.count} * (piece.to - piece.from).count);
    if (piece.price == nullptr)
      unpriced += used;
    else
      sum.byCurrency[piece.price->currency] += ExactCost{used * piece.price->perDeviceHour.count};
  }
  sum.unpriced = {saturated(unpriced)};
  return sum;
}

}  // namespace fairlead::ledger
