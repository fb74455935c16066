// Requests to slurmrestd: connections, tokens, time-outs, and which failure means what. No bodies are read here.
#pragma once

#include "slurm/calls.hpp"
#include "slurm/token_source.hpp"

#include <fairlead/net/http_client.hpp>

#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

namespace fairlead::engine::slurm {

struct RestOptions {
  std::string endpoint, caFile, clientCertificate, clientKey;
  std::string reader;  ///< user of requests that name none
  TokenOptions token;
  std::int32_t callsAtOnce = 4;
  Milliseconds timeout{60'000};
  Bytes answerLimit{1LL << 30};
};

struct RestRequest {
  std::string method = "GET";
  std::string target;  ///< encoded path and query
  std::string body;    ///< JSON; empty: none
  std::string user;    ///< empty: the reader
};

/// Any thread.
class RestTransport {
 public:
  explicit RestTransport(RestOptions options) : options_(std::move(options)), tokens_(options_.token) {}
  ~RestTransport();
  RestTransport(const RestTransport&) = delete;
  RestTransport& operator=(const RestTransport&) = delete;

  /// Error kSlurmOptions: the endpoint is no endpoint, or a token would go unencrypted to another machine.
  [[nodiscard]] Result<void> check() const;
  /// Any answer with a status is a value, also a refusal. A token that is not taken is replaced once. Errors:
  /// kSlurmUnreachable, kSlurmUncertain (never of a GET), kSlurmCredentials.
  [[nodiscard]] Result<net::ClientResponse> exchange(const RestRequest& request);
  /// Ends exchanges under way; later ones fail at once.
  void shutdown();

 private:
  struct Lease;
  [[nodiscard]] Result<std::unique_ptr<net::HttpClient>> take();
  void giveBack(std::unique_ptr<net::HttpClient> client);
  [[nodiscard]] Result<net::ClientResponse> sendOnce(const RestRequest& request, const std::string& user,
                                                     const Secret& token);

  RestOptions options_;
  TokenSource tokens_;
  std::mutex mutex_;
  std::condition_variable free_;
  std::vector<std::unique_ptr<net::HttpClient>> idle_;
  std::vector<net::HttpClient*> used_;
  bool closed_ = false;
};

}  // namespace fairlead::engine::slurm
