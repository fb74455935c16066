#include "request_parser.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace fairlead::net {
namespace {

int statusOf(const std::string& bytes, ParserLimits limits = {}) {
  RequestParser parser(limits);
  const auto step = parser.feed(bytes);
  if (step.state == RequestParser::State::failed) return parser.failureStatus();
  return step.state == RequestParser::State::done ? 200 : 0;
}

struct Case {
  const char* name;
  std::string request;
  int status;
};

TEST(RequestParser, refusesWhatTwoReadersCouldReadInTwoWays) {
  const std::string start = "POST / HTTP/1.1\r\nHost: x\r\n";
  const std::vector<Case> cases = {
      {"length and chunked", start + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"chunked and length", start + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 400},
      {"two lengths", start + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400},
      {"list of lengths", start + "Content-Length: 3, 4\r\n\r\nabc", 400},
      {"negative length", start + "Content-Length: -1\r\n\r\n", 400},
      {"signed length", start + "Content-Length: +3\r\n\r\nabc", 400},
      {"huge length", start + "Content-Length: 99999999999999999999999\r\n\r\n", 400},
      {"unknown coding", start + "Transfer-Encoding: gzip\r\n\r\n", 501},
      {"coding list", start + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501},
      {"odd coding", start + "Transfer-Encoding: xchunked\r\n\r\n", 501},
      {"chunked twice", start + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"chunked in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
      {"blank before colon", start + "Content-Length : 3\r\n\r\nabc", 400},
      {"bad chunk size", start + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
      {"bad chunk end", start + "Transfer-Encoding: chunked\r\n\r\n3\r\nabcX\r\n0\r\n\r\n", 400},
      {"no host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"two hosts", "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400},
      {"NUL in a value", start + std::string("A: b\0c\r\n\r\n", 10), 400},
      {"bare line feed", "GET / HTTP/1.1\nHost: x\n\n", 505},
      {"HTTP/2", "GET / HTTP/2.0\r\nHost: x\r\n\r\n", 505},
      {"HTTP/0.9", "GET /\r\n\r\n", 400},
      {"TLS hello", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11), 400},
      {"odd expectation", start + "Expect: tea\r\n\r\n", 417},
      {"dots in the path", "GET /../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", 400},
  };
  for (const auto& [name, request, status] : cases) EXPECT_EQ(statusOf(request), status) << name;
}

TEST(RequestParser, countsTheWholeHeader) {
  ParserLimits limits;
  limits.maxHeader = 1000;
  std::string many = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 60; ++i) many += "F: aaaaaaaaaaaaaaaa\r\n";
  EXPECT_EQ(statusOf(many + "\r\n", limits), 431) << "many small fields";
  EXPECT_EQ(statusOf("GET /" + std::string(2000, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n", limits), 431);
  EXPECT_EQ(statusOf("GET / HTTP/1.1\r\nHost: x\r\nF: " + std::string(2000, 'a') + "\r\n\r\n", limits), 431);
  limits = {};
  limits.maxHeaderCount = 5;
  EXPECT_EQ(statusOf("GET / HTTP/1.1\r\nHost: x\r\nA: 1\r\nA: 1\r\nA: 1\r\nA: 1\r\nA: 1\r\n\r\n", limits), 431);
}

TEST(RequestParser, boundsTheBodyHoweverItComes) {
  ParserLimits limits;
  limits.maxBody = 4;
  const std::string start = "POST / HTTP/1.1\r\nHost: x\r\n";
  EXPECT_EQ(statusOf(start + "Content-Length: 5\r\n\r\n", limits), 413) << "before a byte of it came";
  EXPECT_EQ(statusOf(start + "Content-Length: 4\r\n\r\nabcd", limits), 200);
  EXPECT_EQ(statusOf(start + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", limits), 413);
}

/// The same bytes in any pieces, each piece with what was not taken before it, give the same request.
RC_GTEST_PROP(RequestParser, readsTheSameFromAnyPieces, ()) {
  const std::string bytes =
      "PUT /a%20b?x=1 HTTP/1.1\r\nHost: x\r\nX-One: 1\r\nTransfer-Encoding: "
      "chunked\r\n\r\n4;ext=1\r\nabcd\r\n2\r\nef\r\n0\r\nTrailer: t\r\n\r\nGET";
  RequestParser parser({});
  std::string waiting;
  std::size_t next = 0;
  auto state = RequestParser::State::needMore;
  while (state == RequestParser::State::needMore) {
    RC_ASSERT(next < bytes.size());
    const auto size = *rc::gen::inRange<std::size_t>(1, 40);
    waiting += bytes.substr(next, size);
    next += std::min(size, bytes.size() - next);
    const auto step = parser.feed(waiting);
    state = step.state;
    waiting.erase(0, step.used);
  }
  RC_ASSERT(state == RequestParser::State::done);
  const Request request = parser.take();
  RC_ASSERT(request.method == "PUT");
  RC_ASSERT(request.path == "/a b");
  RC_ASSERT(request.body == "abcdef");
  RC_ASSERT(!request.headers.get("Trailer").has_value());
  RC_ASSERT(waiting == bytes.substr(0, next).substr(bytes.size() - 3));
}

TEST(RequestParser, survivesNoise) {
  std::uint32_t seed = 12345;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n";
    for (int i = 0; i < 3; ++i) {
      seed = seed * 1664525U + 1013904223U;
      bytes[(seed >> 8) % bytes.size()] = static_cast<char>(seed >> 24);
    }
    RequestParser parser({});
    const auto step = parser.feed(bytes);
    EXPECT_LE(step.used, bytes.size());
    if (step.state == RequestParser::State::failed) {
      EXPECT_GE(parser.failureStatus(), 400);
    }
  }
}

}  // namespace
}  // namespace fairlead::net
