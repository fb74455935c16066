#include <fairlead/base/text.hpp>
#include <fairlead/codec/decoder.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::codec {
namespace {

constexpr std::size_t kMostErrors = 100;

bool isSecret(const Field& field) {
  for (const auto* at = &field; at != nullptr; at = at->parent)
    if (at->secret) return true;
  return false;
}

Place placeOf(const Field& field) {
  for (const auto* at = &field; at != nullptr; at = at->parent)
    if (at->node != nullptr) return at->node->place;
  return {};
}

std::string shown(const Field& field) {
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

void Decoder::error(const Field& field, const ErrorCode& code, std::string message, std::string remedy) {
  if (errors_.size() > kMostErrors) return;
  if (errors_.size() == kMostErrors) {
    message = "more is wrong; only the first errors are shown";
    remedy = "correct these first";
  }
  const auto place = placeOf(field);
  errors_.push_back(
      {&code, std::move(message), field.path(), shown(field), std::move(remedy), place.line, place.column});
}

Errors Decoder::takeErrors() {
  std::stable_sort(errors_.begin(), errors_.end(), [](const Error& a, const Error& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  return std::move(errors_);
}

void Decoder::wrongType(const Field& field, std::string_view wanted, std::string remedy) {
  const auto& node = *field.node;
  const bool scalar = node.kind != NodeKind::list && node.kind != NodeKind::map && node.kind != NodeKind::null;
  const auto given =
      scalar && !isSecret(field) ? fmt::format("`{}`", printable(node.text, 80)) : std::string(describe(node.kind));
  error(field, kWrongType, fmt::format("{} where {} is wanted", given, wanted), std::move(remedy));
}

void Decoder::badChoice(const Field& field, std::string_view given, const std::string& choices) {
  error(field, kBadValue, fmt::format("`{}` is not one of its values", printable(given, 80)), "use " + choices);
}

std::optional<std::string_view> Decoder::text(const Field& field) {
  if (!field) return {};
  if (field.node->kind == NodeKind::text) return field.node->text;
  const bool scalar = field.node->kind != NodeKind::list && field.node->kind != NodeKind::map;
  wrongType(field, "text", scalar ? "quote it" : "");
  return {};
}

std::optional<std::string_view> Decoder::word(const Field& field) {
  if (!field) return {};
  const auto kind = field.node->kind;
  if (kind != NodeKind::list && kind != NodeKind::map && kind != NodeKind::null) return field.node->text;
  wrongType(field, "text", kind == NodeKind::null ? "quote it, or leave it out" : "");
  return {};
}

std::optional<bool> Decoder::boolean(const Field& field) {
  if (!field) return {};
  if (field.node->kind == NodeKind::boolean) return field.node->boolean;
  wrongType(field, "true or false", "write true or false, without quotes");
  return {};
}

std::optional<std::int64_t> Decoder::integer(const Field& field, std::int64_t min, std::int64_t max) {
  if (!field) return {};
  const auto& node = *field.node;
  const bool huge =
      node.kind == NodeKind::decimal && node.text.find_first_not_of("-0123456789") == std::string_view::npos;
  if (node.kind == NodeKind::integer && node.integer >= min && node.integer <= max) return node.integer;
  if (node.kind == NodeKind::integer || (huge && node.text != "-0")) {
    error(field, kOutOfRange, fmt::format("{} is out of range", printable(node.text, 40)),
          fmt::format("use {} to {}", min, max));
    return {};
  }
  const bool quoted = node.kind == NodeKind::text && looksLikeNumber(node.text);
  wrongType(field, "an integer", quoted ? "write it in plain digits, without quotes, leading zero or exponent" : "");
  return {};
}

std::optional<std::int64_t> Decoder::thousandths(const Field& field, std::int64_t min, std::int64_t max) {
  if (!field) return {};
  const auto& node = *field.node;
  if (node.kind != NodeKind::integer && node.kind != NodeKind::decimal) {
    wrongType(field, "a number", "write it in plain digits, without quotes or exponent, such as 0.5");
    return {};
  }
  const auto value = parseThousandths(node.text);
  if (value && *value >= min && *value <= max) return value;
  error(field, kOutOfRange, fmt::format("{} is out of range", printable(node.text, 40)),
        fmt::format("use {} to {}, with at most three decimal places", thousandthsToText(min), thousandthsToText(max)));
  return {};
}

std::optional<Milliseconds> Decoder::duration(const Field& field) {
  if (!field) return {};
  if (field.node->kind == NodeKind::text)
    if (const auto value = parseDuration(field.node->text)) return value;
  if (field.node->kind == NodeKind::text || field.node->kind == NodeKind::integer)
    error(field, kBadValue, fmt::format("`{}` is not a duration", printable(field.node->text, 80)),
          "write it with units, such as 90s, 12h or 1d12h, at most 3650d");
  else
    wrongType(field, "a duration such as 12h");
  return {};
}

std::optional<Bytes> Decoder::bytes(const Field& field) {
  if (!field) return {};
  if (field.node->kind == NodeKind::text || field.node->kind == NodeKind::integer) {
    if (const auto value = parseBytes(field.node->text)) return value;
    error(field, kBadValue, fmt::format("`{}` is not a size", printable(field.node->text, 80)),
          "write it such as 64GiB, 512M or 1048576 (bytes)");
    return {};
  }
  wrongType(field, "a size such as 64GiB");
  return {};
}

std::optional<TimePoint> Decoder::time(const Field& field) {
  const auto given = text(field);
  if (!given) return {};
  if (const auto value = parseTime(*given)) return value;
  error(field, kBadValue, fmt::format("`{}` is not a time", printable(*given, 80)),
        "write it such as 2026-11-30T18:30:00+08:00");
  return {};
}

std::optional<std::span<const Node>> Decoder::list(const Field& field, std::size_t limit) {
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

MapReader::MapReader(Decoder& decoder, const Field& field) : decoder_(decoder), field_(field) {
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
  const auto* node = map_ == nullptr ? nullptr : map_->find(key);
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
  const auto known = std::span(known_).first(knownCount_);
  for (const auto& entry : map_->entries) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    Node key;  // the place of the key, not of its value
    key.place = entry.place;
    const Field field{&field_, &key, entry.key, -1, false};
    const auto near = nearest(entry.key, known);
    decoder_.error(
        field, kUnknownField, "no such field",
        near ? fmt::format("did you mean `{}`?", *near) : fmt::format("known here: {}", fmt::join(known, ", ")));
  }
}

}  // namespace fairlead::codec
