#include "sbatch_values.hpp"

#include <fairlead/base/text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

namespace fairlead::codec {
namespace {

constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kDay = 86'400'000;
constexpr std::int64_t kMostDays = 3650;

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (auto& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool isDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Milliseconds of `[h:]m:s` or, behind days, of `h[:m[:s]]`.
std::optional<std::int64_t> clockSpan(std::string_view text, bool afterDays) {
  const auto parts = split(text, ':');
  if (parts.size() > 3) return {};
  std::array<std::int64_t, 3> values{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto value = slurmCount(parts[i], 0, 100'000'000);
    if (!value) return {};
    values[i] = *value;
  }
  if (afterDays || parts.size() == 3) return (values[0] * 3600 + values[1] * 60 + values[2]) * 1000;
  return (values[0] * 60 + values[1]) * 1000;  // `90` and `1:30` both begin with minutes
}

using std::chrono::year_month_day;

std::optional<std::chrono::sys_days> dayOf(std::int64_t year, std::int64_t month, std::int64_t day) {
  const year_month_day date{std::chrono::year{static_cast<int>(year)}, std::chrono::month{static_cast<unsigned>(month)},
                            std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok() || year < 1970 || year > 9999) return {};
  return std::chrono::sys_days{date};
}

std::int64_t toMs(std::chrono::sys_days day) {
  return static_cast<std::int64_t>(day.time_since_epoch().count()) * kDay;
}

/// `16:00`, `4:30:00pm`, noon ...: milliseconds from midnight.
std::optional<std::int64_t> clockOfDay(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, int>, 5> kNamed{
      {{"midnight", 0}, {"elevenses", 11}, {"noon", 12}, {"fika", 15}, {"teatime", 16}}};
  for (const auto& [name, hour] : kNamed)
    if (text == name) return hour * 60 * kMinute;
  int shift = 0;
  bool halfDay = false;
  if (text.ends_with("am") || text.ends_with("pm")) {
    halfDay = true;
    shift = text.ends_with("pm") ? 12 : 0;
    text.remove_suffix(2);
    while (text.ends_with(' ')) text.remove_suffix(1);
  }
  const auto parts = split(text, ':');
  if (parts.size() < 2 || parts.size() > 3) return {};
  auto hour = slurmCount(parts[0], 0, 23);
  const auto minute = slurmCount(parts[1], 0, 59);
  const auto second = parts.size() == 3 ? slurmCount(parts[2], 0, 59) : std::optional<std::int64_t>(0);
  if (!hour || !minute || !second || (halfDay && (*hour < 1 || *hour > 12))) return {};
  if (halfDay) hour = *hour % 12 + shift;
  return ((*hour * 60 + *minute) * 60 + *second) * 1000;
}

/// `2026-12-01`, `12/01[/26]`, `12.01[.26]`, `1201[26]`.
std::optional<std::chrono::sys_days> calendarDay(std::string_view text, std::chrono::sys_days today) {
  if (text == "today") return today;
  if (text == "tomorrow") return today + std::chrono::days{1};
  if (const auto parts = split(text, '-'); parts.size() == 3 && parts[0].size() == 4) {
    const auto y = slurmCount(parts[0], 1970, 9999);
    const auto m = slurmCount(parts[1], 1, 12);
    const auto d = slurmCount(parts[2], 1, 31);
    return y && m && d ? dayOf(*y, *m, *d) : std::nullopt;
  }
  std::vector<std::string_view> parts;
  if (isDigits(text) && (text.size() == 4 || text.size() == 6)) {
    for (std::size_t i = 0; i < text.size(); i += 2) parts.push_back(text.substr(i, 2));
  } else {
    parts = split(text, text.find('/') != std::string_view::npos ? '/' : '.');
  }
  if (parts.size() < 2 || parts.size() > 3) return {};
  const auto month = slurmCount(parts[0], 1, 12);
  const auto day = slurmCount(parts[1], 1, 31);
  if (!month || !day) return {};
  if (parts.size() == 3) {
    const auto year = slurmCount(parts[2], 0, 99);
    return year ? dayOf(2000 + *year, *month, *day) : std::nullopt;
  }
  const auto year = static_cast<int>(year_month_day{today}.year());
  const auto thisYear = dayOf(year, *month, *day);
  return thisYear && *thisYear >= today ? thisYear : dayOf(year + 1, *month, *day);
}

std::optional<TimePoint> relativeInstant(std::string_view text, TimePoint now) {
  if (text.empty()) return now;
  if (text.front() != '+') return {};
  text.remove_prefix(1);
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') ++digits;
  const auto amount = slurmCount(text.substr(0, digits), 0, 1'000'000'000);
  auto unit = text.substr(digits);
  if (unit.size() > 1 && unit.ends_with('s')) unit.remove_suffix(1);
  constexpr std::array<std::pair<std::string_view, std::int64_t>, 6> kUnits{
      {{"", 1000}, {"second", 1000}, {"minute", kMinute}, {"hour", 60 * kMinute}, {"day", kDay}, {"week", 7 * kDay}}};
  const auto found = std::find_if(kUnits.begin(), kUnits.end(), [&](const auto& u) { return u.first == unit; });
  if (!amount || found == kUnits.end() || *amount * (found->second / 1000) > kMostDays * 86'400) return {};
  return now + Milliseconds{*amount * found->second};
}

std::optional<GresRequest> gresEntry(std::string_view text) {
  if (text.starts_with("gres/") || text.starts_with("gres:")) text.remove_prefix(5);
  GresRequest entry;
  std::string normal(text);
  std::replace(normal.begin(), normal.end(), '=', ':');
  auto parts = split(normal, ':');
  if (parts.size() > 3 || std::any_of(parts.begin(), parts.end(), [](auto part) { return part.empty(); })) return {};
  entry.name = std::string(parts[0]);
  if (parts.size() == 3 || (parts.size() == 2 && !(parts[1].front() >= '0' && parts[1].front() <= '9')))
    entry.type = std::string(parts[1]);
  if (parts.size() == 3 || (parts.size() == 2 && entry.type.empty())) {
    auto digits = parts.back();
    std::int64_t factor = 1;
    if (digits.size() > 1 && (digits.back() == 'K' || digits.back() == 'k')) {
      factor = 1024;
      digits.remove_suffix(1);
    }
    const auto count = slurmCount(digits, 0, 1'000'000);
    if (!count) return {};
    entry.count = *count * factor;
  }
  return entry;
}

}  // namespace

std::optional<std::int64_t> slurmCount(std::string_view text, std::int64_t min, std::int64_t max) {
  if (!isDigits(text) || text.size() > 18) return {};
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value >= min && value <= max ? std::optional(value) : std::nullopt;
}

std::optional<Milliseconds> slurmTime(std::string_view text) {
  const auto word = lower(text);
  if (word == "infinite" || word == "unlimited" || word == "-1" || word == "0") return Milliseconds{};
  const auto dash = text.find('-');
  std::int64_t total = 0;
  if (dash != std::string_view::npos) {
    const auto days = slurmCount(text.substr(0, dash), 0, kMostDays);
    const auto rest = clockSpan(text.substr(dash + 1), true);
    if (!days || !rest) return {};
    total = *days * kDay + *rest;
  } else {
    const auto rest = clockSpan(text, false);
    if (!rest) return {};
    total = *rest;
  }
  if (total > kMostDays * kDay) return {};
  return Milliseconds{(total + kMinute - 1) / kMinute * kMinute};
}

std::optional<Bytes> slurmMemory(std::string_view text) {
  auto number = text;
  while (!number.empty() && !((number.back() >= '0' && number.back() <= '9') || number.back() == '.'))
    number.remove_suffix(1);
  auto unit = lower(text.substr(number.size()));
  if (unit.ends_with("ib"))
    unit.resize(unit.size() - 2);
  else if (unit.ends_with('b'))
    unit.resize(unit.size() - 1);
  constexpr std::string_view kUnits = "kmgtp";
  const auto power = unit.empty() ? std::size_t{1} : kUnits.find(unit);
  if (unit.size() > 1 || power == std::string_view::npos) return {};
  constexpr std::array<std::string_view, 5> kNames{"KiB", "MiB", "GiB", "TiB", "PiB"};
  return parseBytes(std::string(number) + std::string(kNames[power]));
}

std::optional<TimePoint> slurmInstant(std::string_view given, TimePoint now, std::int32_t zoneOffsetMinutes) {
  const auto text = lower(given);
  const auto view = std::string_view(text);
  if (view.starts_with("now")) return relativeInstant(view.substr(3), now);
  if (view.starts_with("uts")) {
    const auto seconds = slurmCount(view.substr(3), 1, 253'402'300'799);
    return seconds ? std::optional(TimePoint{*seconds * 1000}) : std::nullopt;
  }
  const auto offset = zoneOffsetMinutes * kMinute;
  const auto localNow = now.msSinceEpoch + offset;
  const std::chrono::sys_days today{std::chrono::days{static_cast<int>(localNow / kDay)}};
  if (const auto clock = clockOfDay(view)) {
    auto local = toMs(today) + *clock;
    if (local <= localNow) local += kDay;
    return TimePoint{local - offset};
  }
  const auto cut = view.find_first_of("t ", view.find_first_of("0123456789"));
  const bool split = cut != std::string_view::npos && view != "today" && view != "tomorrow";
  const auto day = calendarDay(split ? view.substr(0, cut) : view, today);
  const auto clock = split ? clockOfDay(view.substr(cut + 1)) : std::optional<std::int64_t>(0);
  if (!day || !clock) return {};
  return TimePoint{std::max<std::int64_t>(toMs(*day) + *clock - offset, 1)};
}

std::optional<NodeCounts> slurmNodes(std::string_view text) {
  const auto dash = text.find('-');
  const auto least = slurmCount(text.substr(0, dash), 1, 100'000);
  const auto most = dash == std::string_view::npos ? least : slurmCount(text.substr(dash + 1), 1, 100'000);
  if (!least || !most || *most < *least) return {};
  return NodeCounts{static_cast<std::int32_t>(*least), static_cast<std::int32_t>(*most)};
}

std::optional<std::vector<GresRequest>> slurmGres(std::string_view text) {
  std::vector<GresRequest> list;
  if (lower(text) == "none") return list;
  for (const auto part : split(text, ',')) {
    auto entry = gresEntry(part);
    if (!entry) return {};
    list.push_back(std::move(*entry));
  }
  return list;
}

std::optional<std::vector<GresRequest>> slurmGpus(std::string_view text) {
  std::vector<GresRequest> list;
  for (const auto part : split(text, ',')) {
    auto entry = gresEntry("gpu:" + std::string(part));
    if (!entry) return {};
    list.push_back(std::move(*entry));
  }
  return list;
}

}  // namespace fairlead::codec
