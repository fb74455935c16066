// Values of HTTP: what a request carries, what an answer holds, and the text forms of targets. No I/O here.
#pragma once

#include <fairlead/net/errors.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairlead::net {

/// Who is at the other end of the connection.
struct Peer {
  bool local = false;  ///< came in through a unix socket; uid, gid and pid are then the kernel's word, taken at connect
  bool tls = false;    ///< came in encrypted
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::int32_t pid = 0;
  std::string address;  ///< `192.0.2.7:40112`, `[::1]:40112`; empty for unix sockets
};

/// Header fields in the order they came, packed into one buffer. Names compare without regard to case.
class Headers {
 public:
  void add(std::string_view name, std::string_view value);
  /// The first value of that name. The view lives as long as this object is not changed.
  [[nodiscard]] std::optional<std::string_view> get(std::string_view name) const;
  [[nodiscard]] std::vector<std::string_view> all(std::string_view name) const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::pair<std::string_view, std::string_view> at(std::size_t index) const;

 private:
  struct Entry {
    std::uint32_t begin;
    std::uint32_t nameLength;
    std::uint32_t valueLength;
  };
  std::string text_;
  std::vector<Entry> entries_;
};

using QueryPairs = std::vector<std::pair<std::string, std::string>>;

/// One whole request. Everything in it is untrusted but `peer` and `requestId`; path and query are valid UTF-8.
struct Request {
  std::string method;  ///< as sent: `GET`
  std::string path;    ///< decoded; starts with `/`, no empty segment, no `.` or `..`, no trailing `/` (but the root)
  QueryPairs query;    ///< decoded, in order, at most 256
  Headers headers;
  std::string body;
  Peer peer;
  std::string
      requestId;  ///< ours, or the client's X-Request-Id where that is 1-64 of [A-Za-z0-9._-]; echoed in the answer

  /// The first value of a query parameter.
  [[nodiscard]] std::optional<std::string_view> param(std::string_view name) const;
};

/// One whole answer. Content-Length, Date, Connection and X-Request-Id are added by the server.
struct Response {
  int status = 200;
  std::string contentType;                                   ///< empty: no Content-Type field
  std::vector<std::pair<std::string, std::string>> headers;  ///< CR, LF and NUL in values become spaces
  std::string body;
};

/// `Not Found` for 404; `Unknown` for numbers without a phrase.
[[nodiscard]] std::string_view statusPhrase(int status);
/// An RFC 9457 document of type about:blank, as `application/problem+json`.
[[nodiscard]] Response plainProblem(int status, std::string_view detail);

struct Target {
  std::string path;
  QueryPairs query;
};
/// Splits and decodes a request target in origin form (`/a/b?x=1`) or absolute form. Refused: bad percent escapes,
/// control characters, invalid UTF-8, `..`, an escaped `/`, more than 256 parameters.
[[nodiscard]] Result<Target> parseTarget(std::string_view target);

/// Percent-encodes all but the unreserved characters: fit for one path segment, a parameter name or value.
[[nodiscard]] std::string percentEncode(std::string_view text);
/// `?a=1&b=2`, or nothing for no pairs.
[[nodiscard]] std::string encodeQuery(const QueryPairs& pairs);

[[nodiscard]] bool sameNoCase(std::string_view a, std::string_view b);

}  // namespace fairlead::net
