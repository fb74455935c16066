#include <fairlead/model/ids.hpp>

#include <fmt/format.h>

#include <charconv>

namespace fairlead::model {

std::string toText(const IntentId& id) {
  if (id.kind == IntentKind::start) return fairlead::toText(id.attempt) + ".start";
  return fmt::format("{}.{}.{}", fairlead::toText(id.attempt), fairlead::toText(id.kind), id.ordinal);
}

std::optional<IntentId> parseIntentId(std::string_view text) {
  const auto dot = text.find('.');
  if (dot == std::string_view::npos) return {};
  const auto attempt = parseId<AttemptTag>(text.substr(0, dot));
  auto rest = text.substr(dot + 1);
  const auto kind = parseEnum<IntentKind>(rest.substr(0, rest.find('.')));
  if (!attempt || !kind) return {};
  IntentId id{*attempt, *kind, 0};
  if (*kind != IntentKind::start) {
    const auto second = rest.find('.');
    if (second == std::string_view::npos) return {};
    const auto digits = rest.substr(second + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id.ordinal);
    if (error != std::errc{} || end != digits.data() + digits.size()) return {};
  }
  // One text per id: leading zeros, a sign or a tail make another text and are refused.
  return toText(id) == text ? std::optional(id) : std::nullopt;
}

}  // namespace fairlead::model
