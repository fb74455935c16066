#include "text.hpp"

#include <fairlead/codec/slurm/hostlist.hpp>

#include <algorithm>
#include <array>

namespace fairlead::codec::slurm {
namespace {

constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 32;
constexpr std::size_t kMostDigits = 18;
constexpr std::size_t kMostBrackets = 8;  // of one entry; Slurm has at most as many dimensions of a machine
constexpr std::size_t kMostNameBytes = 1024;

bool isNameByte(char c) {
  return static_cast<unsigned char>(c) > ' ' && c != '[' && c != ']' && c != ',' && c != '\x7f';
}

struct Range {
  std::uint64_t first = 0, last = 0;
  std::size_t width = 0;
};

/// `1-3`, `007`.
std::optional<Range> parseRange(std::string_view text) {
  auto rest = text;
  const auto low = takeUntil(rest, '-');
  const auto high = low.size() == text.size() ? low : rest;
  const auto first = parseCount(low), last = parseCount(high);
  if (!first || !last || *last < *first) return {};
  return Range{static_cast<std::uint64_t>(*first), static_cast<std::uint64_t>(*last), low.size()};
}

/// What stands in brackets, walked range by range.
template <class Visit>
bool eachRange(std::string_view inside, Visit&& visit) {
  for (bool more = true; more;) {
    more = inside.find(',') != std::string_view::npos;
    const auto range = parseRange(takeUntil(inside, ','));
    if (!range || !visit(*range)) return false;
  }
  return true;
}

/// One entry between top-level commas: plain text and brackets in turn.
struct Entry {
  struct Part {
    std::string_view plain, inside;  // `n`, `1-3,5`; `bracket` tells whether there is an inside
    bool bracket = false;
  };
  std::array<Part, kMostBrackets + 1> parts;
  std::size_t count = 0;
  std::uint64_t hosts = 1;
};

/// Takes one entry off the front of `rest`; nothing for what no host list has.
std::optional<Entry> takeEntry(std::string_view& rest) {
  Entry entry;
  while (true) {
    if (entry.count == entry.parts.size()) return {};
    auto& part = entry.parts[entry.count++];
    std::size_t length = 0;
    while (length < rest.size() && isNameByte(rest[length])) ++length;
    part.plain = rest.substr(0, length);
    if (length > kMostNameBytes) return {};
    rest.remove_prefix(length);
    if (rest.empty() || rest.front() == ',') break;
    if (rest.front() != '[') return {};
    const auto close = rest.find(']');
    if (close == std::string_view::npos) return {};
    part.bracket = true;
    part.inside = rest.substr(1, close - 1);
    rest.remove_prefix(close + 1);
    std::uint64_t inBracket = 0;
    const bool good = eachRange(part.inside, [&](const Range& range) {
      inBracket += range.last - range.first + 1;
      return inBracket <= kMostCounted;
    });
    if (!good || entry.hosts * inBracket > kMostCounted) return {};
    entry.hosts *= inBracket;
  }
  if (entry.count == 1 && entry.parts[0].plain.empty()) return {};
  return entry;
}

/// Calls `visit` for every entry; false when the text is no host list or `visit` says so.
template <class Visit>
bool eachEntry(std::string_view text, Visit&& visit) {
  while (true) {
    const auto entry = takeEntry(text);
    if (!entry || !visit(*entry)) return false;
    if (text.empty()) return true;
    text.remove_prefix(1);  // the comma
    if (text.empty()) return false;
  }
}

void appendPadded(std::string& out, std::uint64_t number, std::size_t width) {
  std::array<char, 20> digits;
  auto* at = digits.data() + digits.size();
  auto* const end = at;
  do *--at = static_cast<char>('0' + number % 10);
  while ((number /= 10) > 0);
  const auto length = static_cast<std::size_t>(end - at);
  if (length < width) out.append(width - length, '0');
  out.append(at, length);
}

void expandEntry(const Entry& entry, std::size_t index, std::string& name, std::vector<std::string>& out) {
  const auto& part = entry.parts[index];
  const auto before = name.size();
  name += part.plain;
  if (!part.bracket) {
    out.push_back(name);
  } else {
    const auto base = name.size();
    (void)eachRange(part.inside, [&](const Range& range) {
      for (auto n = range.first; n <= range.last; ++n) {
        name.resize(base);
        appendPadded(name, n, range.width);
        expandEntry(entry, index + 1, name, out);
      }
      return true;
    });
  }
  name.resize(before);
}

/// A name cut at its last run of digits.
struct Numbered {
  std::string_view before, digits, behind;
  std::uint64_t number = 0;
};

Numbered numbered(std::string_view name) {
  auto end = name.size();
  while (end > 0 && !isDigit(name[end - 1])) --end;
  auto begin = end;
  while (begin > 0 && isDigit(name[begin - 1]) && end - begin < kMostDigits) --begin;
  Numbered parts{name.substr(0, begin), name.substr(begin, end - begin), name.substr(end), 0};
  if (const auto number = parseCount(parts.digits)) parts.number = static_cast<std::uint64_t>(*number);
  return parts;
}

/// True when `next` is what a range that began with `width` digits would name after `last`.
bool follows(const Numbered& last, const Numbered& next, std::size_t width) {
  if (next.number != last.number + 1) return false;
  std::string expected;
  appendPadded(expected, next.number, width);
  return next.digits == expected;
}

}  // namespace

std::optional<std::uint64_t> countHosts(std::string_view text) {
  std::uint64_t total = 0;
  const bool good = eachEntry(text, [&](const Entry& entry) { return (total += entry.hosts) <= kMostCounted; });
  return good ? std::optional(total) : std::nullopt;
}

std::optional<std::vector<std::string>> expandHosts(std::string_view text, std::size_t most) {
  const auto count = countHosts(text);
  if (!count || *count > most) return {};
  std::vector<std::string> hosts;
  hosts.reserve(*count);
  std::string name;
  (void)eachEntry(text, [&](const Entry& entry) {
    expandEntry(entry, 0, name, hosts);
    return true;
  });
  return hosts;
}

std::string compressHosts(std::span<const std::string> hosts) {
  std::string out;
  for (std::size_t i = 0; i < hosts.size();) {
    if (i > 0) out += ',';
    const auto head = numbered(hosts[i]);
    auto end = i + 1;  // the names that share what is around the number
    while (end < hosts.size() && !head.digits.empty()) {
      const auto next = numbered(hosts[end]);
      if (next.digits.empty() || next.before != head.before || next.behind != head.behind) break;
      ++end;
    }
    if (end == i + 1) {
      out += hosts[i++];
      continue;
    }
    out.append(head.before) += '[';
    for (auto first = i; first < end;) {
      if (first > i) out += ',';
      const auto start = numbered(hosts[first]);
      auto last = start;
      auto next = first + 1;
      for (; next < end && follows(last, numbered(hosts[next]), start.digits.size()); ++next)
        last = numbered(hosts[next]);
      out += start.digits;
      if (next > first + 1) (out += '-') += last.digits;
      first = next;
    }
    (out += ']').append(head.behind);
    i = end;
  }
  return out;
}

void readHostSet(std::string_view text, HostSet& out, std::size_t most) {
  out.names.clear();
  out.text.clear();
  out.tooMany = false;
  if (isUnsetText(text)) return;
  out.text = text;
  if (std::all_of(text.begin(), text.end(), isNameByte) && most > 0) {
    out.names.emplace_back(text);
    return;
  }
  auto names = expandHosts(text, most);
  out.tooMany = !names;
  if (names) out.names = std::move(*names);
}

HostSet hostSet(std::string_view text, std::size_t most) {
  HostSet out;
  readHostSet(text, out, most);
  return out;
}

}  // namespace fairlead::codec::slurm
