#include "request_parser.hpp"

#include <boost/beast/http/basic_parser.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace fairlead::net {
namespace {

namespace http = boost::beast::http;
using BeastError = boost::beast::error_code;
using View = boost::beast::string_view;

constexpr std::size_t kMaxReserve = 1 << 20;  // a Content-Length alone never costs more memory than this

struct Failure {
  int status = 0;
  std::string detail;
};

/// Beast tells what it reads, this writes it straight into a Request.
class Reader final : public http::basic_parser<true> {
 public:
  explicit Reader(const ParserLimits& limits) : limits_(limits) {
    header_limit(static_cast<std::uint32_t>(limits.maxHeader));
    body_limit(limits.maxBody);
    eager(true);
  }

  Request request;
  Failure failure;
  bool headerDone = false;
  bool expectsContinue = false;
  bool http10 = false;

 private:
  void fail(int status, std::string detail, BeastError& ec) {
    failure = {status, std::move(detail)};
    ec = http::error::bad_value;
  }

  void on_request_impl(http::verb, View method, View target, int version, BeastError& ec) override {
    headerBytes_ = method.size() + target.size();
    if (headerBytes_ > limits_.maxHeader) return fail(431, "the request line is over the limit", ec);
    if (version != 10 && version != 11) return fail(505, "only HTTP/1.1 and HTTP/1.0 are served", ec);
    http10 = version == 10;
    request.method.assign(method.data(), method.size());
    auto parsed = parseTarget({target.data(), target.size()});
    if (!parsed) return fail(400, "request target: " + parsed.error().message, ec);
    request.path = std::move(parsed->path);
    request.query = std::move(parsed->query);
  }

  void on_field_impl(http::field field, View name, View value, BeastError& ec) override {
    headerBytes_ += name.size() + value.size() + 4;
    if (headerBytes_ > limits_.maxHeader || ++fields_ > limits_.maxHeaderCount)
      return fail(431,
                  fmt::format("the header is over the limit of {} bytes or {} fields", limits_.maxHeader,
                              limits_.maxHeaderCount),
                  ec);
    if (headerDone) return;  // trailers are read and dropped
    if (field == http::field::transfer_encoding && !sameNoCase({value.data(), value.size()}, "chunked"))
      return fail(501, "the only Transfer-Encoding served is chunked", ec);
    if (field == http::field::host && ++hosts_ > 1) return fail(400, "more than one Host field", ec);
    if (field == http::field::expect) {
      if (!sameNoCase({value.data(), value.size()}, "100-continue"))
        return fail(417, "the only Expect served is 100-continue", ec);
      expectsContinue = true;
    }
    request.headers.add({name.data(), name.size()}, {value.data(), value.size()});
  }

  void on_header_impl(BeastError& ec) override {
    if (http10 && chunked()) return fail(400, "HTTP/1.0 has no Transfer-Encoding", ec);
    if (!http10 && hosts_ == 0) return fail(400, "the Host field is missing", ec);
    if (http10) expectsContinue = false;
    headerDone = true;
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>& length, BeastError&) override {
    if (length) request.body.reserve(std::min<std::size_t>(*length, kMaxReserve));
  }

  std::size_t on_body_impl(View bytes, BeastError& ec) override {
    if (request.body.size() + bytes.size() > limits_.maxBody) {
      ec = http::error::body_limit;
      return 0;
    }
    request.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }

  void on_chunk_header_impl(std::uint64_t, View, BeastError&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, View bytes, BeastError& ec) override { return on_body_impl(bytes, ec); }
  void on_finish_impl(BeastError&) override {}
  void on_response_impl(int, View, int, BeastError&) override {}

  ParserLimits limits_;
  std::size_t headerBytes_ = 0;
  std::size_t fields_ = 0;
  int hosts_ = 0;
};

Failure describe(const BeastError& ec, const ParserLimits& limits) {
  if (ec == http::error::header_limit)
    return {431, fmt::format("the header is over the limit of {} bytes", limits.maxHeader)};
  if (ec == http::error::body_limit)
    return {413, fmt::format("the body is over the limit of {} bytes", limits.maxBody)};
  if (ec == http::error::bad_version) return {505, "only HTTP/1.1 and HTTP/1.0 are served"};
  return {400, "not a valid HTTP request: " + ec.message()};
}

}  // namespace

class RequestParser::Impl {
 public:
  explicit Impl(ParserLimits limits) : limits_(limits) { reader.emplace(limits_); }
  void reset() { reader.emplace(limits_); }

  Step feed(std::string_view bytes) {
    Step step;
    while (true) {
      BeastError ec;
      const auto rest = bytes.substr(step.used);
      step.used += reader->put({rest.data(), rest.size()}, ec);
      if (reader->is_done() && !ec) {
        step.state = State::done;
        return step;
      }
      if (ec == http::error::need_more) return step;
      if (ec) {
        if (reader->failure.status == 0) reader->failure = describe(ec, limits_);
        step.state = State::failed;
        return step;
      }
      if (step.used == bytes.size()) return step;
    }
  }

  std::optional<Reader> reader;

 private:
  ParserLimits limits_;
};

RequestParser::RequestParser(ParserLimits limits) : impl_(std::make_unique<Impl>(limits)) {}
RequestParser::~RequestParser() = default;
void RequestParser::reset() { impl_->reset(); }
RequestParser::Step RequestParser::feed(std::string_view bytes) { return impl_->feed(bytes); }
bool RequestParser::started() const { return impl_->reader->got_some(); }
bool RequestParser::headerDone() const { return impl_->reader->headerDone; }
bool RequestParser::expectsContinue() const { return impl_->reader->expectsContinue; }
bool RequestParser::keepAlive() const { return impl_->reader->keep_alive(); }
bool RequestParser::http10() const { return impl_->reader->http10; }
bool RequestParser::isHead() const { return impl_->reader->request.method == "HEAD"; }
std::size_t RequestParser::bodySize() const { return impl_->reader->request.body.size(); }
int RequestParser::failureStatus() const { return impl_->reader->failure.status; }
std::string_view RequestParser::failureDetail() const { return impl_->reader->failure.detail; }
Request RequestParser::take() { return std::move(impl_->reader->request); }

}  // namespace fairlead::net
