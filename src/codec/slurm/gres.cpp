#include "text.hpp"

#include <fairlead/codec/slurm/grammars.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fairlead::codec::slurm {
namespace {

constexpr std::int64_t kMaxCount = std::int64_t{1} << 50;

bool isNameByte(char c) {
  return static_cast<unsigned char>(c) > ' ' && c != ',' && c != ':' && c != '=' && c != '(' && c != ')' && c != '\x7f';
}

bool isName(std::string_view text) {
  return !text.empty() && text.size() <= 256 && std::all_of(text.begin(), text.end(), isNameByte);
}

/// `4`, `80G`: nothing for text that is no count.
std::optional<std::int64_t> parseGresCount(std::string_view text) {
  std::int64_t factor = 1;
  if (text.size() > 1) {
    const auto unit = std::string_view("KMGTP").find(static_cast<char>(text.back() & ~0x20));
    if (unit != std::string_view::npos && !isDigit(text.back())) {
      factor = std::int64_t{1} << (10 * (unit + 1));
      text.remove_suffix(1);
    }
  }
  const auto count = parseCount(text);
  if (!count || *count > kMaxCount / factor) return {};
  return *count * factor;
}

/// `0-3,5`: rising numbers, each once.
bool readIndices(std::string_view text, std::vector<std::int32_t>& out) {
  out.clear();
  if (isUnsetText(text)) return true;
  while (!text.empty()) {
    auto range = takeUntil(text, ',');
    const auto low = parseCount(takeUntil(range, '-'));
    const auto high = range.empty() ? low : parseCount(range);
    if (!low || !high || *high < *low || *high >= static_cast<std::int64_t>(kMaxGresIndices)) return false;
    for (auto n = *low; n <= *high; ++n) out.push_back(static_cast<std::int32_t>(n));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return true;
}

/// `4/8,2/8`: taken of how many, per device.
bool readShares(std::string_view text, std::vector<std::int32_t>& out) {
  while (!text.empty()) {
    auto share = takeUntil(text, ',');
    const auto taken = parseCount(takeUntil(share, '/'));
    if (!taken || !parseCount(share) || *taken > 1'000'000 || out.size() == kMaxGresIndices) return false;
    out.push_back(static_cast<std::int32_t>(*taken));
  }
  return true;
}

/// What stands in parentheses behind an entry.
bool readDetail(std::string_view detail, GresEntry& out) {
  if (detail.starts_with("IDX:")) {
    out.indexed = true;
    return readIndices(detail.substr(4), out.indices);
  }
  if (detail.starts_with("S:")) return readIndices(detail.substr(2), out.sockets);
  if (detail.starts_with("CNT:")) return parseGresCount(detail.substr(4)).has_value();
  if (detail.find('/') != std::string_view::npos) return readShares(detail, out.perIndex);
  return false;
}

void reset(GresEntry& entry) {
  entry.name.clear();
  entry.type.clear();
  entry.count = 1;
  entry.indexed = false;
  entry.indices.clear();
  entry.sockets.clear();
  entry.perIndex.clear();
}

/// Takes a part before `:` or `=`, a detail or the end; `(null)` is an empty part.
std::optional<std::string_view> takePart(std::string_view& rest) {
  if (rest.starts_with("(null)")) {
    rest.remove_prefix(6);
    return std::string_view{};
  }
  std::size_t length = 0;
  while (length < rest.size() && isNameByte(rest[length])) ++length;
  const auto part = rest.substr(0, length);
  if (!isName(part)) return {};
  rest.remove_prefix(length);
  return part;
}

/// `name[:type][:no_consume][:count]` or `name[:type]=count`.
bool readCounts(std::string_view& rest, GresEntry& out) {
  std::array<std::string_view, 4> parts;
  std::size_t count = 0;
  bool amount = false;  // behind `=` only a number follows
  while (true) {
    const auto part = takePart(rest);
    if (!part || count == parts.size()) return false;
    if (*part != "no_consume") parts[count++] = *part;
    if (amount || rest.empty() || (rest.front() != ':' && rest.front() != '=')) break;
    amount = rest.front() == '=';
    rest.remove_prefix(1);
  }
  if (count == 0 || parts[0].empty()) return false;
  if (parts[0] == "gres" || parts[0].starts_with("gres/")) return false;  // that is the word before a name
  out.name = parts[0];
  const auto number = count > 1 ? parseGresCount(parts[count - 1]) : std::nullopt;
  if (number) {
    out.count = *number;
    --count;
  } else if (amount) {
    return false;
  }
  if (count > 2) return false;
  if (count == 2) out.type = parts[1];
  return true;
}

bool readEntry(std::string_view& rest, GresEntry& out) {
  reset(out);
  if (rest.starts_with("gres:") || rest.starts_with("gres/")) rest.remove_prefix(5);
  if (!readCounts(rest, out)) return false;
  while (!rest.empty() && rest.front() == '(') {
    const auto close = rest.find(')');
    if (close == std::string_view::npos || !readDetail(rest.substr(1, close - 1), out)) return false;
    rest.remove_prefix(close + 1);
  }
  return rest.empty() || rest.front() == ',';
}

std::string rangesText(const std::vector<std::int32_t>& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size();) {
    auto end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (i > 0) out += ',';
    out += fmt::format("{}", numbers[i]);
    if (end > i + 1) out += fmt::format("-{}", numbers[end - 1]);
    i = end;
  }
  return out;
}

}  // namespace

bool readGres(std::string_view text, std::vector<GresEntry>& out) {
  std::size_t used = 0;
  bool good = true;
  if (!isUnsetText(text)) {
    while (good) {
      if (used == out.size()) out.emplace_back();
      good = used < kMaxTres && readEntry(text, out[used++]);
      if (text.empty()) break;
      text.remove_prefix(1);  // the comma
    }
  }
  out.resize(good ? used : 0);
  return good;
}

std::string gresText(const std::vector<GresEntry>& entries) {
  std::string out;
  for (const auto& entry : entries) {
    if (!out.empty()) out += ',';
    out += entry.name;
    if (!entry.type.empty()) (out += ':') += entry.type;
    out += fmt::format(":{}", entry.count);
    if (entry.indexed) out += fmt::format("(IDX:{})", entry.indices.empty() ? "N/A" : rangesText(entry.indices));
    if (!entry.sockets.empty()) out += fmt::format("(S:{})", rangesText(entry.sockets));
  }
  return out;
}

}  // namespace fairlead::codec::slurm
