#include "text.hpp"

#include <fairlead/codec/slurm/grammars.hpp>

#include <fmt/format.h>

#include <algorithm>

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

bool isTypeByte(char c) { return static_cast<unsigned char>(c) > ' ' && c != ',' && c != '=' && c != '\x7f'; }

enum class Item { taken, unset, bad };

Item readItem(std::string_view item, TresCount& out) {
  const auto equals = item.find('=');
  if (equals == std::string_view::npos || equals == 0) return Item::bad;
  const auto key = item.substr(0, equals), value = item.substr(equals + 1);
  if (!std::all_of(key.begin(), key.end(), isTypeByte)) return Item::bad;
  out.id = 0;
  out.type.clear();
  out.name.clear();
  if (const auto id = parseId(key)) {
    if (*id > 0x7FFF'FFFF) return Item::bad;
    out.id = static_cast<std::int32_t>(*id);
  } else {
    const auto slash = key.find('/');
    out.type = key.substr(0, slash);
    if (slash != std::string_view::npos) out.name = key.substr(slash + 1);
    if (out.type.empty() || (slash != std::string_view::npos && out.name.empty())) return Item::bad;
  }
  if (isUnsetText(value) || value == "18446744073709551614" || value == "18446744073709551615" || value.front() == '-')
    return Item::unset;
  const bool memory = out.type == "mem" || out.id == kMemoryId;
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
  const auto fail = [&] {
    out.clear();
    return false;
  };
  if (!isUnsetText(text)) {
    while (!text.empty()) {
      const auto item = takeUntil(text, ',');
      if (used == kMaxTres) return fail();
      if (used == out.size()) out.emplace_back();
      switch (readItem(item, out[used])) {
        case Item::bad:
          return fail();
        case Item::unset:
          break;
        case Item::taken:
          for (std::size_t i = 0; i < used; ++i)
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
