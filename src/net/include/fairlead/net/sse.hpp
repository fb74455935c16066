// Server-sent events as text: one event out, a stream of bytes in.
#pragma once

#include <fairlead/base/units.hpp>
#include <fairlead/net/errors.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::net {

/// `id`, `event` (each left out when empty) and `data` (a field per line) as one event. Line breaks in id and event
/// become spaces.
[[nodiscard]] std::string formatEvent(std::string_view id, std::string_view event, std::string_view data);

struct SseEvent {
  std::string id;     ///< the last id seen, as the standard has it: stays until another comes
  std::string event;  ///< `message` where none was given
  std::string data;
};

/// Incremental and bounded. Takes CR, LF and CRLF, a byte order mark, comments, and chunks cut anywhere.
class SseParser {
 public:
  explicit SseParser(Bytes maxEvent = {1 << 20}) : maxEvent_(maxEvent) {}
  /// The events that `chunk` completes. Error kEventTooLarge: the stream cannot be read on.
  [[nodiscard]] Result<std::vector<SseEvent>> feed(std::string_view chunk);
  /// To send as Last-Event-ID on the next try; empty before the first.
  [[nodiscard]] const std::string& lastId() const { return lastId_; }
  /// What the server asked for as the wait before the next try.
  [[nodiscard]] std::optional<Milliseconds> retry() const { return retry_; }

 private:
  void takeLine(std::vector<SseEvent>& events);
  void takeField(std::string_view name, std::string_view value);

  Bytes maxEvent_;
  std::string line_, data_, event_, lastId_;
  std::optional<Milliseconds> retry_;
  bool hasData_ = false, afterCr_ = false, started_ = false;
};

}  // namespace fairlead::net
