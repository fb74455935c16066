// Quantities as people write them, and back. No locale, no doubles.
#pragma once

#include <fairlead/base/units.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace fairlead {

/// `12h`, `3h12m`, `90s`, `1d`, `250ms`; units d h m s ms, each at most once, in falling order. At most 10 years. "0s"
/// is zero.
[[nodiscard]] std::optional<Milliseconds> parseDuration(std::string_view text);
/// Exact and parseable: `3h12m`, `1d2h`, `90ms`, `0s`.
[[nodiscard]] std::string toText(Milliseconds span);
/// The two largest units, for tables: `12s`, `3h02m`, `9d`, `41m`.
[[nodiscard]] std::string toShortText(Milliseconds span);

/// `64GiB`, `512M` (10^6), `1048576`, `1.5GiB`; suffixes K M G T P (powers of 1000) and Ki Mi Gi Ti Pi (1024), optional
/// B. At most 2^60; a fraction must give whole bytes.
[[nodiscard]] std::optional<Bytes> parseBytes(std::string_view text);
/// Exact and parseable, with the largest binary unit that divides it: `64GiB`, `1500B`.
[[nodiscard]] std::string toText(Bytes bytes);

/// A decimal with at most three places as thousandths: `0.5` is 500, `32` is 32000. At most 10^12 thousandths; never
/// negative.
[[nodiscard]] std::optional<std::int64_t> parseThousandths(std::string_view text);
/// The shortest exact decimal: 500 is `0.5`, 32000 is `32`.
[[nodiscard]] std::string thousandthsToText(std::int64_t thousandths);

/// RFC 3339 in UTC with milliseconds: `2026-11-30T18:31:28.000Z`.
[[nodiscard]] std::string toText(TimePoint moment);
/// RFC 3339 with any offset, fraction of up to nine digits (cut to milliseconds). Years 1970 to 9999.
[[nodiscard]] std::optional<TimePoint> parseTime(std::string_view text);

/// Device-hours with one decimal and thin groups: `1 024.0`.
[[nodiscard]] std::string deviceHoursText(MicroDeviceSeconds used);
/// `$2,560.00`, `12.50 CNY`: USD, EUR and GBP by sign, others by code behind. Rounded half up to cents.
[[nodiscard]] std::string moneyText(MicroCurrency amount, std::string_view currency);

/// True for text that is whole, valid UTF-8.
[[nodiscard]] bool isUtf8(std::string_view text);
/// At most `limit` bytes of `text`, cut between characters, with "..." where cut, control characters as `\xNN`. Fit for
/// messages and logs.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 200);

/// The nearest of `candidates` when at most two edits away: for "did you mean".
template <class Range>
[[nodiscard]] std::optional<std::string_view> nearest(std::string_view word, const Range& candidates);
[[nodiscard]] int editDistance(std::string_view a, std::string_view b);

template <class Range>
std::optional<std::string_view> nearest(std::string_view word, const Range& candidates) {
  std::optional<std::string_view> best;
  int bestDistance = 3;
  for (std::string_view candidate : candidates) {
    int distance = editDistance(word, candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace fairlead
