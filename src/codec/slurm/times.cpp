#include "text.hpp"

#include <fairlead/codec/slurm/grammars.hpp>

#include <fmt/format.h>

#include <array>
#include <chrono>

namespace fairlead::codec::slurm {
namespace {

constexpr std::int64_t kMostDays = 36'525;
constexpr std::int64_t kMostSeconds = 253'402'300'799;  // the end of the year 9999

/// Seconds of `12` or `12.345`, in milliseconds.
std::optional<std::int64_t> parseSeconds(std::string_view text) {
  auto rest = text;
  const auto whole = parseCount(takeUntil(rest, '.'));
  if (!whole || *whole > kMostSeconds) return {};
  std::int64_t ms = *whole * 1000;
  std::int64_t scale = 100;
  for (const char c : rest.substr(0, 9)) {
    if (!isDigit(c)) return {};
    ms += (c - '0') * scale;
    scale /= 10;
  }
  return ms;
}

/// `[D-]H:M:S` or `M:S`.
std::optional<std::int64_t> parseClock(std::string_view text) {
  std::int64_t days = 0;
  if (const auto dash = text.find('-'); dash != std::string_view::npos) {
    const auto count = parseCount(text.substr(0, dash));
    if (!count || *count > kMostDays) return {};
    days = *count;
    text.remove_prefix(dash + 1);
  }
  std::array<std::string_view, 3> parts;
  std::size_t count = 0;
  while (!text.empty()) {
    if (count == parts.size()) return {};
    parts[count++] = takeUntil(text, ':');
  }
  if (count < 2 || (days > 0 && count != 3)) return {};
  const auto hours = count == 3 ? parseCount(parts[0]) : std::optional<std::int64_t>(0);
  const auto minutes = parseCount(parts[count - 2]);
  const auto ms = parseSeconds(parts[count - 1]);
  if (!hours || !minutes || !ms || *hours > kMostDays * 24 || *minutes > kMostDays * 1440) return {};
  const auto total = ((days * 24 + *hours) * 60 + *minutes) * 60'000 + *ms;
  if (total > (kMostDays + 1) * 86'400'000) return {};
  return total;
}

std::optional<std::int64_t> digitsAt(std::string_view text, std::size_t at, std::size_t count) {
  return at + count <= text.size() ? parseCount(text.substr(at, count)) : std::nullopt;
}

/// `2026-11-30T14:54:33` as if it were UTC, in seconds.
std::optional<std::int64_t> parseLocal(std::string_view text) {
  if (text.size() != 19 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':')
    return {};
  const auto year = digitsAt(text, 0, 4), month = digitsAt(text, 5, 2), day = digitsAt(text, 8, 2);
  const auto hour = digitsAt(text, 11, 2), minute = digitsAt(text, 14, 2), second = digitsAt(text, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return {};
  if (*hour > 23 || *minute > 59 || *second > 60) return {};
  const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(*year)},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok() || *year < 1970) return {};
  const auto days = std::chrono::sys_days{date}.time_since_epoch().count();
  return static_cast<std::int64_t>(days) * 86'400 + *hour * 3'600 + *minute * 60 + *second;
}

}  // namespace

bool readSpan(std::string_view text, std::optional<Milliseconds>& out) {
  out.reset();
  if (isUnsetText(text) || text == "INVALID") return true;
  const auto ms = parseClock(text);
  if (ms) out = Milliseconds{*ms};
  return ms.has_value();
}

bool readLimit(std::string_view text, TimeLimit& out) {
  out.unlimited = equalsNoCase(text, "UNLIMITED") || equalsNoCase(text, "INFINITE");
  out.span.reset();
  if (out.unlimited || text == "Partition_Limit") return true;
  return readSpan(text, out.span);
}

bool readInstant(std::string_view text, std::optional<TimePoint>& out, std::optional<std::int32_t> utcOffsetMinutes) {
  out.reset();
  if (isUnsetText(text) || text == "0" || text == "NONE") return true;
  if (const auto seconds = parseCount(text)) {
    if (isUnsetMarker(*seconds)) return true;
    if (*seconds > kMostSeconds) return false;
    out = TimePoint{*seconds * 1000};
    return true;
  }
  if (!utcOffsetMinutes) return false;
  const auto local = parseLocal(text);
  if (local) out = TimePoint{(*local - *utcOffsetMinutes * 60) * 1000};
  return local.has_value();
}

std::string limitText(Milliseconds span) {
  const auto minutes = (span.count + 59'999) / 60'000;
  const auto hours = minutes / 60 % 24, days = minutes / 1440;
  if (days > 0) return fmt::format("{}-{:02}:{:02}:00", days, hours, minutes % 60);
  return fmt::format("{:02}:{:02}:00", hours, minutes % 60);
}

bool readExitCode(std::string_view text, std::optional<ExitCode>& out, TopBit topBit) {
  out.reset();
  if (isUnsetText(text)) return true;
  auto rest = text;
  const auto code = parseCount(takeUntil(rest, ':'));
  const auto signal = parseCount(rest);
  if (!code || !signal || *code > 255 || *signal > 255) return false;
  ExitCode exit;
  exit.code = static_cast<std::int32_t>(*code);
  exit.signal = static_cast<std::int32_t>(*signal & 0x7F);
  exit.coreDumped = (*signal & 0x80) != 0;
  exit.topBitUncertain = topBit == TopBit::lost && exit.signal == 0 && exit.code < 128;
  out = exit;
  return true;
}

std::optional<ExitCode> exitFromWaitStatus(std::int64_t status) {
  if (status < 0 || status > 0xFFFF) return {};
  ExitCode exit;
  exit.code = static_cast<std::int32_t>(status >> 8);
  exit.signal = static_cast<std::int32_t>(status & 0x7F);
  exit.coreDumped = (status & 0x80) != 0;
  return exit;
}

}  // namespace fairlead::codec::slurm
