// What a look at a cluster says, over a table.
#include "slurm/check.hpp"
#include "tests/fake_slurm.hpp"

#include <gtest/gtest.h>

namespace fairlead::engine::test {
namespace {

using control::Finding;
using control::FindingKind;

class SlurmCheck : public ::testing::Test {
 protected:
  SlurmCheck() {
    wire::SlurmNode node;
    node.name = "n1";
    node.state = wire::NodeState::idle;
    wire::GresEntry gpus;
    gpus.name = "gpu";
    gpus.type = "h100";
    gpus.count = 8;
    node.gres.push_back(gpus);
    node.tres.push_back({"gres", "gpu", 8});
    world_.nodes = {node};
    world_.settings = {{"PrivateData", "none"}, {"MinJobAge", "300 sec"}, {"JobRequeue", "0"}};
    options_.cluster = "hpc";
  }
  std::vector<Finding> look() {
    FakeCalls calls(world_);
    return slurm::check(calls, options_, terms_);
  }
  const Finding* find(const std::vector<Finding>& all, FindingKind kind, std::string_view topic) {
    for (const auto& one : all)
      if (one.kind == kind && one.topic == topic) return &one;
    return nullptr;
  }

  FakeSlurm world_;
  SlurmOptions options_;
  model::ClusterTerms terms_;
};

TEST_F(SlurmCheck, WhatDoesNotAnswerEndsTheLook) {
  world_.down = true;
  const auto seen = look();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].kind, FindingKind::missing);
  EXPECT_EQ(seen[0].topic, "connection");
}

TEST_F(SlurmCheck, DevicesAreNamed) {
  const auto seen = look();
  const auto* nodes = find(seen, FindingKind::fine, "nodes");
  ASSERT_NE(nodes, nullptr);
  EXPECT_EQ(nodes->text, "1 nodes; 8 h100");
  EXPECT_EQ(find(seen, FindingKind::missing, "accounting"), nullptr);
}

TEST_F(SlurmCheck, AResourceWithoutATypeAndUntrackedGpusAreMissingWithTheirLines) {
  world_.nodes[0].gres[0].type.clear();
  world_.nodes[0].tres.clear();
  const auto seen = look();
  const auto* devices = find(seen, FindingKind::missing, "devices");
  ASSERT_NE(devices, nullptr);
  EXPECT_NE(devices->remedy.find("Gres=gpu:h100:8"), std::string::npos) << devices->remedy;
  const auto* accounting = find(seen, FindingKind::missing, "accounting");
  ASSERT_NE(accounting, nullptr);
  EXPECT_EQ(accounting->remedy, "slurm.conf: AccountingStorageTRES=gres/gpu");
}

TEST_F(SlurmCheck, WithoutSlurmdbdThereIsNoHistory) {
  world_.databaseDown = true;
  const auto seen = look();
  EXPECT_NE(find(seen, FindingKind::missing, "accounting"), nullptr);
}

TEST_F(SlurmCheck, AShortMinJobAgeIsANote) {
  world_.settings[1].second = "2 sec";
  const auto seen = look();
  const auto* note = find(seen, FindingKind::note, "settings");
  ASSERT_NE(note, nullptr);
  EXPECT_EQ(note->remedy, "slurm.conf: MinJobAge=300");
}

TEST_F(SlurmCheck, GoverningThroughSlurmrestdNeedsATokenForEachUser) {
  options_.endpoint = "http://127.0.0.1:1";
  const auto looking = look();
  EXPECT_EQ(find(looking, FindingKind::missing, "users"), nullptr) << "only looked at";
  terms_.governsAll = true;
  const auto seen = look();
  const auto* users = find(seen, FindingKind::missing, "users");
  ASSERT_NE(users, nullptr);
  EXPECT_NE(users->remedy.find("tokenCommand"), std::string::npos);
  options_.tokenFile = "/run/tokens/%u";
  const auto again = look();
  EXPECT_NE(find(again, FindingKind::fine, "users"), nullptr);
}

TEST_F(SlurmCheck, NothingIsChangedByIt) {
  terms_.governsAll = true;
  (void)look();
  EXPECT_TRUE(world_.calls.empty());
}

}  // namespace
}  // namespace fairlead::engine::test
