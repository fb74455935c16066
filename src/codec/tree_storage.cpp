#include "tree_storage.hpp"

#include <fairlead/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>
#include <optional>

namespace fairlead::codec {
namespace {

constexpr std::size_t kMostErrors = 100;

/// True when every byte is from 0x20 to 0x7F: most texts, and nothing else needs a look at them. Eight bytes at a time:
/// a byte under 0x20 borrows from its top bit, one over 0x7F has it set.
bool isPlain(std::string_view text) {
  constexpr std::uint64_t kTops = 0x8080808080808080ULL;
  constexpr std::uint64_t kSpaces = 0x2020202020202020ULL;
  std::size_t i = 0;
  std::uint64_t seen = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, 8);
    seen |= word | (word - kSpaces);
  }
  for (; i < text.size(); ++i)
    if (static_cast<unsigned char>(text[i]) < 0x20 || static_cast<unsigned char>(text[i]) > 0x7F) return false;
  return (seen & kTops) == 0;
}

/// Where the first byte stands that is no part of a valid character. Only called when there is one.
std::size_t firstBadByte(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t length = 1;
    while (length <= 4 && !isUtf8(text.substr(at, length))) ++length;
    if (length > 4) break;
    at += length;
  }
  return at;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// `-?(0|[1-9][0-9]*)` and then nothing, or `.[0-9]+`. -0 is neither.
std::optional<NodeKind> canonicalNumber(std::string_view text) {
  auto rest = text;
  if (rest.starts_with('-')) rest.remove_prefix(1);
  std::size_t whole = 0;
  while (whole < rest.size() && isDigit(rest[whole])) ++whole;
  if (whole == 0 || (whole > 1 && rest[0] == '0')) return {};
  if (whole == rest.size()) return text == "-0" ? std::nullopt : std::optional(NodeKind::integer);
  if (rest[whole] != '.') return {};
  const auto fraction = rest.substr(whole + 1);
  if (fraction.empty() || !std::all_of(fraction.begin(), fraction.end(), isDigit)) return {};
  return NodeKind::decimal;
}

}  // namespace

std::string_view TreeStorage::keep(std::string_view text) {
  if (text.empty()) return {};
  auto* copy = keepBytes(text.size());
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

const Node* TreeStorage::keep(const Node& node) {
  return new (arena_.allocate(sizeof(Node), alignof(Node))) Node(node);
}

Error errorAt(Place place, const ErrorCode& code, std::string message, std::string remedy) {
  Error error{&code, std::move(message), {}, {}, std::move(remedy)};
  error.line = place.line;
  error.column = place.column;
  return error;
}

Place placeAt(std::string_view text, std::size_t offset) {
  const auto before = text.substr(0, offset);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const auto lastBreak = before.rfind('\n');
  const auto column = lastBreak == std::string_view::npos ? offset + 1 : offset - lastBreak;
  return {static_cast<std::int32_t>(line), static_cast<std::int32_t>(column)};
}

std::optional<Error> checkUtf8(std::string_view text) {
  if (isPlain(text) || isUtf8(text)) return {};
  return errorAt(placeAt(text, firstBadByte(text)), kEncoding, "a byte that is not UTF-8", "save the text as UTF-8");
}

std::optional<Error> checkText(std::string_view text, const Limits& limits) {
  if (text.size() > limits.textBytes)
    return errorAt({}, kTextTooLarge, fmt::format("{} bytes, at most {} are taken", text.size(), limits.textBytes),
                   "put large data into files and name their paths");
  if (isPlain(text)) return {};
  if (auto error = checkUtf8(text)) return error;
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
  if (control == text.end()) return {};
  return errorAt(placeAt(text, static_cast<std::size_t>(control - text.begin())), kEncoding,
                 fmt::format("control character \\x{:02x}", static_cast<unsigned char>(*control)), "remove it");
}

std::string_view withoutByteOrderMark(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return text;
}

void checkKeys(std::span<const Entry> entries, Errors& errors) {
  const auto report = [&](const Entry& first, const Entry& second) {
    if (errors.size() >= kMostErrors) return;
    auto error = errorAt(second.place, kDuplicateKey,
                         fmt::format("key `{}` stands already at {}:{}", printable(second.key, 80), first.place.line,
                                     first.place.column),
                         "keep one of the two");
    error.value = printable(second.key);
    errors.push_back(std::move(error));
  };
  if (entries.size() <= 12) {
    for (std::size_t i = 1; i < entries.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (entries[i].key == entries[j].key) {
          report(entries[j], entries[i]);
          break;
        }
    return;
  }
  std::vector<std::size_t> order(entries.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return entries[a].key < entries[b].key; });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (entries[order[i]].key == entries[order[i - 1]].key) report(entries[order[i - 1]], entries[order[i]]);
}

Node numberNode(std::string_view text, Place place) {
  Node node;
  node.place = place;
  node.text = text;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), node.integer);
  const bool whole = result.ec == std::errc{} && result.ptr == text.data() + text.size() && text != "-0";
  node.kind = whole ? NodeKind::integer : NodeKind::decimal;
  return node;
}

Node plainScalar(std::string_view text, Place place) {
  Node node;
  node.place = place;
  node.text = text;
  node.kind = NodeKind::text;
  if (text == "true" || text == "false") {
    node.kind = NodeKind::boolean;
    node.boolean = text == "true";
  } else if (canonicalNumber(text)) {
    return numberNode(text, place);
  }
  return node;
}

Error tooManyValues(Place place, const Limits& limits) {
  return errorAt(place, kTooManyValues, fmt::format("more than {} values, aliases expanded", limits.values),
                 "split the document");
}

Error tooDeep(Place place, const Limits& limits) {
  return errorAt(place, kTooDeep, fmt::format("nested more than {} levels deep", limits.depth), "flatten the document");
}

const Node* Node::find(std::string_view wanted) const {
  for (const auto& entry : entries)
    if (entry.key == wanted) return &entry.value;
  return nullptr;
}

std::string_view describe(NodeKind kind) {
  switch (kind) {
    case NodeKind::null:
      return "null";
    case NodeKind::boolean:
      return "true or false";
    case NodeKind::integer:
      return "an integer";
    case NodeKind::decimal:
      return "a decimal";
    case NodeKind::text:
      return "text";
    case NodeKind::list:
      return "a list";
    case NodeKind::map:
      return "a map";
  }
  FL_ASSERT(false, "node kind");
  return {};
}

}  // namespace fairlead::codec
