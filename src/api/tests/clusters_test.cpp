// /clusters: who may, what is recorded, what is answered.
#include "daemon.hpp"

#include <gtest/gtest.h>

namespace fairlead::api {
namespace {

using testing::Daemon;

constexpr const char* kDocument = "kind: Cluster\n";

testing::Reply add(Daemon& daemon, std::string_view who) {
  return daemon.call(who, "POST", "/api/v1/clusters", kDocument, "application/yaml");
}

TEST(ClustersApi, onlySiteAdminsConnectAndItIsRecorded) {
  Daemon daemon;
  EXPECT_EQ(add(daemon, "ann").status, 403);
  EXPECT_TRUE(daemon.desk().records.empty());
  EXPECT_EQ(daemon.audited("ann", "cluster.manage", false), 1);
  const auto added = add(daemon, "root");
  EXPECT_EQ(added.status, 201) << added.body;
  EXPECT_EQ(added.text("/name"), "hpc");
  EXPECT_EQ(daemon.audited("root", "cluster.add", true), 1);
  EXPECT_FALSE(daemon.desk().lastFromHost) << "a token says nothing about the host";
}

TEST(ClustersApi, aBadDocumentIsAProblemWithItsField) {
  Daemon daemon;
  const auto refused = daemon.call("root", "POST", "/api/v1/clusters", "kind: Pod\n", "application/yaml");
  EXPECT_EQ(refused.status, 400) << refused.body;
  EXPECT_NE(refused.body.find("is no cluster"), std::string::npos);
}

TEST(ClustersApi, everybodySeesClustersAndOnlyAdminsTheirDocuments) {
  Daemon daemon;
  ASSERT_EQ(add(daemon, "root").status, 201);
  const auto seen = daemon.get("vera", "/api/v1/clusters");
  ASSERT_EQ(seen.size("/items"), 2U) << seen.body;
  EXPECT_EQ(seen.text("/items/0/name"), "hpc");
  EXPECT_EQ(seen.text("/items/1/name"), "local");
  EXPECT_EQ(seen.body.find("document"), std::string::npos) << seen.body;
  EXPECT_NE(daemon.get("root", "/api/v1/clusters/hpc").body.find("\"document\""), std::string::npos);
  EXPECT_EQ(daemon.get("vera", "/api/v1/clusters/hpc").body.find("\"document\""), std::string::npos);
  EXPECT_EQ(daemon.get("vera", "/api/v1/clusters/moon").status, 404);
}

TEST(ClustersApi, governingIsReplacedWholeAndRecorded) {
  Daemon daemon;
  ASSERT_EQ(add(daemon, "root").status, 201);
  const auto on = daemon.post("root", "/api/v1/clusters/hpc:govern", R"({"projects":["search","nlp"],"depth":7})");
  ASSERT_EQ(on.status, 200) << on.body;
  EXPECT_EQ(on.number("/depth"), 7);
  EXPECT_EQ(on.text("/projects/0"), "nlp");
  EXPECT_EQ(daemon.audited("root", "cluster.govern", true), 1);
  const auto off = daemon.post("root", "/api/v1/clusters/hpc:govern", "{}");
  EXPECT_EQ(off.size("/projects"), 0U);
  EXPECT_EQ(daemon.post("root", "/api/v1/clusters/hpc:govern", R"({"depth":-1,"foo":1})").status, 400);
  EXPECT_EQ(daemon.post("li", "/api/v1/clusters/hpc:govern", R"({"all":true})").status, 403);
}

TEST(ClustersApi, findingsAreLinesWithTheirRemedy) {
  Daemon daemon;
  daemon.desk().findings = {{control::FindingKind::missing, "accounting", "slurmdbd is down", "start it"}};
  const auto found = daemon.post("root", "/api/v1/clusters/hpc:check");
  ASSERT_EQ(found.status, 200) << found.body;
  EXPECT_EQ(found.text("/items/0/kind"), "missing");
  EXPECT_EQ(found.text("/items/0/remedy"), "start it");
  EXPECT_EQ(daemon.call("root", "POST", "/api/v1/clusters:check", kDocument, "application/yaml").size("/items"), 1U);
}

TEST(ClustersApi, aRemovedOneIsGone) {
  Daemon daemon;
  ASSERT_EQ(add(daemon, "root").status, 201);
  EXPECT_EQ(daemon.call("root", "DELETE", "/api/v1/clusters/hpc").status, 204);
  EXPECT_EQ(daemon.call("root", "DELETE", "/api/v1/clusters/hpc").status, 404);
}

TEST(ClustersApi, drainingNeedsAReasonAnEngineThatCanAndGoverning) {
  Daemon daemon;
  EXPECT_EQ(daemon.post("root", "/api/v1/clusters/local/nodes/n1:drain").status, 400);
  const auto cannot = daemon.post("root", "/api/v1/clusters/local/nodes/n1:drain", R"({"reason":"fans"})");
  EXPECT_EQ(cannot.status, 409) << cannot.body;
  EXPECT_EQ(daemon.post("olga", "/api/v1/clusters/local/nodes/n1:drain", R"({"reason":"fans"})").status, 403);
  EXPECT_EQ(daemon.post("root", "/api/v1/clusters/moon/nodes/n1:resume", "{}").status, 503);
}

TEST(ClustersApi, whatTheEngineCannotDoIsAConflict) {
  Daemon daemon;
  const auto id = daemon.submit();
  (void)daemon.start(id);
  EXPECT_EQ(daemon.post("li", "/api/v1/workloads/" + id + ":suspend").status, 403);
  const auto refused = daemon.post("olga", "/api/v1/workloads/" + id + ":suspend");
  EXPECT_EQ(refused.status, 409) << refused.body;
  EXPECT_NE(refused.body.find("cannot suspend"), std::string::npos);
  EXPECT_EQ(daemon.post("olga", "/api/v1/workloads/" + id + ":extend", R"({"timeLimit":"1s"})").status, 400);
}

}  // namespace
}  // namespace fairlead::api
