// Enums with one table of names each: to text, from text, and all values, without a second list.
#pragma once

#include <fairlead/base/assert.hpp>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fairlead {

/// Specialise next to the enum: `template <> inline constexpr auto kEnumNames<X> = std::to_array<std::pair<X,
/// std::string_view>>({...});`
template <class E>
inline constexpr std::array<std::pair<E, std::string_view>, 0> kEnumNames{};

template <class E>
  requires(kEnumNames<E>.size() > 0)
[[nodiscard]] constexpr std::string_view toText(E value) {
  for (const auto& [candidate, name] : kEnumNames<E>)
    if (candidate == value) return name;
  FL_ASSERT(false, "enum value without a name");
  return {};
}

template <class E>
  requires(kEnumNames<E>.size() > 0)
[[nodiscard]] constexpr std::optional<E> parseEnum(std::string_view text) {
  for (const auto& [value, name] : kEnumNames<E>)
    if (name == text) return value;
  return {};
}

/// `a, b or c`, for messages.
template <class E>
  requires(kEnumNames<E>.size() > 0)
[[nodiscard]] std::string enumChoices() {
  std::string text;
  for (std::size_t i = 0; i < kEnumNames<E>.size(); ++i) {
    if (i > 0) text += i + 1 == kEnumNames<E>.size() ? " or " : ", ";
    text += kEnumNames<E>[i].second;
  }
  return text;
}

}  // namespace fairlead
