// One open answer that goes on: server-sent events, followed logs.
#pragma once

#include <fairlead/base/units.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace fairlead::net {

class Mailbox;
class StreamQueue;

struct StreamOptions {
  std::string contentType = "text/event-stream";
  std::vector<std::pair<std::string, std::string>> headers;
  Bytes maxQueued{1 << 20};  ///< waiting for a slow reader; more than that ends the stream
  Milliseconds heartbeat{
      15'000};  ///< after so long without a byte `heartbeatText` is sent, so that a dead peer is noticed; 0: never
  std::string heartbeatText = ": keep-alive\n\n";
};

/// Thread-safe; may outlive the server. Dropping the last reference closes it.
class EventStream {
 public:
  explicit EventStream(std::shared_ptr<StreamQueue> queue);
  ~EventStream();
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;

  /// Queues a chunk; many streams can share it. False when the stream is closed, or when the chunk does not fit: then
  /// the stream sends what was queued and ends, so a reader gets a prefix without a gap.
  bool send(std::shared_ptr<const std::string> chunk);
  bool send(std::string chunk) { return send(std::make_shared<const std::string>(std::move(chunk))); }
  /// What waits for the reader now; for senders that read on only as fast as their reader does.
  [[nodiscard]] Bytes queued() const;
  /// Ends the stream after what was queued.
  void close();
  /// True once nothing more is accepted.
  [[nodiscard]] bool closed() const;
  /// Called once, when the connection of the stream has ended, on an I/O thread (must not block), or at once where it
  /// ended already.
  void onClose(std::function<void()> callback);

 private:
  std::shared_ptr<StreamQueue> queue_;
};

}  // namespace fairlead::net
