// A whole daemon but for its engine and disk: real server on a unix socket, real control core, memory store, fake
// engine.
#pragma once

#include <fairlead/api/api.hpp>
#include <fairlead/control/testing/harness.hpp>
#include <fairlead/net/http_client.hpp>
#include <fairlead/obs/testing/capture_sink.hpp>
#include <fairlead/store/memory.hpp>

#include <boost/json.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairlead::api::testing {

struct Reply {
  int status = 0;
  net::Headers headers;
  std::string body;
  boost::json::value json;  ///< null when the body is not JSON

  [[nodiscard]] const boost::json::value& at(std::string_view pointer) const;
  [[nodiscard]] std::string text(std::string_view pointer) const;
  [[nodiscard]] std::int64_t number(std::string_view pointer) const;  ///< -1 where there is none
  [[nodiscard]] std::size_t size(std::string_view pointer) const;     ///< of a list
  [[nodiscard]] std::string header(std::string_view name) const { return std::string(headers.get(name).value_or("")); }
};

using HeaderList = std::vector<std::pair<std::string, std::string>>;

/// Keeps what it is given, connects nothing.
class TestDesk final : public ClusterDesk {
 public:
  std::vector<ClusterRecord> records;
  std::vector<control::Finding> findings;
  bool lastFromHost = false;

  [[nodiscard]] std::vector<ClusterRecord> list() const override { return records; }
  [[nodiscard]] Checked<ClusterRecord> add(std::string_view document, bool fromHost) override;
  [[nodiscard]] Checked<std::vector<control::Finding>> check(std::string_view, bool) override { return findings; }
  [[nodiscard]] Result<std::vector<control::Finding>> checkNamed(const std::string&) override { return findings; }
  [[nodiscard]] Result<ClusterRecord> govern(const std::string& name, const model::ClusterTerms& terms) override;
  [[nodiscard]] Result<void> remove(const std::string& name) override;
};

/// Project nlp: member li, operator olga, viewer vera, admin ann. Project search: member sue. Site admin: root.
/// Each of them has a token. `ghost` has one, and no role anywhere. The unix socket's peer is li.
class Daemon {
 public:
  explicit Daemon(int devices = 4, ApiOptions options = {});
  ~Daemon();

  /// Sends as `who` (empty: without a token); checks every JSON answer against the shape that its route declares.
  Reply call(std::string_view who, std::string_view method, std::string_view target, std::string body = {},
             std::string contentType = {}, HeaderList headers = {});
  Reply get(std::string_view who, std::string_view target) { return call(who, "GET", target); }
  Reply post(std::string_view who, std::string_view target, std::string body = {}, HeaderList headers = {}) {
    return call(who, "POST", target, std::move(body), "application/json", std::move(headers));
  }
  /// Submits a small workload as `who` and returns its id.
  std::string submit(std::string_view who = "li", std::string_view name = "job", std::string_view project = "nlp",
                     int devices = 1);
  /// Waits until the engine has the start order of `id`, and reports it as started.
  model::AttemptId start(const std::string& id);

  [[nodiscard]] control::testing::Harness& core() { return core_; }
  [[nodiscard]] store::MemoryStore& store() { return store_; }
  [[nodiscard]] Api& api() { return *api_; }
  [[nodiscard]] TestDesk& desk() { return desk_; }
  [[nodiscard]] std::string endpoint() const { return "unix://" + folder_ + "/api.sock"; }
  [[nodiscard]] std::string tcpEndpoint() const { return server_->addresses().back(); }
  [[nodiscard]] net::HttpClient client(std::string_view who) const;
  /// Audit records of this kind that name a rule; waits for the first when there is none yet.
  [[nodiscard]] int audited(std::string_view principal, std::string_view action, bool allowed);

 private:
  [[nodiscard]] int countAudited(std::string_view principal, std::string_view action, bool allowed);

  std::string folder_;
  store::MemoryStore store_;
  control::testing::Harness core_;
  obs::Metrics metrics_;
  obs::Health health_;
  audit::Verifier verifier_;
  std::shared_ptr<obs::testing::CaptureSink> sink_ = std::make_shared<obs::testing::CaptureSink>();
  std::shared_ptr<const auth::Directory> directory_;
  std::shared_ptr<const PriceTable> prices_;
  TestDesk desk_;
  std::unique_ptr<Api> api_;
  std::unique_ptr<net::HttpServer> server_;
};

/// A `fairlead.io/v1` document in JSON; `more` goes behind the roles.
[[nodiscard]] std::string document(std::string_view name, std::string_view project = "nlp", int devices = 1,
                                   std::string_view more = "", std::string_view taskClass = "training");

}  // namespace fairlead::api::testing
