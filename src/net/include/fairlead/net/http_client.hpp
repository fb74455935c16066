// A synchronous HTTP client that keeps its connection.
#pragma once

#include <fairlead/base/units.hpp>
#include <fairlead/net/http.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace fairlead::net {

struct ClientOptions {
  std::string endpoint;  ///< `unix:///path/to/socket`, `http://host:port`, `https://host:port`; a path behind the port
                         ///< is a prefix
  std::string caFile;    ///< PEM; empty: the system's. Only for https
  std::string clientCertificate, clientKey;  ///< PEM files; empty: none
  std::string bearerToken;                   ///< never shown in errors; refused over plain http to another machine
  std::string userAgent = "fairlead";
  Milliseconds connectTimeout{5'000};
  Bytes maxAnswer{64 << 20};  ///< of one answer held in memory
  std::string hint;           ///< remedy added when nothing answers at the endpoint; empty: a general one
};

struct ClientRequest {
  std::string method = "GET";
  std::string target = "/";  ///< encoded path and query
  std::vector<std::pair<std::string, std::string>> headers;
  std::string contentType;  ///< empty: none
  std::string body;
  Milliseconds timeout{30'000};  ///< of the whole exchange; for streams: longest silence
  /// On a connection that carries nothing before or after it: bytes that a broken proxy sends behind one answer cannot
  /// be taken for the next.
  bool ownConnection = false;
};

struct ClientResponse {
  int status = 0;
  Headers headers;
  std::string body;
};

/// One thread at a time, but cancel(), which any thread may call. Redirects are not followed. Errors: kUnreachable,
/// kTlsFailed, kBroken, kTimeout, kCancelled, kAnswerTooLarge. An idempotent request (GET, HEAD, PUT, DELETE, or with
/// Idempotency-Key) is sent a second time when a kept connection turns out dead. Any other gets a new connection, and
/// is sent once at most.
class HttpClient {
 public:
  /// Error: kBadEndpoint. Nothing is sent yet.
  [[nodiscard]] static Result<HttpClient> open(ClientOptions options);
  ~HttpClient();
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;

  [[nodiscard]] Result<ClientResponse> send(const ClientRequest& request);
  /// Hands the body of a 2xx answer on as it comes; `onChunk` returns false to stop. Any other answer comes back whole.
  /// Returns when the server ends the stream or `onChunk` stopped it; error kCancelled after cancel().
  [[nodiscard]] Result<ClientResponse> stream(const ClientRequest& request,
                                              const std::function<bool(std::string_view)>& onChunk);
  /// Ends the exchange under way, and any later one at once, with kCancelled.
  void cancel();
  [[nodiscard]] const std::string& endpoint() const;

 private:
  class Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fairlead::net
