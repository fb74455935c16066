// What other threads hand to an I/O thread: answers, new streams, and word that a stream has something to send.
#pragma once

#include <fairlead/net/event_stream.hpp>
#include <fairlead/net/http.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <variant>
#include <vector>

namespace fairlead::net {

/// Chunks on their way from any thread to the connection of a stream. All members are thread-safe.
class StreamQueue {
 public:
  StreamQueue(std::shared_ptr<Mailbox> mailbox, std::uint64_t connection, StreamOptions options);

  // The side of the sender.
  bool send(std::shared_ptr<const std::string> chunk);
  void close();
  bool closed() const;
  Bytes queued() const;
  void onClose(std::function<void()> callback);

  // The side of the connection.
  const StreamOptions& options() const { return options_; }
  /// Appends whole chunks to `out` until it holds `limit` bytes or more. True when the stream is over and all of it was
  /// taken.
  bool take(std::string& out, std::size_t limit);
  /// The connection has ended: nothing is accepted any more, the callbacks run.
  void finish();
  bool overflowed() const;
  /// Queues the heartbeat text where nothing waits.
  void beat();

 private:
  void signal(bool needed);

  const StreamOptions options_;
  const std::shared_ptr<Mailbox> mailbox_;
  const std::uint64_t connection_;
  mutable std::mutex mutex_;
  std::deque<std::shared_ptr<const std::string>> chunks_;
  std::int64_t queuedBytes_ = 0;
  bool signalled_ = false;  // the connection knows that there is something to take
  bool closing_ = false;
  bool overflowed_ = false;
  bool finished_ = false;
  std::vector<std::function<void()>> callbacks_;
};

struct Post {
  struct Wake {};  // the stream of the connection has chunks or was closed
  std::uint64_t connection = 0;
  std::uint64_t sequence = 0;
  std::variant<Wake, Response, std::shared_ptr<StreamQueue>> what;
};

/// The box of one I/O thread. The wake function is called at most once until take() has found the box empty, so a burst
/// of answers costs one wake-up.
class Mailbox {
 public:
  explicit Mailbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// Delivers now, or at the end of the ReplyBatch of this thread. Dropped after close().
  static void post(const std::shared_ptr<Mailbox>& box, Post post);
  void putAll(std::vector<Post>&& posts);
  /// Swaps all posts into `into`, which must be empty. False when there were none; the next post wakes again.
  bool take(std::vector<Post>& into);
  /// Nothing is accepted or woken any more; what waits is dropped.
  void close();

 private:
  std::mutex mutex_;
  std::vector<Post> posts_;
  bool awake_ = false;
  bool closed_ = false;
  std::function<void()> wake_;
};

}  // namespace fairlead::net
