#include <fairlead/base/text.hpp>
#include <fairlead/codec/decoder.hpp>
#include <fairlead/codec/json.hpp>

#include <array>
#include <charconv>
#include <limits>

namespace fairlead::codec {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

void appendEscape(std::string& out, char c) {
  switch (c) {
    case '\0':
      out += kReplacement;
      return;  // readers refuse NUL, so it must never be written
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  constexpr char kDigits[] = "0123456789abcdef";
  const auto byte = static_cast<unsigned char>(c);
  out += "\\u00";
  out += kDigits[byte >> 4];
  out += kDigits[byte & 15];
}

/// Bytes that cannot stand in a string as they are, or begin something that must be looked at.
constexpr auto kNeedsCare = [] {
  std::array<bool, 256> table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte)
    table[byte] = byte < 0x20 || byte >= 0x7F || byte == '"' || byte == '\\';
  return table;
}();

/// Appends the character at the front of `text`, or a replacement for its first byte; says how many bytes it took.
std::size_t appendNonAscii(std::string& out, std::string_view text) {
  for (std::size_t length = 2; length <= 4 && length <= text.size(); ++length)
    if (isUtf8(text.substr(0, length))) {
      out += text.substr(0, length);
      return length;
    }
  out += kReplacement;
  return 1;
}

template <class Integer>
void appendNumber(std::string& out, Integer number) {
  std::array<char, 24> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

}  // namespace

void appendJsonString(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && !kNeedsCare[static_cast<unsigned char>(text[plain])]) ++plain;
    out.append(text.data(), plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    if (static_cast<unsigned char>(text.front()) < 0x80) {
      appendEscape(out, text.front());
      text.remove_prefix(1);
    } else {
      text.remove_prefix(appendNonAscii(out, text));
    }
  }
  out += '"';
}

void JsonWriter::separate() {
  if (comma_) out_ += ',';
  comma_ = true;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  out_ += bracket;
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  appendJsonString(out_, name);
  out_ += ':';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  appendJsonString(out_, text);
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  separate();
  appendNumber(out_, number);
  return *this;
}

JsonWriter& JsonWriter::value(std::uint64_t number) {
  separate();
  appendNumber(out_, number);
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) { return raw(truth ? "true" : "false"); }

JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

}  // namespace fairlead::codec
