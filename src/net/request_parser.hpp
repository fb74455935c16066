// One HTTP/1 request out of bytes, with the guards against requests that two readers could read in two ways.
#pragma once

#include <fairlead/net/http.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace fairlead::net {

struct ParserLimits {
  std::size_t maxHeader = 16 << 10;
  std::size_t maxHeaderCount = 100;
  std::size_t maxBody = 8 << 20;
};

/// Not thread-safe; reused for the next request with reset().
class RequestParser {
 public:
  enum class State { needMore, done, failed };
  struct Step {
    State state = State::needMore;
    std::size_t used = 0;  ///< bytes of the input that are taken; the rest must come again, with more behind it
  };

  explicit RequestParser(ParserLimits limits);
  ~RequestParser();
  void reset();
  /// Ends at the end of the request: bytes behind it are not taken.
  Step feed(std::string_view bytes);

  [[nodiscard]] bool started() const;
  [[nodiscard]] bool headerDone() const;
  [[nodiscard]] bool expectsContinue() const;
  [[nodiscard]] bool keepAlive() const;
  [[nodiscard]] bool http10() const;
  [[nodiscard]] bool isHead() const;
  [[nodiscard]] std::size_t bodySize() const;
  /// The status and text to refuse with, after `failed`.
  [[nodiscard]] int failureStatus() const;
  [[nodiscard]] std::string_view failureDetail() const;
  /// The request, after `done`; peer and requestId are not set.
  [[nodiscard]] Request take();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fairlead::net
