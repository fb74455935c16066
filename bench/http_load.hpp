// A client that costs little: keep-alive connections on one epoll, one request outstanding on each, on the calling
// thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::bench {

/// Where a server listens: a unix socket, or a port of 127.0.0.1 with a bearer token (empty: none).
struct Endpoint {
  std::string unixPath;
  std::uint16_t port = 0;
  std::string token;
};

/// A blocking connection. Throws Failed.
[[nodiscard]] int connectTo(const Endpoint& where);
/// Request line, fields and the empty line; `body` bytes follow.
[[nodiscard]] std::string requestHead(const Endpoint& where, std::string_view method, std::string_view path,
                                      std::size_t body);

struct Answer {
  int status = 0;  ///< 0: no answer
  std::string body;
};
/// One request on a connection of its own. Status 0 when nobody answers within `limit`.
[[nodiscard]] Answer ask(const Endpoint& where, std::string_view method, std::string_view path,
                         std::string_view body = {}, std::chrono::milliseconds limit = std::chrono::seconds(30));

struct LoadPlan {
  std::size_t connections = 64;
  std::chrono::milliseconds duration{0};  ///< 0: until `next` gives nothing on every connection
  /// Bytes of the next whole request of a connection; valid until its answer. Empty: this connection is done.
  std::function<std::string_view(std::size_t connection)> next;
  /// Body of an answer with status 201 or 200. May be empty.
  std::function<void(std::size_t connection, std::string_view body)> answered;
};

struct LoadResult {
  std::uint64_t answers = 0;  ///< within the duration
  double seconds = 0;
  std::vector<double> latenciesMs;

  [[nodiscard]] double perSecond() const { return seconds > 0 ? static_cast<double>(answers) / seconds : 0; }
};

/// Throws Failed at the first answer that is not 200 or 201, and when no answer comes for 30 s.
[[nodiscard]] LoadResult runLoad(const Endpoint& where, const LoadPlan& plan);

}  // namespace fairlead::bench
