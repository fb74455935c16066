#include <fairlead/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <vector>

namespace fairlead {
namespace {

struct DurationUnit {
  std::string_view name;
  std::int64_t ms;
};
constexpr std::array<DurationUnit, 5> kDurationUnits{
    {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}}};
constexpr std::int64_t kMaxDuration = 3650LL * 86'400'000;

struct ByteUnit {
  std::string_view suffix;
  std::int64_t factor;
};
constexpr std::array<ByteUnit, 10> kByteUnits{{{"Pi", 1LL << 50},
                                               {"Ti", 1LL << 40},
                                               {"Gi", 1LL << 30},
                                               {"Mi", 1LL << 20},
                                               {"Ki", 1LL << 10},
                                               {"P", 1'000'000'000'000'000},
                                               {"T", 1'000'000'000'000},
                                               {"G", 1'000'000'000},
                                               {"M", 1'000'000},
                                               {"K", 1'000}}};
constexpr std::int64_t kMaxBytes = 1LL << 60;

constexpr std::int64_t kLastMoment = 253'402'300'799'999;  // 9999-12-31T23:59:59.999Z

/// The distance to zero; also right for the lowest number, which has no positive twin.
std::uint64_t magnitude(std::int64_t count) {
  return count < 0 ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
}

/// `1234567` in groups of three.
std::string grouped(std::uint64_t number, std::string_view separator) {
  std::string text = fmt::format("{}", number);
  for (int at = static_cast<int>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), separator);
  return text;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Takes leading digits off `text`; nothing when there is none or the number is over `limit`.
std::optional<std::int64_t> takeNumber(std::string_view& text, std::int64_t limit) {
  if (text.empty() || !isDigit(text.front())) return {};
  std::int64_t value = 0;
  while (!text.empty() && isDigit(text.front())) {
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text.front() - '0', &value))
      return {};
    if (value > limit) return {};
    text.remove_prefix(1);
  }
  return value;
}

std::string_view takeLetters(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && ((text[n] >= 'a' && text[n] <= 'z') || (text[n] >= 'A' && text[n] <= 'Z'))) ++n;
  auto letters = text.substr(0, n);
  text.remove_prefix(n);
  return letters;
}

/// Exactly `digits` digits.
std::optional<int> takeFixed(std::string_view& text, int digits) {
  int value = 0;
  for (int i = 0; i < digits; ++i) {
    if (text.empty() || !isDigit(text.front())) return {};
    value = value * 10 + (text.front() - '0');
    text.remove_prefix(1);
  }
  return value;
}

bool takeChar(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<Milliseconds> parseDuration(std::string_view text) {
  if (text.empty()) return {};
  std::int64_t total = 0;
  std::size_t nextUnit = 0;
  while (!text.empty()) {
    const auto number = takeNumber(text, kMaxDuration);
    const auto name = takeLetters(text);
    if (!number) return {};
    const auto unit = std::find_if(kDurationUnits.begin() + static_cast<std::ptrdiff_t>(nextUnit), kDurationUnits.end(),
                                   [&](const DurationUnit& u) { return u.name == name; });
    if (unit == kDurationUnits.end()) return {};
    std::int64_t part = 0;
    if (__builtin_mul_overflow(*number, unit->ms, &part) || part > kMaxDuration - total) return {};
    total += part;
    nextUnit = static_cast<std::size_t>(unit - kDurationUnits.begin()) + 1;
  }
  return Milliseconds{total};
}

std::string toText(Milliseconds span) {
  if (span.count == 0) return "0s";
  std::string text = span.count < 0 ? "-" : "";
  std::uint64_t rest = magnitude(span.count);
  for (const auto& unit : kDurationUnits) {
    const auto ms = static_cast<std::uint64_t>(unit.ms);
    if (rest >= ms) text += fmt::format("{}{}", rest / ms, unit.name);
    rest %= ms;
  }
  return text;
}

std::string toShortText(Milliseconds span) {
  const std::int64_t seconds = std::max<std::int64_t>(span.count, 0) / 1000;
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600)
    return seconds < 600 ? fmt::format("{}m{:02}s", seconds / 60, seconds % 60) : fmt::format("{}m", seconds / 60);
  if (seconds < 86'400) return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
  if (seconds < 10 * 86'400) return fmt::format("{}d{:02}h", seconds / 86'400, seconds / 3600 % 24);
  return fmt::format("{}d", seconds / 86'400);
}

std::optional<Bytes> parseBytes(std::string_view text) {
  auto whole = takeNumber(text, kMaxBytes);
  if (!whole) return {};
  std::int64_t thousandths = 0;
  if (takeChar(text, '.')) {
    std::int64_t scale = 100;
    if (text.empty() || !isDigit(text.front())) return {};
    for (; !text.empty() && isDigit(text.front()); text.remove_prefix(1), scale /= 10) {
      if (scale == 0) return {};
      thousandths += (text.front() - '0') * scale;
    }
  }
  std::int64_t factor = 1;
  for (const auto& unit : kByteUnits) {
    if (!text.starts_with(unit.suffix)) continue;
    factor = unit.factor;
    text.remove_prefix(unit.suffix.size());
    break;
  }
  if (!text.empty() && text != "B") return {};
  const Int128 scaled = static_cast<Int128>(*whole) * factor * 1000 + static_cast<Int128>(thousandths) * factor;
  if (scaled % 1000 != 0 || scaled / 1000 > kMaxBytes) return {};
  return Bytes{static_cast<std::int64_t>(scaled / 1000)};
}

std::string toText(Bytes bytes) {
  for (std::size_t i = 0; i < 5; ++i)
    if (bytes.count != 0 && bytes.count % kByteUnits[i].factor == 0)
      return fmt::format("{}{}B", bytes.count / kByteUnits[i].factor, kByteUnits[i].suffix);
  return fmt::format("{}B", bytes.count);
}

std::optional<std::int64_t> parseThousandths(std::string_view text) {
  auto whole = takeNumber(text, 1'000'000'000);
  if (!whole) return {};
  std::int64_t value = *whole * 1000;
  if (takeChar(text, '.')) {
    if (text.empty()) return {};
    for (std::int64_t scale = 100; !text.empty(); scale /= 10, text.remove_prefix(1)) {
      if (scale == 0 || !isDigit(text.front())) return {};
      value += (text.front() - '0') * scale;
    }
  }
  return text.empty() ? std::optional(value) : std::nullopt;
}

std::string thousandthsToText(std::int64_t thousandths) {
  std::string text = fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string toText(TimePoint moment) {
  using namespace std::chrono;
  const sys_time<milliseconds> time{milliseconds{moment.msSinceEpoch}};
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                     clock.minutes().count(), clock.seconds().count(), clock.subseconds().count());
}

std::optional<TimePoint> parseTime(std::string_view text) {
  using namespace std::chrono;
  const auto y = takeFixed(text, 4);
  if (!y || !takeChar(text, '-')) return {};
  const auto mo = takeFixed(text, 2);
  if (!mo || !takeChar(text, '-')) return {};
  const auto d = takeFixed(text, 2);
  if (!d || (!takeChar(text, 'T') && !takeChar(text, 't') && !takeChar(text, ' '))) return {};
  const auto h = takeFixed(text, 2);
  if (!h || !takeChar(text, ':')) return {};
  const auto mi = takeFixed(text, 2);
  if (!mi || !takeChar(text, ':')) return {};
  const auto s = takeFixed(text, 2);
  if (!s) return {};
  std::int64_t ms = 0;
  if (takeChar(text, '.')) {
    int digits = 0;
    for (std::int64_t scale = 100; !text.empty() && isDigit(text.front()); text.remove_prefix(1), scale /= 10, ++digits)
      ms += (text.front() - '0') * scale;
    if (digits == 0 || digits > 9) return {};
  }
  std::int64_t offsetMinutes = 0;
  if (!takeChar(text, 'Z') && !takeChar(text, 'z')) {
    const bool east = takeChar(text, '+');
    if (!east && !takeChar(text, '-')) return {};
    const auto oh = takeFixed(text, 2);
    if (!oh || !takeChar(text, ':')) return {};
    const auto om = takeFixed(text, 2);
    if (!om || *oh > 23 || *om > 59) return {};
    offsetMinutes = (*oh * 60 + *om) * (east ? 1 : -1);
  }
  const year_month_day date{year{*y}, month{static_cast<unsigned>(*mo)}, day{static_cast<unsigned>(*d)}};
  if (!text.empty() || !date.ok() || *y < 1970 || *h > 23 || *mi > 59 || *s > 60) return {};
  const auto dayMs = duration_cast<milliseconds>(sys_days{date}.time_since_epoch()).count();
  const TimePoint moment{dayMs + ((*h * 60 + *mi - offsetMinutes) * 60 + *s) * 1000 + ms};
  // An offset or a leap second can lead out of the years that the text names.
  if (moment.msSinceEpoch < 0 || moment.msSinceEpoch > kLastMoment) return {};
  return moment;
}

std::string deviceHoursText(MicroDeviceSeconds used) {
  constexpr std::uint64_t kTenth = kMicroDeviceSecondsPerDeviceHour / 10;
  const std::uint64_t tenths = (magnitude(used.count) + kTenth / 2) / kTenth;
  const char* minus = used.count < 0 && tenths > 0 ? "-" : "";
  return fmt::format("{}{}.{}", minus, grouped(tenths / 10, " "), tenths % 10);
}

std::string moneyText(MicroCurrency amount, std::string_view currency) {
  const std::uint64_t cents = (magnitude(amount.count) + 5'000) / 10'000;
  const std::string number = fmt::format("{}.{:02}", grouped(cents / 100, ","), cents % 100);
  const char* minus = amount.count < 0 && cents > 0 ? "-" : "";
  if (currency == "USD") return fmt::format("{}${}", minus, number);
  if (currency == "EUR") return fmt::format("{}€{}", minus, number);
  if (currency == "GBP") return fmt::format("{}£{}", minus, number);
  return fmt::format("{}{} {}", minus, number, currency);
}

namespace {

/// Length of the valid UTF-8 character at the front of `text`, 0 when there is none (RFC 3629: no surrogates, no
/// overlong forms).
std::size_t utf8Length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;
  if (lead == 0xED && byte(1) > 0x9F) return 0;
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

}  // namespace

bool isUtf8(std::string_view text) {
  while (!text.empty()) {
    const auto length = utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  while (!text.empty()) {
    const auto length = utf8Length(text);
    const auto first = static_cast<unsigned char>(text.front());
    const bool plain = length > 0 && first >= 0x20 && first != 0x7F;
    const std::string piece = plain ? std::string(text.substr(0, length)) : fmt::format("\\x{:02x}", first);
    if (out.size() + piece.size() > limit) return out + "...";
    out += piece;
    text.remove_prefix(plain ? length : 1);
  }
  return out;
}

int editDistance(std::string_view a, std::string_view b) {
  constexpr std::size_t kLongest = 64;  // longer words are never near; keeps untrusted input cheap
  if (a.size() > kLongest || b.size() > kLongest) return static_cast<int>(kLongest);
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace fairlead
