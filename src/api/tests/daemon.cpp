#include "daemon.hpp"

#include "json_check.hpp"
#include "router.hpp"
#include "shapes/record_views.hpp"

#include <fairlead/api/errors.hpp>
#include <fairlead/codec/digest.hpp>
#include <fairlead/codec/errors.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>

namespace fairlead::api::testing {
namespace {

constexpr std::array<std::string_view, 7> kPeople{"li", "olga", "vera", "ann", "sue", "root", "ghost"};

std::string makeFolder() {
  std::string path = (std::filesystem::temp_directory_path() / "fairlead-api-XXXXXX").string();
  FL_ASSERT(::mkdtemp(path.data()) != nullptr, "a temporary folder");
  return path;
}

std::string tokenOf(std::string_view who) { return fmt::format("token-of-{}", who); }

std::shared_ptr<const auth::Directory> makeDirectory(const ClockPort& clock) {
  using enum model::ProjectRole;
  std::vector<model::Project> projects{
      {"nlp", "", {{"li", false, member}, {"olga", false, operator_}, {"vera", false, viewer}, {"ann", false, admin}}},
      {"search", "", {{"sue", false, member}}},
  };
  std::vector<auth::TokenEntry> entries;
  for (const auto who : kPeople) {
    auth::TokenEntry entry;
    entry.name = who;
    entry.principal = who;
    entry.unixUser = who;
    entry.sha256 = codec::sha256(tokenOf(who));
    entry.siteAdmin = who == "root";
    entries.push_back(std::move(entry));
  }
  auto lookup = [](std::uint32_t) -> Result<auth::UserEntry> { return auth::UserEntry{"li", {}}; };
  auth::PeerOptions peers;
  peers.siteAdminUids.clear();
  return std::make_shared<auth::Directory>(auth::ProjectTable::make(std::move(projects)).value(),
                                           auth::TokenTable::make(std::move(entries)).value(),
                                           std::make_shared<auth::PeerResolver>(peers, clock, lookup));
}

std::shared_ptr<const PriceTable> makePrices() {
  std::vector<model::Price> prices{{"h100", {17'800'000}, "CNY", {1}, {}}};
  return std::make_shared<PriceTable>(PriceTable{prices, ledger::PriceBook::make(prices).value()});
}

void expectShape(const Reply& reply, const Route& route) {
  if (reply.status >= 400 && reply.header("Content-Type") != "text/plain; charset=utf-8") {
    EXPECT_EQ(misfit(reply.json, shapeOf<ProblemView>()), "") << reply.body;
    return;
  }
  if (route.answer == nullptr || route.contentType != "application/json") return;
  if (!route.page) {
    EXPECT_EQ(misfit(reply.json, *route.answer), "") << reply.body;
    return;
  }
  ASSERT_TRUE(reply.json.is_object() && reply.json.as_object().contains("items")) << reply.body;
  for (const auto& item : reply.json.at("items").as_array()) EXPECT_EQ(misfit(item, *route.answer), "") << reply.body;
}

}  // namespace

const boost::json::value& Reply::at(std::string_view pointer) const {
  boost::system::error_code failed;
  const auto* found = json.find_pointer(pointer, failed);
  static const boost::json::value kNull;
  return found == nullptr ? kNull : *found;
}

std::string Reply::text(std::string_view pointer) const {
  const auto& value = at(pointer);
  return value.is_string() ? std::string(value.as_string()) : std::string();
}

std::int64_t Reply::number(std::string_view pointer) const {
  const auto& value = at(pointer);
  return value.is_int64() ? value.as_int64() : -1;
}

std::size_t Reply::size(std::string_view pointer) const {
  const auto& value = at(pointer);
  return value.is_array() ? value.as_array().size() : 0;
}

Checked<ClusterRecord> TestDesk::add(std::string_view document, bool fromHost) {
  lastFromHost = fromHost;
  if (document.find("kind: Cluster") == std::string_view::npos)
    return tl::unexpected(Errors{Error{&codec::kBadValue, "is no cluster", "kind", {}, {}}});
  records.push_back({"hpc", "slurm", {}, {}, R"({"kind":"Cluster"})"});
  return records.back();
}

Result<ClusterRecord> TestDesk::govern(const std::string& name, const model::ClusterTerms& terms) {
  for (auto& record : records) {
    if (record.name != name) continue;
    record.terms = terms;
    return record;
  }
  return fail(kNoSuchCluster, "there is no cluster " + name);
}

Result<void> TestDesk::remove(const std::string& name) {
  if (std::erase_if(records, [&](const auto& record) { return record.name == name; }) > 0) return {};
  return fail(kNoSuchCluster, "there is no cluster " + name);
}

Daemon::Daemon(int devices, ApiOptions options)
    : folder_(makeFolder()),
      core_(store_, devices),
      health_(core_.clock()),
      directory_(makeDirectory(core_.clock())),
      prices_(makePrices()) {
  const auto key = verifier_.add(control::testing::Harness::signer().publicKeyPem());
  FL_ASSERT(key.has_value(), "the key is one");
  health_.add("store", obs::HealthKind::readiness);
  health_.ok("store");
  api_ = std::make_unique<Api>(ApiDependencies{core_.control(),
                                               [this] { return directory_; },
                                               [this] { return prices_; },
                                               verifier_,
                                               core_.clock(),
                                               obs::Logger(sink_, core_.clock(), obs::LogLevel::debug),
                                               metrics_,
                                               health_,
                                               {},
                                               desk_,
                                               "0.1.0",
                                               "",
                                               options});
  net::ServerOptions server;
  server.listeners.resize(2);
  server.listeners[0].unixPath = folder_ + "/api.sock";
  server.listeners[1].host = "127.0.0.1";
  server.renderError = renderServerError;
  server_ = std::make_unique<net::HttpServer>(std::move(server), api_->handler());
  const auto started = server_->start();
  FL_ASSERT(started.has_value(), "the server starts");
}

Daemon::~Daemon() {
  api_->stop();
  server_->stop(Milliseconds{1'000});
  core_.control().stop();
  api_.reset();
  std::filesystem::remove_all(folder_);
}

net::HttpClient Daemon::client(std::string_view who) const {
  net::ClientOptions options;
  options.endpoint = endpoint();
  if (!who.empty()) options.bearerToken = tokenOf(who);
  return std::move(*net::HttpClient::open(std::move(options)));
}

Reply Daemon::call(std::string_view who, std::string_view method, std::string_view target, std::string body,
                   std::string contentType, HeaderList headers) {
  net::ClientRequest request;
  request.method = method;
  request.target = target;
  request.body = std::move(body);
  request.contentType = std::move(contentType);
  request.headers = std::move(headers);
  auto response = client(who).send(request);
  if (!response) {
    ADD_FAILURE() << toText(response.error());
    return {};
  }
  Reply reply{response->status, response->headers, response->body, {}};
  boost::system::error_code failed;
  reply.json = boost::json::parse(reply.body, failed);
  if (failed) reply.json = nullptr;
  static const Router kRouter(routes());
  const auto path = target.substr(0, target.find('?'));
  if (const auto match = kRouter.match(method, path); match.route != nullptr) expectShape(reply, *match.route);
  return reply;
}

std::string Daemon::submit(std::string_view who, std::string_view name, std::string_view project, int devices) {
  const auto reply = post(who, "/api/v1/workloads", document(name, project, devices));
  EXPECT_EQ(reply.status, 201) << reply.body;
  return reply.text("/items/0/id");
}

model::AttemptId Daemon::start(const std::string& id) {
  const auto workload = parseId<model::WorkloadTag>(id);
  FL_ASSERT(workload.has_value(), "an id");
  const auto attempt = core_.awaitAttempt(*workload, 1);
  core_.engine().started(attempt, core_.clock().now());
  EXPECT_TRUE(core_.reaches(*workload, model::WorkloadState::running));
  return attempt;
}

int Daemon::countAudited(std::string_view principal, std::string_view action, bool allowed) {
  int count = 0;
  const auto read = store_.readAudit(1, [&](const model::AuditRecord& record) {
    if (record.principal == principal && record.action == action && record.allowed == allowed && !record.rule.empty())
      ++count;
    return true;
  });
  EXPECT_TRUE(read.has_value());
  return count;
}

int Daemon::audited(std::string_view principal, std::string_view action, bool allowed) {
  control::testing::waitUntil([&] { return countAudited(principal, action, allowed) > 0; });
  return countAudited(principal, action, allowed);
}

std::string document(std::string_view name, std::string_view project, int devices, std::string_view more,
                     std::string_view taskClass) {
  return fmt::format(R"({{"apiVersion":"fairlead.io/v1","kind":"Workload","metadata":{{"name":"{}","project":"{}"}},)"
                     R"("spec":{{"class":"{}","roles":[{{"name":"worker","devices":{{"model":"h100","count":{}}},)"
                     R"("command":["true"]}}]{}}}}})",
                     name, project, taskClass, devices, more);
}

}  // namespace fairlead::api::testing
