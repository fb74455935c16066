#include "local/fields.hpp"

#include <fmt/format.h>

#include <charconv>

namespace fairlead::engine::local {
namespace {

void escape(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else
      out += c;
  }
}

std::optional<std::string> unescape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
      continue;
    }
    if (++i == text.size()) return {};
    if (text[i] == '\\')
      out += '\\';
    else if (text[i] == 'n')
      out += '\n';
    else if (text[i] == 't')
      out += '\t';
    else
      return {};
  }
  return out;
}

}  // namespace

std::string encodeFields(const Fields& fields, char separator) {
  std::string out;
  for (const auto& [key, value] : fields) {
    if (!out.empty()) out += separator;
    out += key;
    out += '=';
    escape(out, value);
  }
  return out;
}

std::optional<Fields> decodeFields(std::string_view text, char separator) {
  Fields fields;
  while (!text.empty()) {
    const auto end = text.find(separator);
    const auto part = text.substr(0, end);
    const auto equals = part.find('=');
    if (equals == std::string_view::npos || equals == 0) return {};
    auto value = unescape(part.substr(equals + 1));
    if (!value) return {};
    fields.emplace_back(std::string(part.substr(0, equals)), std::move(*value));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return fields;
}

std::optional<std::string_view> findField(const Fields& fields, std::string_view key) {
  for (const auto& [name, value] : fields)
    if (name == key) return value;
  return {};
}

std::optional<std::int64_t> parseNumber(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

std::int64_t numberField(const Fields& fields, std::string_view key) {
  return parseNumber(findField(fields, key).value_or("")).value_or(0);
}

std::string textField(const Fields& fields, std::string_view key) {
  return std::string(findField(fields, key).value_or(""));
}

std::string checksum(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return fmt::format("{:016x}", hash);
}

}  // namespace fairlead::engine::local
