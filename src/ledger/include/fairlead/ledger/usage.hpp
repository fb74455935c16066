// Sums of postings for people and finance: device time by category, and cost.
#pragma once

#include <fairlead/base/enum_text.hpp>
#include <fairlead/base/result.hpp>
#include <fairlead/ledger/rating.hpp>
#include <fairlead/model/records.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace fairlead::ledger {

enum class UsageKey : std::uint8_t { project, user, taskClass, deviceModel, cluster, day, workload, category };

struct UsageQuery {
  TimePoint from;  ///< half-open window [from, to)
  TimePoint to;
  std::vector<UsageKey> groupBy;  ///< each at most once; empty: one row
};
/// Window not empty, keys not repeated, at most 3,700 days when grouped by day. Error: kUsageQueryInvalid.
[[nodiscard]] Result<void> check(const UsageQuery& query);

struct Money {
  std::string currency;
  MicroCurrency amount;
  bool operator==(const Money&) const = default;
};

struct UsageRow {
  std::vector<std::string> key;  ///< texts in the order of groupBy; days as 2026-11-30 (UTC)
  std::array<MicroDeviceSeconds, kEnumNames<model::PostingCategory>.size()> byCategory{};  ///< index: the enum's value
  MicroDeviceSeconds unpriced;  ///< part of total() that no price covers
  std::vector<Money> cost;      ///< sorted by currency; of all categories; rounded once per row

  [[nodiscard]] MicroDeviceSeconds of(model::PostingCategory category) const {
    return byCategory[static_cast<std::size_t>(category)];
  }
  [[nodiscard]] MicroDeviceSeconds total() const;
  bool operator==(const UsageRow&) const = default;
};

struct UsageReport {
  UsageQuery query;
  std::vector<UsageRow> rows;  ///< sorted by key
  UsageRow total;              ///< exactly the sum of the rows, money too; key is empty
};

/// Takes postings one by one, in any order, in memory of the size of the answer. Not thread-safe.
class UsageSummary {
 public:
  /// `query` must have passed check(); `book` must outlive it.
  UsageSummary(UsageQuery query, const PriceBook& book);
  /// Counts the part inside the window; a posting with an empty or turned span counts nothing.
  void add(const model::Posting& posting);
  [[nodiscard]] UsageReport report() const;

 private:
  struct Sums {
    std::array<Int128, kEnumNames<model::PostingCategory>.size()> byCategory{};
    Int128 unpriced = 0;
    std::map<std::string, ExactCost> cost;
  };
  void addPart(const model::Posting& part);
  [[nodiscard]] std::vector<std::string> keyOf(const model::Posting& part) const;
  [[nodiscard]] static UsageRow rowOf(std::vector<std::string> key, const Sums& sums);

  UsageQuery query_;
  const PriceBook& book_;
  bool byDay_ = false;
  std::map<std::vector<std::string>, Sums> rows_;
};

[[nodiscard]] UsageReport summarise(std::span<const model::Posting> postings, const UsageQuery& query,
                                    const PriceBook& book);

}  // namespace fairlead::ledger

template <>
inline constexpr auto fairlead::kEnumNames<fairlead::ledger::UsageKey> =
    std::to_array<std::pair<fairlead::ledger::UsageKey, std::string_view>>({
        {fairlead::ledger::UsageKey::project, "project"},
        {fairlead::ledger::UsageKey::user, "user"},
        {fairlead::ledger::UsageKey::taskClass, "class"},
        {fairlead::ledger::UsageKey::deviceModel, "device-model"},
        {fairlead::ledger::UsageKey::cluster, "cluster"},
        {fairlead::ledger::UsageKey::day, "day"},
        {fairlead::ledger::UsageKey::workload, "workload"},
        {fairlead::ledger::UsageKey::category, "category"},
    });
