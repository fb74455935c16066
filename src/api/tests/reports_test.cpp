// Inventory, models, usage, prices, probes, and what no endpoint serves.
#include "daemon.hpp"

#include <fairlead/codec/digest.hpp>
#include <fairlead/net/subprocess.hpp>

#include <gtest/gtest.h>

#include <filesystem>

namespace fairlead::api {
namespace {

using control::testing::waitUntil;
using testing::Daemon;

TEST(Inventory, showsWhatIsFree) {
  Daemon daemon(4);
  daemon.start(daemon.submit("li", "x", "nlp", 3));
  const auto nodes = daemon.get("ghost", "/api/v1/nodes");
  ASSERT_EQ(nodes.size("/items"), 1U) << nodes.body;
  EXPECT_EQ(nodes.size("/items/0/devices"), 4U);
  std::int64_t free = 0;
  for (const auto& device : nodes.at("/items/0/devices").as_array()) free += device.at("freeMilliDevices").as_int64();
  EXPECT_EQ(free, 1'000);
  EXPECT_EQ(daemon.get("li", "/api/v1/devices?model=h100-sxm5-80gb").size("/items"), 4U);
  EXPECT_EQ(daemon.get("li", "/api/v1/devices?cluster=other").size("/items"), 0U);
  const auto clusters = daemon.get("li", "/api/v1/clusters");
  EXPECT_EQ(clusters.number("/items/0/devices/0/freeMilliDevices"), 1'000);
  EXPECT_EQ(clusters.number("/items/0/attempts"), 1);
}

/// Runs a workload whose output becomes a version, as the engine would report it.
void makeVersion(Daemon& daemon, const std::string& name) {
  const auto reply = daemon.post(
      "li", "/api/v1/workloads",
      testing::document(name, "nlp", 2, R"(,"outputs":[{"name":"model","path":"out","kind":"model","model":"bert"}])"));
  ASSERT_EQ(reply.status, 201) << reply.body;
  const auto id = reply.text("/items/0/id");
  const auto attempt = daemon.start(id);
  daemon.core().clock().advance(3'600'000);
  model::Observation fact;
  fact.attempt = attempt;
  fact.kind = model::ObservationKind::ended;
  fact.at = daemon.core().clock().now();
  fact.ends = {{0, 0, 0, false, fact.at}};
  fact.outputs = {{"model", "file:///models/1", codec::sha256("bytes"), {1'024}, {{"loss", "1.92"}}, {}}};
  daemon.core().engine().report(std::move(fact));
  ASSERT_TRUE(daemon.core().reaches(*parseId<model::WorkloadTag>(id), model::WorkloadState::succeeded));
}

TEST(Models, tellTheThreadFromRequestToModel) {
  Daemon daemon;
  makeVersion(daemon, "train");
  const auto model = daemon.get("vera", "/api/v1/models/nlp/bert");
  ASSERT_EQ(model.status, 200) << model.body;
  EXPECT_EQ(model.number("/versions/0/version"), 1);
  EXPECT_EQ(model.text("/versions/0/createdBy"), "li");
  EXPECT_EQ(model.text("/versions/0/workloadName"), "train");
  EXPECT_EQ(model.text("/versions/0/askedFor"), "2 h100");
  EXPECT_EQ(model.text("/versions/0/metrics/loss"), "1.92");
  EXPECT_EQ(model.number("/versions/0/cost/costMicros"), 2 * 17'800'000);
  EXPECT_EQ(daemon.get("li", "/api/v1/models").number("/items/0/latestVersion"), 1);
  EXPECT_EQ(daemon.get("li", "/api/v1/models/nlp/none").status, 404);
  EXPECT_EQ(daemon.get("sue", "/api/v1/models/nlp/bert").status, 404);
  EXPECT_EQ(daemon.get("sue", "/api/v1/models").size("/items"), 0U);
}

TEST(Models, tellWhoServesAVersionAndWhoWill) {
  Daemon daemon;
  makeVersion(daemon, "train");
  constexpr auto kTakesBert = R"(,"model":{"name":"bert"})";
  const auto asked =
      daemon.post("li", "/api/v1/workloads", testing::document("chat", "nlp", 1, kTakesBert, "inference"));
  ASSERT_EQ(asked.status, 201) << asked.body;
  const auto tuned = daemon.post("li", "/api/v1/workloads", testing::document("tune", "nlp", 1, kTakesBert));
  ASSERT_EQ(tuned.status, 201) << tuned.body;

  auto model = daemon.get("vera", "/api/v1/models/nlp/bert");
  EXPECT_EQ(model.size("/versions/0/servedBy"), 0U) << "asked for is not served";
  EXPECT_EQ(model.size("/versions/0/nextServedBy"), 1U) << model.body;
  EXPECT_EQ(model.text("/versions/0/nextServedBy/0/name"), "chat");

  daemon.start(asked.text("/items/0/id"));
  model = daemon.get("vera", "/api/v1/models/nlp/bert");
  EXPECT_EQ(model.size("/versions/0/servedBy"), 1U) << model.body;
  EXPECT_EQ(model.text("/versions/0/servedBy/0/name"), "chat");
  EXPECT_EQ(model.size("/versions/0/nextServedBy"), 0U);
}

TEST(Usage, countsWhatEndedAndWhatRuns) {
  Daemon daemon;
  makeVersion(daemon, "train");
  const auto running = daemon.submit("olga", "run", "nlp", 1);
  daemon.start(running);
  daemon.core().clock().advance(3'600'000);
  const auto usage = daemon.get("vera", "/api/v1/usage?groupBy=user,deviceModel");
  ASSERT_EQ(usage.status, 200) << usage.body;
  ASSERT_EQ(usage.size("/items"), 2U) << usage.body;
  EXPECT_EQ(usage.text("/items/0/group/user"), "li");
  EXPECT_EQ(usage.number("/items/0/cost/totalMicroDeviceSeconds"), 2 * kMicroDeviceSecondsPerDeviceHour);
  EXPECT_EQ(usage.text("/items/1/group/user"), "olga");
  EXPECT_EQ(usage.number("/items/1/cost/totalMicroDeviceSeconds"), kMicroDeviceSecondsPerDeviceHour);
  EXPECT_EQ(usage.number("/total/totalMicroDeviceSeconds"), 3 * kMicroDeviceSecondsPerDeviceHour);
  EXPECT_EQ(usage.text("/total/costs/0/currency"), "CNY");
  EXPECT_EQ(daemon.get("sue", "/api/v1/usage").number("/total/totalMicroDeviceSeconds"), 0);
  for (const auto* query :
       {"from=2030-01-01T00:00:00Z&to=2029-01-01T00:00:00Z", "groupBy=colour", "groupBy=day,day", "from=now"})
    EXPECT_EQ(daemon.get("li", "/api/v1/usage?" + std::string(query)).status, 400) << query;
  EXPECT_EQ(daemon.get("ghost", "/api/v1/prices").number("/items/0/perDeviceHourMicros"), 17'800'000);
}

TEST(Probes, tellHealthAndTrouble) {
  Daemon daemon;
  EXPECT_EQ(daemon.get("", "/healthz").status, 200);
  EXPECT_EQ(daemon.get("", "/readyz").status, 200);
  daemon.store().failNextCommit(1'000);
  daemon.post("li", "/api/v1/workloads", testing::document("x"));
  EXPECT_TRUE(waitUntil([&] { return daemon.get("", "/readyz").status == 503; }));
}

TEST(Probes, metricsArePromtoolClean) {
  Daemon daemon;
  daemon.start(daemon.submit());
  daemon.get("sue", "/api/v1/workloads?project=nlp");
  const auto text = daemon.get("", "/metrics").body;
  for (const auto* part :
       {"fairlead_http_requests_total{operation=\"submitWorkload\",status=\"2xx\"} 1",
        "fairlead_workloads{state=\"running\"} 1", "fairlead_http_denials_total{action=\"workload.read\"} 1",
        "fairlead_control_commits_total "})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  for (const auto* secret : {"token-of", "\"li\"", "\"nlp\""})
    EXPECT_EQ(text.find(secret), std::string::npos) << secret;
  if (!std::filesystem::exists("/usr/bin/promtool")) GTEST_SKIP() << "promtool is not installed";
  net::ProcessSpec tool;
  tool.argv = {"/usr/bin/promtool", "check", "metrics"};
  tool.input = text;
  const auto result = net::runProcess(tool);
  ASSERT_TRUE(result.has_value());
  EXPECT_TRUE(result->succeeded()) << result->output << result->errors;
}

TEST(Routing, answersWhatItDoesNotServe) {
  Daemon daemon;
  EXPECT_EQ(daemon.get("li", "/api/v1/nosuch").status, 404);
  EXPECT_EQ(daemon.get("li", "/").status, 404);
  EXPECT_EQ(daemon.post("li", "/api/v1/workloads/w-00000:explode").status, 404);
  const auto method = daemon.call("li", "DELETE", "/api/v1/workloads");
  EXPECT_EQ(method.status, 405);
  EXPECT_NE(method.header("Allow").find("GET"), std::string::npos);
  EXPECT_NE(method.header("Allow").find("POST"), std::string::npos);
  EXPECT_EQ(daemon.call("li", "GET", "/api/v1/whoami", "body", "text/plain").status, 400);
  const auto named = daemon.call("li", "GET", "/api/v1/nosuch", {}, {}, {{"X-Request-Id", "mine-7"}});
  EXPECT_EQ(named.text("/requestId"), "mine-7");
  EXPECT_EQ(daemon.get("li", "/api/v1/version").text("/version"), "0.1.0");
}

}  // namespace
}  // namespace fairlead::api
