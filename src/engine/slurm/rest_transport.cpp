#include "slurm/rest_transport.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/engine/errors.hpp>
#include <fairlead/net/errors.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::engine::slurm {
namespace {

/// slurmrestd's own status for a token that is not taken.
constexpr int kNetworkAuthenticationRequired = 511;

bool onThisMachine(std::string_view endpoint) {
  if (endpoint.starts_with("unix://")) return true;
  auto host = endpoint.substr(std::min(endpoint.size(), endpoint.find("://") + 3));
  host = host.substr(0, host.find('/'));
  if (host.starts_with("[::1]")) return true;
  host = host.substr(0, host.find(':'));
  if (host == "localhost") return true;
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
}

/// 22.05 says 500 and "Unspecified error" where later ones say 511.
bool refusesToken(const net::ClientResponse& answer) {
  if (answer.status == 401 || answer.status == kNetworkAuthenticationRequired) return true;
  return answer.status == 500 && answer.body.size() < (64 << 10) &&
         answer.body.find("Unspecified error") != std::string::npos;
}

Error broken(const Error& error, const RestRequest& request) {
  const bool reads = request.method == "GET";
  const bool sent = error.code != &net::kUnreachable && error.code != &net::kTlsFailed;
  return {sent && !reads ? &kSlurmUncertain : &kSlurmUnreachable,
          fmt::format("slurmrestd, {} {}: {}", request.method, request.target.substr(0, request.target.find('?')),
                      error.message),
          {},
          {},
          error.remedy};
}

}  // namespace

RestTransport::~RestTransport() { shutdown(); }

Result<void> RestTransport::check() const {
  const auto& endpoint = options_.endpoint;
  if (endpoint.starts_with("http://") && tokens_.sendsTokens() && !onThisMachine(endpoint))
    return fail(kSlurmOptions, fmt::format("{}: tokens would travel in the clear to another machine", endpoint),
                "put TLS in front of slurmrestd and name https://, or connect through a unix socket or a tunnel");
  net::ClientOptions options;
  options.endpoint = endpoint;
  auto client = net::HttpClient::open(options);
  if (!client) return fail(kSlurmOptions, client.error().message, client.error().remedy);
  return {};
}

Result<std::unique_ptr<net::HttpClient>> RestTransport::take() {
  std::unique_lock guard(mutex_);
  const auto most = static_cast<std::size_t>(std::max(options_.callsAtOnce, 1)) + 1;  // the poller's own
  free_.wait(guard, [&] { return closed_ || used_.size() < most; });
  if (closed_) return fail(kSlurmUnreachable, "the engine is shutting down");
  std::unique_ptr<net::HttpClient> client;
  if (!idle_.empty()) {
    client = std::move(idle_.back());
    idle_.pop_back();
  } else {
    net::ClientOptions options;
    options.endpoint = options_.endpoint;
    options.caFile = options_.caFile;
    options.clientCertificate = options_.clientCertificate;
    options.clientKey = options_.clientKey;
    options.maxAnswer = options_.answerLimit;
    options.hint = "look whether slurmrestd runs there";
    auto opened = net::HttpClient::open(std::move(options));
    if (!opened) return fail(kSlurmUnreachable, opened.error().message, opened.error().remedy);
    client = std::make_unique<net::HttpClient>(std::move(*opened));
  }
  used_.push_back(client.get());
  return client;
}

void RestTransport::giveBack(std::unique_ptr<net::HttpClient> client) {
  {
    const std::lock_guard guard(mutex_);
    std::erase(used_, client.get());
    if (!closed_) idle_.push_back(std::move(client));
  }
  free_.notify_one();
}

void RestTransport::shutdown() {
  const std::lock_guard guard(mutex_);
  closed_ = true;
  for (auto* client : used_) client->cancel();
  idle_.clear();
  free_.notify_all();
}

Result<net::ClientResponse> RestTransport::sendOnce(const RestRequest& request, const std::string& user,
                                                    const Secret& token) {
  auto client = take();
  if (!client) return tl::unexpected(client.error());
  net::ClientRequest out;
  out.method = request.method;
  out.target = request.target;
  out.timeout = options_.timeout;
  out.ownConnection = true;  // an answer that comes late or twice must not be another request's
  if (!token.empty()) {
    out.headers.emplace_back("X-SLURM-USER-NAME", user);
    out.headers.emplace_back("X-SLURM-USER-TOKEN", token.reveal());
  }
  if (!request.body.empty()) {
    out.contentType = "application/json";
    out.body = request.body;
  }
  auto answer = (*client)->send(out);
  giveBack(std::move(*client));
  if (!answer) return tl::unexpected(broken(answer.error(), request));
  return answer;
}

Result<net::ClientResponse> RestTransport::exchange(const RestRequest& request) {
  const auto& user = request.user.empty() ? options_.reader : request.user;
  if (!tokens_.sendsTokens()) return sendOnce(request, user, Secret());
  for (int attempt = 0;; ++attempt) {
    const auto token = tokens_.token(user);
    if (!token) return tl::unexpected(token.error());
    auto answer = sendOnce(request, user, *token);
    if (!answer || !refusesToken(*answer)) return answer;
    const bool another = tokens_.renew(user, *token);
    const bool surely = answer->status != 500;  // a 500 may stand for more than the token
    if (!surely && request.method != "GET")
      return fail(kSlurmUncertain, fmt::format("slurmrestd, {}: an unspecified error, perhaps for the token of user {}",
                                               request.method, user));
    if (attempt > 0 || !another)
      return fail(surely ? kSlurmCredentials : kSlurmUnreachable,
                  fmt::format("slurmrestd does not take the token of user {} (status {})", user, answer->status),
                  "check user and end of the token and the cluster's JWT key (AuthAltParameters)");
  }
}

}  // namespace fairlead::engine::slurm
