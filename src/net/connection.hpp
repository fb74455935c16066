// One connection: reads requests, hands them out, writes the answers in the order of the requests.
#pragma once

#include "loop.hpp"
#include "request_parser.hpp"
#include "transport.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace fairlead::net {

/// Used by the thread of its loop only. Kept alive by the loop and by its pending operations.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// `rejecting`: answers the first request with 503 and closes.
  Connection(Loop& loop, Transport transport, Peer peer, std::uint64_t id, bool rejecting);
  ~Connection();

  [[nodiscard]] std::uint64_t id() const { return id_; }
  void start();
  void reply(std::uint64_t sequence, Response&& response);
  void openStream(std::uint64_t sequence, const std::shared_ptr<StreamQueue>& queue);
  void wakeStream();
  void tick();
  /// The server stops: close when nothing is owed, else after the last answer.
  void drain();
  void abort();

 private:
  /// A request that was read, until its answer is written.
  struct Slot {
    bool head = false;
    bool http10 = false;
    bool keepAlive = true;
    bool counted = false;  // in the in-flight gauge
    std::int64_t bodyBytes = 0;
    std::string requestId;
    std::optional<Response> response;
    std::shared_ptr<StreamQueue> stream;
    [[nodiscard]] bool ready() const { return response.has_value() || stream != nullptr; }
  };
  enum class Phase { open, lingering, closed };

  // connection.cpp: the reading side
  void read();
  void onRead(NetError ec, std::size_t size);
  void onEnd();
  void consume();
  bool feedParser();
  void onHeaderDone();
  void chargeBody();
  void dispatch();
  void refuse(int status, std::string_view detail);
  void countRefusal(int status);
  void setReadDeadline();
  void makeRoom();
  [[nodiscard]] bool partialRequest() const;
  std::string pickRequestId(const Request& request);

  // connection_write.cpp: the writing side
  void pump();
  void fill();
  void serialise(Slot& slot);
  void head(const Slot& slot, int status, const std::string& contentType,
            const std::vector<std::pair<std::string, std::string>>& headers);
  void beginStream(Slot& slot);
  void fillFromStream();
  void write();
  void onWritten(NetError ec);
  void nothingToWrite();
  void linger();
  void endLinger();
  void settle(Slot& slot);
  Slot* slotOf(std::uint64_t sequence);

  Loop& loop_;
  ServerShared& shared_;
  Transport transport_;
  Peer peer_;
  const std::uint64_t id_;
  const bool rejecting_;
  Phase phase_ = Phase::open;

  RequestParser parser_;
  std::string in_;  // bytes [inBegin_, inEnd_) are read and not parsed
  std::size_t inBegin_ = 0, inEnd_ = 0;
  std::int64_t charged_ = 0;  // of the body being read
  bool reading_ = false;
  bool inputEnded_ = false;   // the peer sends nothing more
  bool lastRequest_ = false;  // nothing after the last slot is read as a request
  bool firstRequest_ = true;
  bool headerSeen_ = false;
  bool continueOwed_ = false;
  Moment readDeadline_, headerDeadline_, bodyDeadline_;

  std::deque<Slot> slots_;
  std::uint64_t firstSequence_ = 1;
  std::string out_;
  bool writing_ = false;
  bool closeAfterWrite_ = false;
  Moment writeDeadline_, lastWrite_;
  std::shared_ptr<StreamQueue> stream_;
  bool streamChunked_ = false;
  bool goodbyeSent_ = false;
};

}  // namespace fairlead::net
