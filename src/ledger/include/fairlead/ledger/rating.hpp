// From device time to money: price lists and exact costs.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/model/records.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::ledger {

/// Micro-currency per device-hour x micro-device-seconds, not rounded: sums of these are exact, and only a line that
/// somebody reads is rounded.
struct ExactCost {
  Int128 value = 0;

  bool operator==(const ExactCost&) const = default;
  ExactCost& operator+=(ExactCost other) {
    value += other.value;
    return *this;
  }
  /// To the nearest micro-currency, halves away from zero (so that a correction is rounded like what it corrects). A
  /// result beyond 64 bits becomes the largest there is.
  [[nodiscard]] MicroCurrency rounded() const;
};

/// A price list, checked. Immutable; any thread.
///
/// A price for `h100` holds for every device model whose name continues it after a `-` (`h100-sxm5-80gb`). Where
/// several fit, at each instant the longest name that has a price then wins. Price changes take effect in the middle of
/// a posting.
class PriceBook {
 public:
  PriceBook() = default;  ///< no prices: everything is unpriced
  /// Fields of errors are `prices[i].perDeviceHour`, i in the given order. Refused: an empty model, a currency that is
  /// not three capital letters, a negative price or one above 10^15, an empty span, overlaps and two currencies in one
  /// model.
  [[nodiscard]] static Checked<PriceBook> make(std::vector<model::Price> prices);

  /// What a span of one device model is worth, split where prices change.
  struct Piece {
    TimePoint from;
    TimePoint to;
    const model::Price* price = nullptr;  ///< nothing: no price holds then
  };
  /// Half-open [from, to) in pieces without gaps, rising. The pointers live as long as the book.
  [[nodiscard]] std::vector<Piece> pieces(std::string_view deviceModel, TimePoint from, TimePoint to) const;
  [[nodiscard]] bool empty() const { return prices_.empty(); }

 private:
  void cover(const std::vector<std::string_view>& names, std::size_t level, TimePoint from, TimePoint to,
             std::vector<Piece>& out) const;

  std::map<std::string, std::vector<model::Price>, std::less<>> prices_;  ///< each list rising, without overlaps
};

/// The cost of one posting: per currency, and the device time that no price covers (never silently free).
struct Cost {
  std::map<std::string, ExactCost> byCurrency;
  MicroDeviceSeconds unpriced;
};
/// Negative only for negative devices (corrections).
[[nodiscard]] Cost cost(const PriceBook& book, const model::Posting& posting);

}  // namespace fairlead::ledger
