// The HTTP/1.1 server: listeners, limits, and answers from any thread.
#pragma once

#include <fairlead/net/event_stream.hpp>
#include <fairlead/net/http.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::net {

class Mailbox;

/// The duty to answer one request. Movable, usable from any thread, answers exactly once; dropped unused it answers
/// 500. May outlive the connection and the server: the answer is then dropped.
class Responder {
 public:
  Responder() = default;
  Responder(std::shared_ptr<Mailbox> mailbox, std::uint64_t connection, std::uint64_t sequence);
  ~Responder();
  Responder(Responder&& other) noexcept;
  Responder& operator=(Responder&& other) noexcept;

  void reply(Response response);
  /// Answers 200 with a body that goes on until the stream is closed. Never null.
  [[nodiscard]] std::shared_ptr<EventStream> stream(StreamOptions options);
  /// True while the answer is still owed.
  [[nodiscard]] explicit operator bool() const { return mailbox_ != nullptr; }

 private:
  std::shared_ptr<Mailbox> mailbox_;
  std::uint64_t connection_ = 0;
  std::uint64_t sequence_ = 0;
};

/// While one lives, replies and stream sends made by this thread are gathered; its end hands them over with one wake-up
/// per I/O thread. For a thread that answers many requests after one commit. Nests; the outermost hands over.
class ReplyBatch {
 public:
  ReplyBatch();
  ~ReplyBatch();
  ReplyBatch(const ReplyBatch&) = delete;
  ReplyBatch& operator=(const ReplyBatch&) = delete;
};

/// Called on an I/O thread; must not block. What it throws is answered with 500.
using Handler = std::function<void(Request&&, Responder)>;
/// Renders the server's own refusals. Called on an I/O thread.
using ErrorRenderer = std::function<Response(int status, std::string_view detail)>;

struct TlsFiles {
  std::string certificate;  ///< PEM, leaf first, then the chain
  std::string key;          ///< PEM, unencrypted; refused when others than its owner and group may read it
};

/// One place to listen at: either `unixPath`, or `host` and `port`.
struct Listener {
  std::string unixPath;             ///< at most 107 bytes; a dead socket file is replaced, a served one refused
  unsigned unixMode = 0660;         ///< permission bits of the socket file
  std::string host;                 ///< numeric address or name; the first address it has is used
  std::uint16_t port = 0;           ///< 0: a free one, see addresses()
  std::optional<TlsFiles> tls;      ///< TLS 1.2 and 1.3
  bool allowPlainAnywhere = false;  ///< without TLS only loopback addresses are accepted, unless set
};

struct ServerOptions {
  std::vector<Listener> listeners;
  int ioThreads = 1;                         ///< 1-64
  Bytes maxHeader{16 << 10};                 ///< request line and fields; 431
  Bytes maxBody{8 << 20};                    ///< one body; 413
  Bytes maxBodies{256 << 20};                ///< all bodies of unanswered requests; 503
  Milliseconds headerTimeout{10'000};        ///< first byte to last header byte, and TLS handshakes; 408
  Milliseconds bodyTimeout{30'000};          ///< end of header to end of body; 408
  Milliseconds bodyProgressTimeout{10'000};  ///< without a byte of the body; 408
  Milliseconds idleTimeout{75'000};          ///< between requests
  Milliseconds writeTimeout{30'000};  ///< for what is handed to a slow reader at once (64 KiB; larger ones get longer)
  Milliseconds lingerTimeout{2'000};  ///< for a peer to take the last answer before the socket is closed
  int maxConnections = 4096;          ///< over it: 503 and close
  int maxInFlight = 65'536;           ///< requests owed an answer; over it: 503
  int maxPipelined = 32;              ///< of them per connection; over it reading pauses
  int maxHeaderCount = 100;           ///< fields of a request; 431
  ErrorRenderer renderError = plainProblem;
};

/// Counters since the start; `open` and `inFlight` are gauges.
struct ServerStats {
  std::uint64_t connectionsTotal = 0, connectionsOpen = 0;
  std::uint64_t requests = 0, inFlight = 0;
  std::uint64_t streamsTotal = 0, streamsOpen = 0;
  std::uint64_t bytesIn = 0, bytesOut = 0;
  std::uint64_t rejectedMalformed = 0, rejectedTooLarge = 0, rejectedTimeout = 0, rejectedBusy = 0,
                rejectedConnections = 0;
  std::uint64_t tlsFailed = 0, droppedSlowReaders = 0, droppedStreams = 0, acceptErrors = 0, handlerFailures = 0;
};

/// start and stop from one thread at a time, never from an I/O thread; the rest from any.
class HttpServer {
 public:
  HttpServer(ServerOptions options, Handler handler);
  /// Stops without a drain.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Opens all listeners, or none. Errors: kBadListener, kAddressInUse, kTlsFiles.
  [[nodiscard]] Result<void> start();
  /// `unix:///run/x.sock`, `http://127.0.0.1:8080`, `https://[::1]:8443`: in the order of the listeners, as clients
  /// take them.
  [[nodiscard]] std::vector<std::string> addresses() const;
  [[nodiscard]] ServerStats stats() const;
  /// Stops accepting, closes idle connections, ends streams after what they hold, waits at most `drain` for answers
  /// owed, then closes the rest. No handler runs after it returned. Does nothing the second time.
  void stop(Milliseconds drain);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fairlead::net
