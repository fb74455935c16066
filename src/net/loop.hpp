// An I/O thread: its connections, its mailbox, its clock. Included by the few files that see Asio.
#pragma once

#include "mailbox.hpp"

#include <fairlead/net/http_server.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace fairlead::net {

namespace asio = boost::asio;

class Connection;
using Moment = std::chrono::steady_clock::time_point;

[[nodiscard]] inline std::chrono::milliseconds chronoSpan(Milliseconds span) {
  return std::chrono::milliseconds(span.count);
}

struct Counters {
  std::atomic<std::uint64_t> connectionsTotal{0}, connectionsOpen{0}, requests{0}, inFlight{0}, streamsTotal{0},
      streamsOpen{0}, bytesIn{0}, bytesOut{0}, rejectedMalformed{0}, rejectedTooLarge{0}, rejectedTimeout{0},
      rejectedBusy{0}, rejectedConnections{0}, tlsFailed{0}, droppedSlowReaders{0}, droppedStreams{0}, acceptErrors{0},
      handlerFailures{0};
};

inline void bump(std::atomic<std::uint64_t>& counter, std::uint64_t by = 1) {
  counter.fetch_add(by, std::memory_order_relaxed);
}

/// What all I/O threads of a server share.
struct ServerShared {
  ServerOptions options;
  Handler handler;
  Counters counters;
  std::atomic<std::int64_t> bodyBytes{0};  // held by requests without an answer
  std::atomic<std::uint64_t> nextRequest{0};
  std::string requestPrefix;

  [[nodiscard]] std::string newRequestId();
};

/// All members are used by the loop's own thread, but what is marked.
class Loop {
 public:
  explicit Loop(std::shared_ptr<ServerShared> shared);
  ~Loop();

  void run();  // ends when everything is closed and finish() was called
  /// Any thread.
  asio::io_context& context() { return context_; }
  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }

  void add(const std::shared_ptr<Connection>& connection);
  void remove(std::uint64_t id);
  std::uint64_t nextId();
  void drain();
  void finish();
  [[nodiscard]] bool draining() const { return draining_; }
  ServerShared& shared() { return *shared_; }
  [[nodiscard]] Moment now() const { return now_; }
  void refreshClock();
  [[nodiscard]] const std::string& dateLine() const { return dateLine_; }

 private:
  struct Place {
    std::uint32_t generation = 1;
    std::shared_ptr<Connection> connection;
  };
  void deliver();
  void deliver(Post& post);
  std::shared_ptr<Connection> find(std::uint64_t id);
  void armTick();
  void tick();

  std::shared_ptr<ServerShared> shared_;
  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard_;
  asio::steady_timer timer_;
  std::shared_ptr<Mailbox> mailbox_;
  std::vector<Post> posts_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> freePlaces_;
  Moment now_;
  std::chrono::milliseconds tickSpan_;
  std::int64_t dateSecond_ = -1;
  std::string dateLine_;
  bool draining_ = false;
  bool finished_ = false;
};

}  // namespace fairlead::net
