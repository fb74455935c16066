#include <fairlead/obs/log.hpp>

#include <fmt/format.h>

namespace fairlead::obs {
namespace {

constexpr std::size_t kMaxText = 2048;
constexpr std::size_t kMaxFields = 64;

std::string lineKey(std::string_view key) {
  if (key == "time" || key == "level" || key == "message") return std::string(key) + "_";
  return printable(key, 64);
}

/// `printable` leaves valid UTF-8 without control characters; what remains for JSON is the quote and the backslash. A
/// byte that could not be shown arrives as `\xNN` and is kept readable as `\\xNN`.
void appendJsonText(std::string& line, std::string_view text) {
  line += '"';
  for (const char c : printable(text, kMaxText)) {
    if (c == '"' || c == '\\') line += '\\';
    line += c;
  }
  line += '"';
}

void appendJsonValue(std::string& line, const Field& field) {
  if (const auto* text = std::get_if<std::string>(&field.value)) return appendJsonText(line, *text);
  if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
    line += std::to_string(*number);
    return;
  }
  line += std::get<bool>(field.value) ? "true" : "false";
}

void appendTextValue(std::string& line, const Field& field) {
  const auto* text = std::get_if<std::string>(&field.value);
  if (text == nullptr) return appendJsonValue(line, field);
  if (text->empty() || text->find_first_of(" \"=\\") != std::string::npos) return appendJsonText(line, *text);
  line += printable(*text, kMaxText);
}

std::string formatJson(const LogRecord& record) {
  std::string line = fmt::format(R"({{"time":"{}","level":"{}","message":)", toText(record.at), toText(record.level));
  appendJsonText(line, record.message);
  for (const auto& field : record.fields.first(std::min(record.fields.size(), kMaxFields))) {
    line += ',';
    appendJsonText(line, lineKey(field.key));
    line += ':';
    appendJsonValue(line, field);
  }
  line += '}';
  return line;
}

std::string formatText(const LogRecord& record) {
  std::string line =
      fmt::format("{} {:<5} {}", toText(record.at), toText(record.level), printable(record.message, kMaxText));
  for (const auto& field : record.fields.first(std::min(record.fields.size(), kMaxFields))) {
    line += ' ';
    line += lineKey(field.key);
    line += '=';
    appendTextValue(line, field);
  }
  return line;
}

}  // namespace

std::string formatRecord(const LogRecord& record, LogFormat format) {
  return format == LogFormat::json ? formatJson(record) : formatText(record);
}

}  // namespace fairlead::obs
