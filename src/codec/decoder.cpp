#include <fairlead/base/text.hpp>
#include <fairlead/codec/decoder.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::codec {
namespace {

constexpr std::size_t kMostErrors = 100;

bool isSecret(Field const& field) {
  for (auto const* at = &field; at != nullptr; at = at->parent)
    if (at->secret) return true;
  return false;
}

Place placeOf(Field const& field) {
  for (auto const* at = &field; at != nullptr; at = at->parent)
    if (at->node != nullptr) return at->node->place;
  return {};
}

std::string shown(Field const& field) {
  if (field.node == nullptr || isSecret(field)) return {};
  return printable(field.node->text);
}

bool looksLikeNumber(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789.+-_eExXoO") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

}  // namespace

std::string Field::path() const {
  if (parent == nullptr && index < 0) return std::string(key);
  auto text = parent == nullptr ? std::string() : parent->path();
  if (index >= 0) return text + fmt::format("[{}]", index);
  if (!text.empty()) text += '.';
  return text + printable(key, 80);
}

void Decoder::error(Field const& field, ErrorCode const& code, std::string message, std::string remedy) {
  if (errors_.size() > kMostErrors) return;
  if (errors_.size() == kMostErrors) {
    message = "more is wrong; only the first errors are shown";
    remedy = "correct these first";
  }
  auto const place = placeOf(field);
  errors_.push_back(
      {&code, std::move(message), field.path(), shown(field), std::move(remedy), place.line, place.column});
}

Errors Decoder::takeErrors() {
  std::stable_sort(errors_.begin(), errors_.end(), [](Error const& a, Error const& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  return std::move(errors_);
}

void Decoder::wrongType(Field const& field, std::string_view wanted, std::string remedy) {
  auto const& node = *field.node;
  bool const scalar = node.kind != NodeKind::list && node.kind != NodeKind::map && node.kind != NodeKind::null;
  auto const given =
      scalar && !isSecret(field) ? fmt::format("`{}`", printable(node.text, 80)) : std::string(describe(node.kind));
  error(field, kWrongType, fmt::format("{} where {} is wanted", given, wanted), std::move(remedy));
}

void Decoder::badChoice(Field const& field, std::string_view given, std::string const& choices) {
  error(field, kBadValue, fmt::format("`{}` is not one of its values", printable(given, 80)), "use " + choices);
}

std::optional<std::string_view> Decoder::text(Field const& field) {
  if (!field) return {};
  if (field.node->kind == NodeKind::text) return field.node->text;
  bool const scalar = field.node->kind != NodeKind::list && field.node->kind != NodeKind::map;
  wrongType(field, "text", scalar ? "quote it" : "");
  return {};
}

std::optional<std::string_view> Decoder::word(Field const& field) {
  if (!field) return {};
  auto const kind = field.node->kind;
  if (kind != NodeKind::list && kind != NodeKind::map && kind != NodeKind::null) return field.node->text;
  wrongType(field, "text", kind == NodeKind::null ? "quote it, or leave it out" : "");
  return {};
}

std::optional<bool> Decoder::boolean(Field const& field) {
  if (!field) return {};
  if (field.node->kind == NodeKind::boolean) return field.node->boolean;
  wrongType(field, "true or false", "write true or false, without quotes");
  return {};
}

std::optional<std::int64_t> Decoder::integer(Field const& field, std::int64_t min, std::int64_t max) {
  if (!field) return {};
  auto const& node = *field.node;
  bool const huge =
      node.kind == NodeKind::decimal && node.text.find_first_not_of("-0123456789") == std::string_view::npos;
  if (node.kind == NodeKind::integer && node.integer >= min && node.integer <= max) return node.integer;
  if (node.kind == NodeKind::integer || (huge && node.text != "-0")) {
    error(field, kOutOfRange, fmt::format("{} is out of range", printable(node.text, 40)),
          fmt::format("use {} to {}", min, max));
    return {};
  }
  bool const quoted = node.kind == NodeKind::text && looksLikeNumber(node.text);
  wrongType(field, "an integer", quoted ? "write it in plain digits, without quotes, leading zero or exponent" : "");
  return {};
}

std::optional<std::int64_t> Decoder::thousandths(Field const& field, std::int64_t min, std::int64_t max) {
  if (!field) return {};
  auto const& node = *field.node;
  if (node.kind != NodeKind::integer && node.kind != NodeKind::decimal) {
    wrongType(field, "a number", "write it in plain digits, without quotes or exponent, such as 0.5");
    return {};
  }
  auto const value = parseThousandths(node.text);
  if (value && *value >= min && *value <= max) return value;
  error(field, kOutOfRange, fmt::format("{} is out of range", printable(node.text, 40)),
        fmt::format("use {} to {}, with at most three decimal places", thousandthsToText(min), thousandthsToText(max)));
  return {};
}

std::optional<Milliseconds> Decoder::duration(Field const& field) {
  if (!field) return {};
  if (field.node->kind == NodeKind::text)
    if (auto const value = parseDuration(field.node->text)) return value;
  if (field.node->kind == NodeKind::text || field.node->kind == NodeKind::integer)
    error(field, kBadValue, fmt::format("`{}` is not a duration", printable(field.node->text, 80)),
          "write it with units, such as 90s, 12h or 1d12h, at most 3650d");
  else
    wrongType(field, "a duration such as 12h");
  return {};
}

std::optional<Bytes> Decoder::bytes(Field const& field) {
  if (!field) return {};
  if (field.node->kind == NodeKind::text || field.node->kind == NodeKind::integer) {
    if (auto const value = parseBytes(field.node->text)) return value;
    error(field, kBadValue, fmt::format("`{}` is not a size", printable(field.node->text, 80)),
          "write it such as 64GiB, 512M or 1048576 (bytes)");
    return {};
  }
  wrongType(field, "a size such as 64GiB");
  return {};
}

std::optional<TimePoint> Decoder::time(Field const& field) {
  auto const given = text(field);
  if (!given) return {};
  if (auto const value = parseTime(*given)) return value;
  error(field, kBadValue, fmt::format("`{}` is not a time", printable(*given, 80)),
        "write it such as 2026-11-30T18:30:00+08:00");
  return {};
}

std::optional<std::span<Node const>> Decoder::list(Field const& field, std::size_t limit) {
  if (!field) return {};
  if (field.node->kind != NodeKind::list) {
    wrongType(field, "a list", "write [a, b]");
    return {};
  }
  if (field.node->items.size() > limit) {
    error(field, kOutOfRange, fmt::format("{} items, at most {} are taken", field.node->items.size(), limit));
    return {};
  }
  return field.node->items;
}

MapReader::MapReader(Decoder& decoder, Field const& field) : decoder_(decoder), field_(field) {
  if (!field) return;
  if (field.node->kind == NodeKind::map)
    map_ = field.node;
  else
    decoder.error(field, kWrongType, fmt::format("{} where a map is wanted", describe(field.node->kind)),
                  "write key: value");
}

Field MapReader::optional(std::string_view key) {
  FL_ASSERT(knownCount_ < known_.size(), "a map with more fields than a reader holds");
  known_[knownCount_++] = key;
  auto const* node = map_ == nullptr ? nullptr : map_->find(key);
  if (node != nullptr && node->kind == NodeKind::null) node = nullptr;
  return {&field_, node, key, -1, false};
}

Field MapReader::required(std::string_view key) {
  auto found = optional(key);
  if (!found && map_ != nullptr) decoder_.error(found, kMissingField, "is missing", "add it");
  return found;
}

void MapReader::done() {
  if (map_ == nullptr) return;
  auto const known = std::span(known_).first(knownCount_);
  for (auto const& entry : map_->entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    Node key;  // the place of the key, not of its value
    key.place = entry.place;
    Field const field{&field_, &key, entry.key, -1, false};
    auto const near = nearest(entry.key, known);
    decoder_.error(
        field, kUnknownField, "no such field",
        near ? fmt::format("did you mean `{}`?", *near) : fmt::format("known here: {}", fmt::join(known, ", ")));
  }
}

}  // namespace fairlead::codec
