// Who may: every endpoint asks, lists are filtered, denials are audited with the rule.
#include "daemon.hpp"
#include "resources/tables.hpp"

#include <fairlead/auth/authorize.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace fairlead::api {
namespace {

using testing::Daemon;

net::ClientResponse rawGet(const std::string& endpoint, const std::string& target, const testing::HeaderList& headers) {
  net::ClientOptions options;
  options.endpoint = endpoint;
  auto client = net::HttpClient::open(std::move(options));
  net::ClientRequest request;
  request.target = target;
  request.headers = headers;
  auto response = client->send(request);
  EXPECT_TRUE(response.has_value());
  return std::move(*response);
}

TEST(Access, everyRouteNamesAnActionOfAuthOrNeedsNone) {
  for (const auto& route : routes()) {
    if (!route.action.empty()) {
      EXPECT_TRUE(parseEnum<auth::Action>(route.action).has_value()) << route.operation;
    } else {
      EXPECT_NE(route.access, CallerCheck::guarded) << route.operation;
    }
  }
}

TEST(Access, takesTheKernelsWordOnTheSocketAndTokensElsewhere) {
  Daemon daemon;
  EXPECT_EQ(daemon.get("", "/api/v1/whoami").text("/name"), "li");
  EXPECT_EQ(daemon.get("olga", "/api/v1/whoami").text("/name"), "olga") << "a token goes before the peer";
  const auto nobody = rawGet(daemon.tcpEndpoint(), "/api/v1/whoami", {});
  EXPECT_EQ(nobody.status, 401);
  EXPECT_EQ(nobody.headers.get("WWW-Authenticate"), "Bearer realm=\"fairlead\"");
  const auto token = rawGet(daemon.tcpEndpoint(), "/api/v1/whoami", {{"Authorization", "bearer token-of-vera"}});
  EXPECT_EQ(token.status, 200);
  for (const auto* wrong : {"Bearer", "Bearer ", "Bearer no", "Basic bGk6eA==", "token-of-li"})
    EXPECT_EQ(rawGet(daemon.tcpEndpoint(), "/api/v1/whoami", {{"Authorization", wrong}}).status, 401) << wrong;
}

TEST(Access, tellsWhoTheCallerIs) {
  Daemon daemon;
  const auto reply = daemon.get("olga", "/api/v1/whoami");
  EXPECT_EQ(reply.text("/roles/nlp"), "operator");
  EXPECT_EQ(reply.at("/siteAdmin").as_bool(), false);
  EXPECT_EQ(daemon.get("root", "/api/v1/whoami").at("/roles").as_object().size(), 2U);
  EXPECT_EQ(daemon.get("ghost", "/api/v1/whoami").at("/roles").as_object().size(), 0U);
  EXPECT_EQ(daemon.get("sue", "/api/v1/projects").text("/items/0/name"), "search");
}

TEST(Access, everyReadOfAForeignWorkloadLooksAsIfItDidNotExist) {
  Daemon daemon;
  const auto id = daemon.submit("li", "bert");
  daemon.start(id);
  const auto path = "/api/v1/workloads/" + id;
  for (const auto& target : {path, path + "/explain", path + "/logs", "/api/v1/events?workload=" + id}) {
    const auto reply = daemon.get("sue", target);
    EXPECT_EQ(reply.status, 404) << target;
    EXPECT_EQ(reply.body.find("nlp"), std::string::npos) << reply.body;
  }
  const auto unknown = daemon.get("sue", "/api/v1/workloads/bert");
  EXPECT_EQ(unknown.status, 404) << "names neither";
  for (const auto* verb : {"cancel", "hold", "release", "requeue", "signal", "priority"})
    EXPECT_EQ(daemon.post("sue", path + ":" + verb, "{}").status, 404) << verb;
  EXPECT_GE(daemon.audited("sue", "workload.read", false), 1);
  EXPECT_EQ(daemon.get("li", path).text("/state"), "running");
}

TEST(Access, listsShowOnlyWhatTheCallerMaySee) {
  Daemon daemon(0);
  daemon.submit("li", "one");
  daemon.submit("sue", "two", "search");
  EXPECT_EQ(daemon.get("li", "/api/v1/workloads").size("/items"), 1U);
  EXPECT_EQ(daemon.get("sue", "/api/v1/workloads").text("/items/0/name"), "two");
  EXPECT_EQ(daemon.get("ghost", "/api/v1/workloads").size("/items"), 0U);
  EXPECT_EQ(daemon.get("root", "/api/v1/workloads").size("/items"), 2U);
  for (const auto* target : {"/api/v1/workloads?project=search", "/api/v1/usage?project=search",
                             "/api/v1/models?project=search", "/api/v1/events?project=search"})
    EXPECT_EQ(daemon.get("li", target).status, 404) << target;
}

TEST(Access, actionsNeedTheirRoleAndTellTheRule) {
  Daemon daemon(0);
  const auto mine = "/api/v1/workloads/" + daemon.submit("li");
  const auto viewer = daemon.post("vera", mine + ":cancel");
  EXPECT_EQ(viewer.status, 403);
  EXPECT_NE(viewer.text("/detail").find("needs operator"), std::string::npos) << viewer.body;
  EXPECT_EQ(daemon.audited("vera", "workload.cancel", false), 1);
  EXPECT_EQ(daemon.post("li", mine + ":priority", R"({"priority":5})").status, 403);
  EXPECT_EQ(daemon.post("olga", mine + ":hold").status, 200);
  EXPECT_EQ(daemon.post("li", mine + ":cancel").status, 200);
  EXPECT_EQ(daemon.audited("li", "workload.cancel", true), 1);
}

TEST(Access, logsOfOthersNeedMember) {
  Daemon daemon;
  const auto id = daemon.submit("li");
  daemon.start(id);
  const auto target = "/api/v1/workloads/" + id + "/logs";
  const auto own = daemon.get("li", target);
  ASSERT_EQ(own.status, 200) << own.body;
  EXPECT_EQ(own.body, "log of the fake engine\n");
  EXPECT_EQ(own.header("Fairlead-Log-End"), "23");
  EXPECT_EQ(own.header("Fairlead-Log-Complete"), "true");
  EXPECT_EQ(daemon.get("vera", target).status, 403);
  EXPECT_EQ(daemon.audited("vera", "logs.read", false), 1);
  EXPECT_EQ(daemon.get("li", target + "?attempt=7").status, 404);
  EXPECT_EQ(daemon.get("li", target + "?stream=stdall").status, 400);
}

TEST(Access, auditIsForAdmins) {
  Daemon daemon(0);
  daemon.submit("li");
  daemon.submit("sue", "x", "search");
  EXPECT_EQ(daemon.get("li", "/api/v1/audit").status, 403);
  const auto project = daemon.get("ann", "/api/v1/audit");
  ASSERT_EQ(project.status, 200) << project.body;
  for (const auto& record : project.at("/items").as_array()) EXPECT_EQ(record.at("project").as_string(), "nlp");
  EXPECT_EQ(daemon.get("ann", "/api/v1/audit?project=search").status, 403);
  EXPECT_EQ(daemon.post("ann", "/api/v1/audit:verify").status, 403);
  const auto all = daemon.get("root", "/api/v1/audit?action=workload.submit");
  EXPECT_EQ(all.size("/items"), 2U);
  EXPECT_EQ(all.text("/items/0/principal"), "sue") << "newest first";
}

TEST(Access, auditPagesAndVerifies) {
  Daemon daemon(0);
  for (int i = 0; i < 5; ++i) daemon.submit("li");
  const auto first = daemon.get("root", "/api/v1/audit?limit=2&action=workload.submit");
  ASSERT_EQ(first.size("/items"), 2U);
  const auto next =
      daemon.get("root", "/api/v1/audit?limit=2&action=workload.submit&cursor=" + first.text("/nextCursor"));
  ASSERT_EQ(next.size("/items"), 2U) << next.body;
  EXPECT_EQ(next.number("/items/0/sequence"), first.number("/items/1/sequence") - 1);
  const auto verdict = daemon.post("root", "/api/v1/audit:verify");
  ASSERT_EQ(verdict.status, 200) << verdict.body;
  EXPECT_TRUE(verdict.at("/ok").as_bool()) << verdict.body;
  EXPECT_GE(verdict.number("/records"), 5);
}

}  // namespace
}  // namespace fairlead::api
