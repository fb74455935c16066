#include "saturate.hpp"

#include <fairlead/base/assert.hpp>
#include <fairlead/base/text.hpp>
#include <fairlead/ledger/errors.hpp>
#include <fairlead/ledger/usage.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::ledger {
namespace {

using model::Posting;
using model::PostingCategory;

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int64_t kMostDays = 3'700;
constexpr TimePoint kLatest{253'402'300'800'000};  // year 10000

std::int64_t dayOf(TimePoint at) { return at.msSinceEpoch / kDayMs; }

std::string dayText(TimePoint at) { return toText(at).substr(0, 10); }

void addMoney(std::map<std::string, Int128>& sums, const std::vector<Money>& amounts) {
  for (const auto& money : amounts) sums[money.currency] += money.amount.count;
}

}  // namespace

Result<void> check(const UsageQuery& query) {
  if (query.from < TimePoint{} || query.to > kLatest)
    return fail(kUsageQueryInvalid, "the window leaves the years 1970 to 9999");
  if (query.from >= query.to)
    return fail(kUsageQueryInvalid,
                fmt::format("the window from {} to {} is empty", toText(query.from), toText(query.to)),
                "give an end after the beginning");
  for (std::size_t i = 0; i < query.groupBy.size(); ++i)
    if (std::count(query.groupBy.begin(), query.groupBy.end(), query.groupBy[i]) > 1)
      return fail(kUsageQueryInvalid, fmt::format("grouped by {} twice", toText(query.groupBy[i])));
  const bool byDay = std::count(query.groupBy.begin(), query.groupBy.end(), UsageKey::day) > 0;
  if (byDay && dayOf(query.to) - dayOf(query.from) > kMostDays)
    return fail(kUsageQueryInvalid, fmt::format("more than {} days in one report by day", kMostDays),
                "ask for a shorter window");
  return {};
}

MicroDeviceSeconds UsageRow::total() const {
  Int128 sum = 0;
  for (const auto& part : byCategory) sum += part.count;
  return {saturated(sum)};
}

UsageSummary::UsageSummary(UsageQuery query, const PriceBook& book) : query_(std::move(query)), book_(book) {
  FL_ASSERT(check(query_).has_value(), "usage queries are checked before");
  byDay_ = std::count(query_.groupBy.begin(), query_.groupBy.end(), UsageKey::day) > 0;
}

void UsageSummary::add(const Posting& posting) {
  auto part = posting;
  part.from = std::max(posting.from, query_.from);
  const auto end = std::min(posting.to, query_.to);
  while (part.from < end) {
    const TimePoint midnight{byDay_ ? (dayOf(part.from) + 1) * kDayMs : end.msSinceEpoch};
    part.to = std::min(end, midnight);
    addPart(part);
    part.from = part.to;
  }
}

void UsageSummary::addPart(const Posting& part) {
  auto& sums = rows_[keyOf(part)];
  sums.byCategory[static_cast<std::size_t>(part.category)] += Int128{part.devices.count} * (part.to - part.from).count;
  const auto priced = cost(book_, part);
  sums.unpriced += priced.unpriced.count;
  for (const auto& [currency, amount] : priced.byCurrency) sums.cost[currency] += amount;
}

std::vector<std::string> UsageSummary::keyOf(const Posting& part) const {
  std::vector<std::string> key;
  key.reserve(query_.groupBy.size());
  for (const auto by : query_.groupBy) {
    switch (by) {
      case UsageKey::project:
        key.push_back(part.project);
        break;
      case UsageKey::user:
        key.push_back(part.user);
        break;
      case UsageKey::taskClass:
        key.emplace_back(toText(part.taskClass));
        break;
      case UsageKey::deviceModel:
        key.push_back(part.deviceModel);
        break;
      case UsageKey::cluster:
        key.push_back(part.cluster);
        break;
      case UsageKey::day:
        key.push_back(dayText(part.from));
        break;
      case UsageKey::workload:
        key.push_back(toText(part.workload));
        break;
      case UsageKey::category:
        key.emplace_back(toText(part.category));
        break;
    }
  }
  return key;
}

UsageRow UsageSummary::rowOf(std::vector<std::string> key, const Sums& sums) {
  UsageRow row;
  row.key = std::move(key);
  for (std::size_t i = 0; i < sums.byCategory.size(); ++i) row.byCategory[i] = {saturated(sums.byCategory[i])};
  row.unpriced = {saturated(sums.unpriced)};
  for (const auto& [currency, amount] : sums.cost) row.cost.push_back({currency, amount.rounded()});
  return row;
}

UsageReport UsageSummary::report() const {
  UsageReport report{query_, {}, {}};
  std::array<Int128, kEnumNames<PostingCategory>.size()> byCategory{};
  Int128 unpriced = 0;
  std::map<std::string, Int128> money;
  for (const auto& [key, sums] : rows_) {
    auto row = rowOf(key, sums);
    for (std::size_t i = 0; i < byCategory.size(); ++i) byCategory[i] += row.byCategory[i].count;
    unpriced += row.unpriced.count;
    addMoney(money, row.cost);
    report.rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < byCategory.size(); ++i) report.total.byCategory[i] = {saturated(byCategory[i])};
  report.total.unpriced = {saturated(unpriced)};
  for (const auto& [currency, amount] : money) report.total.cost.push_back({currency, {saturated(amount)}});
  return report;
}

UsageReport summarise(std::span<const Posting> postings, const UsageQuery& query, const PriceBook& book) {
  UsageSummary summary(query, book);
  for (const auto& posting : postings) summary.add(posting);
  return summary.report();
}

}  // namespace fairlead::ledger
