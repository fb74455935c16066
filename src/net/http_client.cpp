#include "endpoint.hpp"

#include <fairlead/net/http_client.hpp>

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>

namespace fairlead::net {
namespace {

using ChunkSink = std::function<bool(std::string_view)>;

template <auto release>
struct Release {
  void operator()(auto* handle) const { release(handle); }
};
using EasyHandle = std::unique_ptr<CURL, Release<curl_easy_cleanup>>;
using MultiHandle = std::unique_ptr<CURLM, Release<curl_multi_cleanup>>;
using HeaderList = std::unique_ptr<curl_slist, Release<curl_slist_free_all>>;

/// What the callbacks of one exchange fill.
struct Exchange {
  ClientResponse response;
  const ChunkSink* sink = nullptr;
  std::int64_t maxAnswer = 0;
  bool tooLarge = false;
  bool sinkStopped = false;
};

std::size_t onHeader(char* bytes, std::size_t, std::size_t size, void* context) {
  auto& exchange = *static_cast<Exchange*>(context);
  std::string_view line(bytes, size);
  if (line.starts_with("HTTP/")) {  // of a 100 Continue, or of the answer itself
    exchange.response.headers = {};
    const auto space = line.find(' ');
    exchange.response.status =
        space == std::string_view::npos ? 0 : std::atoi(std::string(line.substr(space + 1, 3)).c_str());
    return size;
  }
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) return size;
  auto value = line.substr(colon + 1);
  value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
  exchange.response.headers.add(line.substr(0, colon), value);
  return size;
}

std::size_t onBody(char* bytes, std::size_t, std::size_t size, void* context) {
  auto& exchange = *static_cast<Exchange*>(context);
  const int status = exchange.response.status;
  if (exchange.sink != nullptr && status >= 200 && status < 300) {
    exchange.sinkStopped = !(*exchange.sink)({bytes, size});
    return exchange.sinkStopped ? 0 : size;
  }
  if (static_cast<std::int64_t>(exchange.response.body.size() + size) > exchange.maxAnswer) {
    exchange.tooLarge = true;
    return 0;
  }
  exchange.response.body.append(bytes, size);
  return size;
}

void addHeader(HeaderList& list, const std::string& line) {
  if (line.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos) return;  // never two fields out of one
  if (curl_slist* longer = curl_slist_append(list.get(), line.c_str())) {
    static_cast<void>(list.release());
    list.reset(longer);
  }
}

bool isIdempotent(const ClientRequest& request) {
  for (const char* method : {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"})
    if (request.method == method) return true;
  return std::any_of(request.headers.begin(), request.headers.end(),
                     [](const auto& header) { return sameNoCase(header.first, "Idempotency-Key"); });
}

bool isDeadConnection(CURLcode code) {
  return code == CURLE_GOT_NOTHING || code == CURLE_SEND_ERROR || code == CURLE_RECV_ERROR;
}

bool isTlsFailure(CURLcode code) {
  constexpr auto kCodes = std::to_array({CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
                                         CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR});
  return std::find(kCodes.begin(), kCodes.end(), code) != kCodes.end();
}

}  // namespace

class HttpClient::Impl {
 public:
  Impl(ClientOptions options, Endpoint endpoint) : options_(std::move(options)), endpoint_(std::move(endpoint)) {
    static std::once_flag once;
    std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
    easy_.reset(curl_easy_init());
    multi_.reset(curl_multi_init());
    FL_ASSERT(easy_ && multi_, "libcurl cannot be set up");
  }

  Result<ClientResponse> run(const ClientRequest& request, const ChunkSink* sink);
  void cancel() {
    cancelled_ = true;
    curl_multi_wakeup(multi_.get());
  }
  const std::string& endpoint() const { return options_.endpoint; }

 private:
  void configure(const ClientRequest& request, Exchange& exchange, const HeaderList& headers);
  void configureTransport();
  HeaderList headersOf(const ClientRequest& request) const;
  CURLcode perform();
  Error describe(CURLcode code, const ClientRequest& request, const Exchange& exchange) const;

  ClientOptions options_;
  Endpoint endpoint_;
  EasyHandle easy_;
  MultiHandle multi_;
  std::array<char, CURL_ERROR_SIZE> detail_{};
  std::atomic<bool> cancelled_{false};
};

HeaderList HttpClient::Impl::headersOf(const ClientRequest& request) const {
  HeaderList list;
  addHeader(list, "Expect:");  // no round trip before a body
  addHeader(list, request.contentType.empty() ? "Content-Type:" : "Content-Type: " + request.contentType);
  if (!options_.bearerToken.empty()) addHeader(list, "Authorization: Bearer " + options_.bearerToken);
  for (const auto& [name, value] : request.headers) addHeader(list, name + ": " + value);
  return list;
}

void HttpClient::Impl::configureTransport() {
  CURL* easy = easy_.get();
  if (!endpoint_.unixPath.empty()) curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, endpoint_.unixPath.c_str());
  if (endpoint_.loopback)
    curl_easy_setopt(easy, CURLOPT_PROXY, "");  // a proxy has no business with this machine's own traffic
  if (!options_.caFile.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, options_.caFile.c_str());
  if (!options_.clientCertificate.empty()) curl_easy_setopt(easy, CURLOPT_SSLCERT, options_.clientCertificate.c_str());
  if (!options_.clientKey.empty()) curl_easy_setopt(easy, CURLOPT_SSLKEY, options_.clientKey.c_str());
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options_.connectTimeout.count));
  curl_easy_setopt(easy, CURLOPT_USERAGENT, options_.userAgent.c_str());
}

void HttpClient::Impl::configure(const ClientRequest& request, Exchange& exchange, const HeaderList& headers) {
  CURL* easy = easy_.get();
  curl_easy_reset(easy);
  configureTransport();
  detail_[0] = '\0';
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, detail_.data());
  curl_easy_setopt(easy, CURLOPT_URL, (endpoint_.base + request.target).c_str());
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
  if (request.method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  } else if (request.method != "GET" || !request.body.empty()) {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.c_str());
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &onHeader);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &exchange);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &onBody);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &exchange);
  if (exchange.sink == nullptr) {
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(request.timeout.count, 1)));
  } else {  // a stream may last for ever, but not in silence
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME,
                     static_cast<long>(std::max<std::int64_t>((request.timeout.count + 999) / 1000, 1)));
  }
}

/// Drives the exchange to its end. CURLE_ABORTED_BY_CALLBACK stands for cancel().
CURLcode HttpClient::Impl::perform() {
  curl_multi_add_handle(multi_.get(), easy_.get());
  CURLcode result = CURLE_ABORTED_BY_CALLBACK;
  int running = 1;
  while (!cancelled_ && running > 0) {
    if (curl_multi_perform(multi_.get(), &running) != CURLM_OK) {
      result = CURLE_FAILED_INIT;
      break;
    }
    int waiting = 0;
    while (CURLMsg* message = curl_multi_info_read(multi_.get(), &waiting))
      if (message->msg == CURLMSG_DONE) result = message->data.result;
    if (running > 0) curl_multi_poll(multi_.get(), nullptr, 0, 1000, nullptr);
  }
  curl_multi_remove_handle(multi_.get(), easy_.get());
  return result;
}

Result<ClientResponse> HttpClient::Impl::run(const ClientRequest& request, const ChunkSink* sink) {
  if (!request.target.starts_with('/') || request.target.find_first_of(" \r\n") != std::string::npos)
    return fail(kBadTarget, "a request target must start with a slash and hold no blanks");
  const HeaderList headers = headersOf(request);
  for (bool again = true;; again = false) {
    Exchange exchange;
    exchange.sink = sink;
    exchange.maxAnswer = options_.maxAnswer.count;
    configure(request, exchange, headers);
    // On a kept connection that dies before an answer libcurl itself sends again, whatever the method.
    const bool fresh = !again || request.ownConnection || !isIdempotent(request);
    if (fresh) curl_easy_setopt(easy_.get(), CURLOPT_FRESH_CONNECT, 1L);
    if (request.ownConnection) curl_easy_setopt(easy_.get(), CURLOPT_FORBID_REUSE, 1L);
    const CURLcode code = perform();
    if (code == CURLE_OK || exchange.sinkStopped) return std::move(exchange.response);
    long opened = 0;
    curl_easy_getinfo(easy_.get(), CURLINFO_NUM_CONNECTS, &opened);
    const bool keptOneDied = opened == 0 && isDeadConnection(code) && exchange.response.status == 0;
    if (fresh || !keptOneDied) return tl::unexpected<Error>(describe(code, request, exchange));
  }
}

Error HttpClient::Impl::describe(CURLcode code, const ClientRequest& request, const Exchange& exchange) const {
  const auto make = [&](const ErrorCode& kind, std::string message, std::string remedy = {}) {
    return Error{&kind, options_.endpoint + ": " + std::move(message), {}, {}, std::move(remedy), 0, 0};
  };
  const std::string detail = detail_[0] != '\0' ? detail_.data() : curl_easy_strerror(code);
  if (cancelled_) return make(kCancelled, "cancelled");
  if (exchange.tooLarge)
    return make(kAnswerTooLarge, fmt::format("the answer is larger than {} bytes", options_.maxAnswer.count));
  if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST)
    return make(kUnreachable, detail,
                options_.hint.empty() ? "is the daemon running? start it with: fairlead serve" : options_.hint);
  if (isTlsFailure(code)) return make(kTlsFailed, detail, "check the address and the CA file");
  if (code == CURLE_OPERATION_TIMEDOUT)
    return make(kTimeout, fmt::format("no answer to {} within {} ms", request.method, request.timeout.count));
  return make(kBroken, detail);
}

HttpClient::HttpClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpClient::~HttpClient() = default;
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;

Result<HttpClient> HttpClient::open(ClientOptions options) {
  auto endpoint = parseEndpoint(options.endpoint);
  if (!endpoint) return tl::unexpected<Error>(std::move(endpoint.error()));
  if (!options.bearerToken.empty() && !endpoint->tls && !endpoint->loopback)
    return fail(kBadEndpoint, options.endpoint + " would carry the token unencrypted to another machine",
                "use https://");
  if (options.bearerToken.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
    return fail(kBadEndpoint, "the bearer token holds a line break");
  return HttpClient(std::make_unique<Impl>(std::move(options), std::move(*endpoint)));
}

Result<ClientResponse> HttpClient::send(const ClientRequest& request) { return impl_->run(request, nullptr); }
Result<ClientResponse> HttpClient::stream(const ClientRequest& request, const ChunkSink& onChunk) {
  return impl_->run(request, &onChunk);
}
void HttpClient::cancel() { impl_->cancel(); }
const std::string& HttpClient::endpoint() const { return impl_->endpoint(); }

}  // namespace fairlead::net
