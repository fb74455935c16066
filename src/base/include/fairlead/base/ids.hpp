// Strong ids: a number inside, a short typed text such as `w-7k3f9` outside.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fairlead {

/// Text of sequence number n: five or more characters of 0-9a-z without i, l, o, u. Neighbouring numbers look unlike,
/// so that a short prefix is usually enough to name one. A bijection: no two numbers share a text. Range: n < 2^50.
[[nodiscard]] std::string encodeSequence(std::uint64_t n);
/// The number of a text that encodeSequence made; nothing for any other text.
[[nodiscard]] std::optional<std::uint64_t> decodeSequence(std::string_view text);

/// A typed sequence number. 0 is "none". Tag gives the letter: struct WorkloadTag { static constexpr std::string_view
/// prefix = "w"; };
template <class Tag>
struct Id {
  std::uint64_t value = 0;

  [[nodiscard]] explicit operator bool() const { return value != 0; }
  auto operator<=>(const Id&) const = default;
};

template <class Tag>
[[nodiscard]] std::string toText(Id<Tag> id) {
  return std::string(Tag::prefix) + "-" + encodeSequence(id.value);
}

/// Accepts the whole text with its prefix (`w-7k3f9`); nothing for anything else.
template <class Tag>
[[nodiscard]] std::optional<Id<Tag>> parseId(std::string_view text) {
  if (text.size() <= Tag::prefix.size() + 1 || !text.starts_with(Tag::prefix) || text[Tag::prefix.size()] != '-')
    return {};
  auto number = decodeSequence(text.substr(Tag::prefix.size() + 1));
  if (!number || *number == 0) return {};
  return Id<Tag>{*number};
}

}  // namespace fairlead

template <class Tag>
struct std::hash<fairlead::Id<Tag>> {
  std::size_t operator()(fairlead::Id<Tag> id) const noexcept { return std::hash<std::uint64_t>{}(id.value); }
};
