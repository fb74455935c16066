// Cutting text apart without copies.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace fairlead::codec::slurm {

[[nodiscard]] inline bool isDigit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] inline bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

[[nodiscard]] inline std::string_view trim(std::string_view text) {
  while (!text.empty() && isSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && isSpace(text.back())) text.remove_suffix(1);
  return text;
}

/// Takes the part before `separator` (or all) off the front of `rest`.
[[nodiscard]] inline std::string_view takeUntil(std::string_view& rest, char separator) {
  if (rest.empty()) return {};
  const auto* at = static_cast<const char*>(std::memchr(rest.data(), separator, rest.size()));
  const auto length = at == nullptr ? rest.size() : static_cast<std::size_t>(at - rest.data());
  const auto part = rest.substr(0, length);
  rest.remove_prefix(at == nullptr ? length : length + 1);
  return part;
}

/// Eight digits at once; false where one is none.
[[nodiscard]] inline bool eightDigits(const char* text, std::int64_t& value) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, text, sizeof bytes);
  const auto digits = bytes ^ 0x3030'3030'3030'3030;
  if (((digits + 0x7676'7676'7676'7676) | digits) & 0x8080'8080'8080'8080) return false;
  const auto pairs = digits * 10 + (digits >> 8);  // in every second byte
  const auto low = (pairs & 0x0000'00FF'0000'00FF) * 0x000F'4240'0000'0064;
  const auto high = (pairs >> 16 & 0x0000'00FF'0000'00FF) * 0x0000'2710'0000'0001;
  value = static_cast<std::int64_t>((low + high) >> 32);
  return true;
}

/// Digits only, at most 18 of them.
[[nodiscard]] inline std::optional<std::int64_t> parseCount(std::string_view text) {
  if (text.empty() || text.size() > 18) return {};
  std::int64_t value = 0;
  if (text.size() >= 8) {
    if (!eightDigits(text.data(), value)) return {};
    text.remove_prefix(8);
  }
  for (const char c : text) {
    if (!isDigit(c)) return {};
    value = value * 10 + (c - '0');
  }
  return value;
}

[[nodiscard]] inline std::optional<std::uint32_t> parseId(std::string_view text) {
  const auto value = parseCount(text);
  if (!value || *value > 0xFFFF'FFFF) return {};
  return static_cast<std::uint32_t>(*value);
}

/// 4294967294 and 18446744073709551614 are how Slurm writes "not set", one more each "infinite".
[[nodiscard]] inline bool isUnsetMarker(std::int64_t value) {
  return value == 0xFFFF'FFFE || value == 0xFFFF'FFFF || value < 0;
}

[[nodiscard]] inline bool equalsNoCase(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

/// Whether `size` bytes are the same; quick for the short ones.
[[nodiscard]] inline bool sameBytes(const char* a, const char* b, std::size_t size) {
  const auto load = []<class Word>(const char* at, Word word) {
    std::memcpy(&word, at, sizeof word);
    return word;
  };
  if (size > 16) return std::memcmp(a, b, size) == 0;
  if (size >= 8)
    return load(a, std::uint64_t{}) == load(b, std::uint64_t{}) &&
           load(a + size - 8, std::uint64_t{}) == load(b + size - 8, std::uint64_t{});
  if (size >= 4)
    return load(a, std::uint32_t{}) == load(b, std::uint32_t{}) &&
           load(a + size - 4, std::uint32_t{}) == load(b + size - 4, std::uint32_t{});
  for (std::size_t i = 0; i < size; ++i)
    if (a[i] != b[i]) return false;
  return true;
}

/// What Slurm prints where it has nothing to say.
[[nodiscard]] inline bool isUnsetText(std::string_view text) {
  if (text.empty()) return true;
  switch (text.front()) {
    case '(':
      return text == "(null)";
    case 'N':
      return text == "N/A" || text == "None" || text == "NONE" || text == "NOT_SET" || text == "None assigned";
    case 'n':
      return text == "none" || text == "n/a" || text == "n/s";
    case 'U':
      return text == "Unknown";
    default:
      return false;
  }
}

}  // namespace fairlead::codec::slurm
