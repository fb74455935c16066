#include <fairlead/clusters/document.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fairlead::clusters {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

std::string problems(std::string_view text) {
  const auto decoded = decodeCluster(text);
  if (decoded) return "none";
  std::string all;
  for (const auto& error : decoded.error()) all += toText(error) + "\n";
  return all;
}

constexpr std::string_view kHead = "apiVersion: fairlead.io/v1\nkind: Cluster\nmetadata: {name: hpc}\n";

std::string with(std::string_view spec) { return std::string(kHead) + std::string(spec); }

TEST(ClusterDocument, theLeastIsReadOnlyAndUsesTheCommands) {
  const auto document = decodeCluster(with("spec: {engine: slurm}\n"));
  ASSERT_TRUE(document) << problems(with("spec: {engine: slurm}\n"));
  EXPECT_EQ(document->name, "hpc");
  EXPECT_EQ(document->slurm.cluster, "hpc");
  EXPECT_TRUE(document->terms.readOnly());
  EXPECT_EQ(document->terms.depth, 0);
  EXPECT_TRUE(document->slurm.endpoint.empty());
  EXPECT_FALSE(namesPrograms(*document));
}

TEST(ClusterDocument, everythingIsReadAndWrittenBack) {
  const auto text = with(R"(spec:
  engine: slurm
  govern: {projects: [vision, nlp]}
  depth: 50
  slurm:
    endpoint: https://slurm.example:6820
    clusterName: big
    caFile: /etc/ca.pem
    reader: fairlead
    tokenCommand: [scontrol, token, "username=%u"]
    tokenLifespan: 10m
    partition: gpu
    runFolder: /scratch/%u/runs
    accounts: {nlp-gpu: nlp, cv: vision}
    constraints: {h100: nvlink}
    container: pyxis
    requeue: true
    callsAtOnce: 8
    jobInterval: 500ms
    historyFrom: 2026-01-01T00:00:00Z
)");
  const auto document = decodeCluster(text);
  ASSERT_TRUE(document) << problems(text);
  EXPECT_THAT(document->terms.projects, ElementsAre("nlp", "vision"));
  EXPECT_EQ(document->terms.depth, 50);
  EXPECT_THAT(document->slurm.projects, ElementsAre(Pair("cv", "vision"), Pair("nlp-gpu", "nlp")));
  EXPECT_EQ(document->slurm.container, engine::SlurmContainer::pyxis);
  EXPECT_EQ(document->slurm.jobInterval, Milliseconds{500});
  EXPECT_TRUE(namesPrograms(*document));
  const auto json = encodeCluster(*document);
  const auto again = decodeCluster(json);
  ASSERT_TRUE(again) << problems(json);
  EXPECT_EQ(encodeCluster(*again), json);
  EXPECT_EQ(again->slurm.tokenCommand, document->slurm.tokenCommand);
  EXPECT_EQ(again->slurm.historyFrom, document->slurm.historyFrom);
  EXPECT_EQ(again->terms, document->terms);
}

TEST(ClusterDocument, allErrorsComeAtOnceWithTheirPlace) {
  const auto text = problems(R"(apiVersion: v1
kind: Cluster
metadata: {name: "Bad Name"}
spec:
  engine: pbs
  depth: deep
  slurm:
    endpoint: slurm.example:6820
    callTimeout: 1ms
    nodeIntervall: 5s
    accounts: [a]
)");
  EXPECT_THAT(text, HasSubstr("apiVersion"));
  EXPECT_THAT(text, HasSubstr("metadata.name"));
  EXPECT_THAT(text, HasSubstr("`pbs` is not slurm"));
  EXPECT_THAT(text, HasSubstr("spec.depth"));
  EXPECT_THAT(text, HasSubstr("http://host:6820"));
  EXPECT_THAT(text, HasSubstr("callTimeout"));
  EXPECT_THAT(text, HasSubstr("nodeInterval"));
  EXPECT_THAT(text, HasSubstr("one `name: value` a line"));
}

TEST(ClusterDocument, namesThatAreNoFileNamesAreRefused) {
  for (const auto* name : {"..", "-x", "x-", "a/b", "A", ""}) {
    const auto text = std::string("apiVersion: fairlead.io/v1\nkind: Cluster\nmetadata: {name: \"") + name +
                      "\"}\nspec: {engine: slurm}\n";
    EXPECT_THAT(problems(text), HasSubstr("metadata.name")) << name;
  }
}

TEST(ClusterDocument, fitIsTheDepthOfZero) {
  const auto document = decodeCluster(with("spec: {engine: slurm, depth: fit, govern: {all: true}}\n"));
  ASSERT_TRUE(document);
  EXPECT_EQ(document->terms, (model::ClusterTerms{.governsAll = true}));
}

}  // namespace
}  // namespace fairlead::clusters
