#include "text.hpp"

#include <fairlead/codec/slurm/grammars.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fairlead::codec::slurm {
namespace {

constexpr std::int64_t kMaxCount = std::int64_t{1} << 60;
constexpr std::string_view kSuffixes = "KMGTP";
constexpr std::int32_t kMemoryId = 2;  // the first six ids are the same everywhere

/// The factor of a suffix, 0 for none that Slurm writes.
std::int64_t factorOf(char suffix) {
  const auto at = kSuffixes.find(suffix);
  return at == std::string_view::npos ? 0 : std::int64_t{1} << (10 * (at + 1));
}

/// `200G`, `97.66G`, `1000`: in units of `plain` where there is no suffix. Nothing for what is no number.
std::optional<std::int64_t> parseAmount(std::string_view text, std::int64_t plain) {
  std::int64_t factor = plain;
  if (!text.empty() && !isDigit(text.back())) {
    factor = factorOf(text.back());
    if (factor == 0) return {};
    text.remove_suffix(1);
  }
  auto rest = text;
  const auto whole = parseCount(takeUntil(rest, '.'));
  if (!whole || rest.size() > 10 || (rest.empty() && text.ends_with('.'))) return {};
  if (*whole > kMaxCount / factor) return {};
  std::int64_t amount = *whole * factor;
  if (!rest.empty()) {
    const auto fraction = parseCount(rest);
    if (!fraction) return {};
    Int128 scale = 1;
    for (std::size_t i = 0; i < rest.size(); ++i) scale *= 10;
    amount += static_cast<std::int64_t>(static_cast<Int128>(*fraction) * factor / scale);
  }
  return amount;
}

constexpr std::array<bool, 256> typeBytes() {
  std::array<bool, 256> bytes{};
  for (int c = ' ' + 1; c < 256; ++c) bytes[static_cast<std::size_t>(c)] = c != ',' && c != '=' && c != 0x7F;
  return bytes;
}
constexpr auto kTypeBytes = typeBytes();

enum class Item { taken, unset, bad };

/// The part before `=`; false for what is none.
bool readKey(std::string_view key, std::size_t slash, TresCount& out) {
  out.id = 0;
  if (isDigit(key.front())) {
    if (const auto id = parseId(key)) {
      out.type.clear();
      out.name.clear();
      out.id = static_cast<std::int32_t>(*id);
      return *id <= 0x7FFF'FFFF;
    }
  }
  out.type = key.substr(0, slash);
  if (slash == std::string_view::npos)
    out.name.clear();
  else
    out.name = key.substr(slash + 1);
  return !out.type.empty() && (slash == std::string_view::npos || !out.name.empty());
}

/// Neighbouring texts name the same resources: the length of the key where it is what stands in `out`, else 0.
std::size_t sameKey(std::string_view text, const TresCount& out) {
  const auto type = out.type.size(), name = out.name.size(), length = name == 0 ? type : type + 1 + name;
  if (type == 0 || length >= text.size() || text[length] != '=') return 0;
  if (!sameBytes(text.data(), out.type.data(), type)) return 0;
  if (name == 0) return length;
  return text[type] == '/' && sameBytes(text.data() + type + 1, out.name.data(), name) ? length : 0;
}

/// `fresh`: it is another key than stood in `out`.
bool takeKey(std::string_view& text, TresCount& out, bool& fresh) {
  if (const auto length = sameKey(text, out); length > 0) {
    out.id = 0;
    text.remove_prefix(length + 1);
    return true;
  }
  fresh = true;
  std::size_t equals = 0, slash = std::string_view::npos;
  for (; equals < text.size() && kTypeBytes[static_cast<unsigned char>(text[equals])]; ++equals)
    if (text[equals] == '/' && slash == std::string_view::npos) slash = equals;
  if (equals == 0 || equals == text.size() || text[equals] != '=') return false;
  const bool good = readKey(text.substr(0, equals), slash, out);
  text.remove_prefix(equals + 1);
  return good;
}

/// Takes an item and its comma off the front of `text`.
Item takeItem(std::string_view& text, TresCount& out, bool& fresh) {
  if (!takeKey(text, out, fresh)) return Item::bad;
  const bool memory = out.type == "mem" || out.id == kMemoryId;
  std::int64_t plain = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && digits < 15 && isDigit(text[digits]); ++digits)
    plain = plain * 10 + (text[digits] - '0');
  // Mostly it is a whole number, of memory with a suffix.
  const auto factor = !memory ? 1 : digits < text.size() ? factorOf(text[digits]) : 0;
  const auto end = digits + (memory ? 1 : 0);
  if (digits > 0 && factor > 0 && plain <= kMaxCount / factor && (end >= text.size() || text[end] == ',')) {
    text.remove_prefix(std::min(text.size(), end + 1));
    out.count = plain * factor;
    return Item::taken;
  }
  const auto value = takeUntil(text, ',');
  if (isUnsetText(value) || value == "18446744073709551614" || value == "18446744073709551615" || value.front() == '-')
    return Item::unset;
  const auto amount = parseAmount(value, memory ? std::int64_t{1} << 20 : 1);
  if (!amount) return Item::bad;
  out.count = *amount;
  return Item::taken;
}

bool sameResource(const TresCount& a, const TresCount& b) {
  return a.id == b.id && a.type == b.type && a.name == b.name;
}

}  // namespace

std::optional<std::int64_t> tresCount(const Tres& tres, std::string_view type, std::string_view name) {
  for (const auto& count : tres)
    if (count.type == type && count.name == name) return count.count;
  return {};
}

bool readTres(std::string_view text, Tres& out) {
  std::size_t used = 0;
  bool fresh = false;  // else all keys are those of the text before, and differ
  const auto fail = [&] {
    out.clear();
    return false;
  };
  if (!isUnsetText(text)) {
    while (!text.empty()) {
      if (used == kMaxTres) return fail();
      if (used == out.size()) out.emplace_back();
      switch (takeItem(text, out[used], fresh)) {
        case Item::bad:
          return fail();
        case Item::unset:
          break;
        case Item::taken:
          for (std::size_t i = 0; fresh && i < used; ++i)
            if (sameResource(out[i], out[used])) return fail();
          ++used;
      }
    }
  }
  out.resize(used);
  return true;
}

std::string tresText(const Tres& tres) {
  std::string out;
  for (const auto& entry : tres) {
    if (!out.empty()) out += ',';
    if (entry.type.empty())
      out += fmt::format("{}=", entry.id);
    else
      out += fmt::format("{}{}{}=", entry.type, entry.name.empty() ? "" : "/", entry.name);
    const bool memory = entry.type == "mem" || (entry.type.empty() && entry.id == kMemoryId);
    if (!memory) {
      out += fmt::format("{}", entry.count);
      continue;
    }
    auto count = entry.count;
    std::size_t unit = 0;
    while (count != 0 && count % 1024 == 0 && unit < kSuffixes.size()) {
      count /= 1024;
      ++unit;
    }
    if (unit == 0 && count != 0)  // a part of a KiB: 1/1024 has ten decimals
      out += fmt::format("{}.{:010}K", count / 1024, count % 1024 * 9'765'625);
    else
      out += fmt::format("{}{}", count, unit == 0 ? "" : kSuffixes.substr(unit - 1, 1));
  }
  return out;
}

}  // namespace fairlead::codec::slurm
