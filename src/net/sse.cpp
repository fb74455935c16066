#include <fairlead/net/sse.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::net {
namespace {

void appendField(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  out += value;
  out += '\n';
}

std::string oneLine(std::string_view text) {
  std::string line(text);
  std::replace_if(line.begin(), line.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; }, ' ');
  return line;
}

}  // namespace

std::string formatEvent(std::string_view id, std::string_view event, std::string_view data) {
  std::string out;
  out.reserve(data.size() + id.size() + event.size() + 32);
  if (!id.empty()) appendField(out, "id", oneLine(id));
  if (!event.empty()) appendField(out, "event", oneLine(event));
  for (std::size_t start = 0; start <= data.size();) {
    const auto end = std::min(data.find_first_of("\r\n", start), data.size());
    appendField(out, "data", data.substr(start, end - start));
    const bool pair = data.substr(std::min(end, data.size()), 2) == "\r\n";
    start = end + (pair ? 2 : 1);
  }
  out += '\n';
  return out;
}

Result<std::vector<SseEvent>> SseParser::feed(std::string_view chunk) {
  std::vector<SseEvent> events;
  while (!chunk.empty()) {
    if (std::exchange(afterCr_, false) && chunk.front() == '\n') {
      chunk.remove_prefix(1);
      continue;
    }
    const auto end = chunk.find_first_of("\r\n");
    line_ += chunk.substr(0, end);
    if (line_.size() + data_.size() > static_cast<std::size_t>(maxEvent_.count))
      return fail(kEventTooLarge, fmt::format("an event is larger than {} bytes", maxEvent_.count));
    if (end == std::string_view::npos) break;
    afterCr_ = chunk[end] == '\r';
    chunk.remove_prefix(end + 1);
    takeLine(events);
    line_.clear();
  }
  return events;
}

void SseParser::takeLine(std::vector<SseEvent>& events) {
  std::string_view line = line_;
  if (!std::exchange(started_, true) && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (!line.empty()) {
    const auto colon = std::min(line.find(':'), line.size());
    if (colon == 0) return;  // a comment
    auto value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    return takeField(line.substr(0, colon), value);
  }
  if (hasData_) events.push_back({lastId_, event_.empty() ? "message" : event_, data_});
  data_.clear();
  event_.clear();
  hasData_ = false;
}

void SseParser::takeField(std::string_view name, std::string_view value) {
  if (name == "data") {
    if (hasData_) data_ += '\n';
    data_ += value;
    hasData_ = true;
  } else if (name == "event") {
    event_ = value;
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos) lastId_ = value;
  } else if (name == "retry") {
    const bool digits =
        !value.empty() && value.size() <= 9 && value.find_first_not_of("0123456789") == std::string_view::npos;
    if (digits) retry_ = Milliseconds{std::stoll(std::string(value))};
  }
}

}  // namespace fairlead::net
