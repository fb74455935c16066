// What is in use on nodes, and where jobs were put: from Slurm's texts to devices.
#include "slurm/allocation.hpp"
#include "slurm/inventory.hpp"

#include <fairlead/codec/slurm/grammars.hpp>

#include <gtest/gtest.h>

namespace fairlead::engine::test {
namespace {

using namespace slurm;

std::vector<wire::GresEntry> gres(std::string_view text) {
  std::vector<wire::GresEntry> out;
  EXPECT_TRUE(wire::readGres(text, out)) << text;
  return out;
}

wire::Tres tres(std::string_view text) {
  wire::Tres out;
  EXPECT_TRUE(wire::readTres(text, out)) << text;
  return out;
}

wire::SlurmNode node(const std::string& name, std::string_view has, std::string_view used = "",
                     std::string_view usedTres = "") {
  wire::SlurmNode node;
  node.name = name;
  node.state = wire::NodeState::idle;
  node.cpus = 64;
  node.gres = gres(has);
  node.gresUsed = gres(used);
  node.tresUsed = tres(usedTres);
  return node;
}

std::vector<std::int64_t> usedDevices(const wire::SlurmNode& node) {
  std::vector<std::int64_t> used;
  const auto read = readInventory("lab", {node});
  for (const auto part : read.nodes.at(0).used.devices) used.push_back(part.count);
  return used;
}

std::vector<std::int32_t> indices(const model::MemberPlacement& member) {
  std::vector<std::int32_t> all;
  for (const auto& slice : member.devices) all.push_back(slice.index);
  return all;
}

using Milli = std::vector<std::int64_t>;
using Indices = std::vector<std::int32_t>;

TEST(SlurmUse, NamesTheDevicesThatSlurmNames) {
  EXPECT_EQ(usedDevices(node("n1", "gpu:h100:4", "gpu:h100:2(IDX:1,3)")), (Milli{0, 1000, 0, 1000}));
  EXPECT_EQ(usedDevices(node("n1", "gpu:h100:4", "gpu:h100:0(IDX:N/A)")), (Milli{0, 0, 0, 0}));
  EXPECT_EQ(usedDevices(node("n1", "gpu:h100:4", "gpu:h100:1")), (Milli{1000, 0, 0, 0})) << "by count";
}

TEST(SlurmUse, CountsIndicesWithinOneResourceName) {
  const auto mixed = node("n1", "gpu:h100:2,gpu:a100:2,npu:ascend910b:2", "gpu:a100:1(IDX:3),npu:ascend910b:1(IDX:0)");
  EXPECT_EQ(usedDevices(mixed), (Milli{0, 0, 0, 1000, 1000, 0}));
  // An index that stands for another type is not that device.
  EXPECT_EQ(usedDevices(node("n1", "gpu:h100:2,gpu:a100:2", "gpu:a100:1(IDX:0)")), (Milli{0, 0, 1000, 0}));
}

TEST(SlurmUse, TakesTheLargerWhereSlurmSaysTwoThings) {
  const auto told = node("n1", "gpu:h100:4", "gpu:h100:1(IDX:2)", "cpu=8,mem=4G,gres/gpu=3,gres/gpu:h100=3");
  const auto read = readInventory("lab", {told});
  EXPECT_EQ(usedDevices(told), (Milli{1000, 1000, 1000, 0}));
  ASSERT_EQ(read.doubts.size(), 1U);
  EXPECT_EQ(read.doubts[0], "node n1: 1 gpu in use by GresUsed, 3 by AllocTRES");
  EXPECT_EQ(read.nodes[0].used.cpus.count, 8'000);
  EXPECT_EQ(read.nodes[0].used.memory.count, 4LL << 30);
  auto more = node("n1", "gpu:h100:4", "gpu:h100:3(IDX:0-2)", "cpu=8,gres/gpu=1");
  more.cpusAllocated = 10;
  more.memoryAllocated = {5};
  EXPECT_EQ(usedDevices(more), (Milli{1000, 1000, 1000, 0}));
  EXPECT_EQ(readInventory("lab", {more}).nodes[0].used.cpus.count, 10'000);
  EXPECT_EQ(readInventory("lab", {more}).nodes[0].used.memory.count, 5);
}

TEST(SlurmUse, KnowsPartsOfADevice) {
  const auto shared = node("n1", "gpu:h100:2,shard:h100:8", "gpu:h100:0(IDX:N/A),shard:h100:3(2/4,1/4)");
  EXPECT_EQ(usedDevices(shared), (Milli{500, 250}));
}

class SlurmPlacement : public ::testing::Test {
 protected:
  ClusterDevices devices_ =
      readInventory("lab", {node("n1", "gpu:h100:8"), node("n2", "gpu:h100:8"), node("cpu", "")}).devices;
};

TEST_F(SlurmPlacement, IsWhatGresDetailSays) {
  const Allocation given{{"n1", "n2"},
                         {{"n1", gres("gpu:h100:2(IDX:4,6)")}, {"n2", gres("gpu:h100:1(IDX:7)")}},
                         tres("cpu=5,mem=10G,node=2,gres/gpu=3,gres/gpu:h100=3")};
  const auto members = placementOf(given, devices_);
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].node, "n1");
  EXPECT_EQ(members[0].rank, 0);
  EXPECT_EQ(members[0].vendor, "nvidia");
  EXPECT_EQ(members[0].model, "h100");
  EXPECT_EQ(indices(members[0]), (Indices{4, 6}));
  EXPECT_EQ(indices(members[1]), (Indices{7}));
  EXPECT_EQ(members[0].cpus.count + members[1].cpus.count, 5'000);
  EXPECT_EQ(members[0].memory.count + members[1].memory.count, 10LL << 30);
}

TEST_F(SlurmPlacement, IsSpreadByCountWhereIndicesAreNotTold) {
  devices_["n1"].used = {{0}, {0}, {1000}, {1000}, {0}, {0}, {0}, {0}};
  const auto members = placementOf({{"n1", "cpu", "n2"}, {}, tres("cpu=3,node=3,gres/gpu=3")}, devices_);
  ASSERT_EQ(members.size(), 3U);
  EXPECT_EQ(indices(members[0]), (Indices{2, 3})) << "of those that are in use";
  EXPECT_TRUE(members[1].devices.empty());
  EXPECT_EQ(members[1].vendor, "");
  EXPECT_EQ(indices(members[2]), (Indices{0}));
}

TEST_F(SlurmPlacement, OfANodeThatIsGoneHasItsDevices) {
  const auto members = placementOf({{"old"}, {}, tres("cpu=1,node=1,gres/gpu=2,gres/gpu:a100=2")}, devices_);
  ASSERT_EQ(members.size(), 1U);
  EXPECT_EQ(members[0].model, "a100");
  EXPECT_EQ(members[0].devices.size(), 2U);
}

TEST_F(SlurmPlacement, OfTwoKindsIsTwoMembers) {
  devices_ = readInventory("lab", {node("n1", "gpu:h100:2,gpu:a100:2")}).devices;
  const auto members =
      placementOf({{"n1"}, {{"n1", gres("gpu:h100:1(IDX:0),gpu:a100:1(IDX:2)")}}, tres("cpu=4,node=1")}, devices_);
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].model, "h100");
  EXPECT_EQ(members[1].model, "a100");
  EXPECT_EQ(indices(members[1]), (Indices{2}));
  EXPECT_EQ(members[0].cpus.count, 4'000);
  EXPECT_EQ(members[1].cpus.count, 0);
}

TEST_F(SlurmPlacement, OfOurOwnFollowsTheRanks) {
  const std::vector<RoleShape> roles{{0, 4, 2, 2}, {2, 1, 1, 0}};
  const Allocation workers{{"n1", "n2"},
                           {{"n1", gres("gpu:h100:4(IDX:1,3,5,7)")}, {"n2", gres("gpu:h100:4(IDX:0-3)")}},
                           tres("cpu=8,mem=4G,node=2,gres/gpu=8")};
  const Allocation driver{{"cpu"}, {{"cpu", {}}}, tres("cpu=1,node=1")};
  const auto members = placementOf(roles, {workers, driver}, devices_);
  ASSERT_EQ(members.size(), 5U);
  EXPECT_EQ(members[1].node, "n1");
  EXPECT_EQ(indices(members[0]), (Indices{1, 3}));
  EXPECT_EQ(indices(members[1]), (Indices{5, 7}));
  EXPECT_EQ(indices(members[3]), (Indices{2, 3}));
  EXPECT_EQ(members[3].cpus.count, 2'000);
  EXPECT_EQ(members[4].node, "cpu");
  EXPECT_EQ(members[4].role, 2);
  EXPECT_EQ(members[4].rank, 4);
  EXPECT_TRUE(placementOf(roles, {workers}, devices_).empty()) << "a component is missing";
  const Allocation fewer{{"n1", "n2"}, {{"n1", gres("gpu:h100:1(IDX:1)")}, {"n2", {}}}, tres("cpu=8,node=2")};
  EXPECT_TRUE(placementOf(roles, {fewer, driver}, devices_).empty());
}

}  // namespace
}  // namespace fairlead::engine::test
