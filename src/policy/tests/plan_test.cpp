#include <fairlead/policy/plan.hpp>
#include <fairlead/policy/testing/builders.hpp>

#include <gtest/gtest.h>

namespace fairlead::policy {
namespace {

using model::ReasonCode;
using model::Verdict;
using testing::entry;
using testing::node;
using testing::spec;

constexpr TimePoint kNow{1'000'000'000};

Verdict verdictOn(const Plan& made, std::uint64_t id) {
  for (const auto& decision : made.decisions)
    if (decision.workload.value == id) return decision.verdict;
  ADD_FAILURE() << "no decision on " << id;
  return Verdict::denied;
}

const Decision& decisionOn(const Plan& made, std::uint64_t id) {
  for (const auto& decision : made.decisions)
    if (decision.workload.value == id) return decision;
  throw std::out_of_range("no decision");
}

TEST(Plan, ordersByPriorityThenAge) {
  Snapshot snapshot{
      1, {node("n1", 1)}, {entry(1, spec(1, 1), 100), entry(2, spec(1, 1), 50), entry(3, spec(1, 1), 200, 10)}, 3, {}};
  const auto made = plan(snapshot, {}, kNow);
  EXPECT_EQ(verdictOn(made, 3), Verdict::placed);
  EXPECT_EQ(decisionOn(made, 2).position, 2U);
  EXPECT_EQ(verdictOn(made, 2), Verdict::notNow);
  EXPECT_EQ(decisionOn(made, 1).position, 3U);
}

TEST(Plan, placesAGangWholeOrNotAtAll) {
  Snapshot snapshot{1, {node("n1", 4), node("n2", 4)}, {entry(1, spec(3, 4), 1)}, 1, {}};
  const auto three = plan(snapshot, {}, kNow);
  EXPECT_EQ(verdictOn(three, 1), Verdict::never);
  snapshot.queue = {entry(1, spec(2, 4), 1)};
  const auto two = plan(snapshot, {}, kNow);
  ASSERT_EQ(verdictOn(two, 1), Verdict::placed);
  ASSERT_EQ(two.decisions[0].placement.size(), 2U);
  EXPECT_NE(two.decisions[0].placement[0].node, two.decisions[0].placement[1].node);
}

TEST(Plan, saysHowMuchIsMissing) {
  auto busy = node("n1", 4);
  busy.deviceFree = {{0}, {0}, {0}, {1000}};
  Snapshot snapshot{1, {busy}, {entry(1, spec(1, 3), 1)}, 1, {}};
  const auto made = plan(snapshot, {}, kNow);
  ASSERT_EQ(verdictOn(made, 1), Verdict::notNow);
  ASSERT_FALSE(made.decisions[0].reasons.empty());
  EXPECT_EQ(made.decisions[0].reasons[0],
            (model::Reason{ReasonCode::devicesShort, {std::int64_t{3000}, std::int64_t{1000}, std::string("h100")}}));
  EXPECT_EQ(model::renderShort(made.decisions[0].reasons[0]), "2 h100 more");
}

TEST(Plan, aShareThatFitsOnNoSingleDeviceSaysSo) {
  auto busy = node("n1", 2);
  busy.deviceFree = {{500}, {500}};
  auto share = std::make_shared<model::SpecDocument>(*spec(1, 1));
  share->spec.roles[0].devices[0].count = 0;
  share->spec.roles[0].devices[0].share = {750};
  Snapshot snapshot{1, {busy}, {entry(1, share, 1)}, 1, {}};
  const auto made = plan(snapshot, {}, kNow);
  ASSERT_EQ(verdictOn(made, 1), Verdict::notNow);
  EXPECT_EQ(made.decisions[0].reasons.at(0),
            (model::Reason{ReasonCode::devicesFragmented,
                           {std::int64_t{750}, std::int64_t{500}, std::string("shares of h100")}}));
}

TEST(Plan, namesTheNodeThatIsAvoided) {
  auto other = node("n2", 1);
  other.deviceFree = {{0}};
  auto waiting = entry(1, spec(1, 1), 1);
  waiting.avoidNodes = {"n1"};
  Snapshot snapshot{1, {node("n1", 1), other}, {waiting}, 1, {}};
  const auto made = plan(snapshot, {}, kNow);
  ASSERT_EQ(verdictOn(made, 1), Verdict::notNow);
  EXPECT_EQ(made.decisions[0].reasons.at(0).code, ReasonCode::devicesShort);
  EXPECT_EQ(made.decisions[0].reasons.back(), (model::Reason{ReasonCode::nodeAvoided, {std::string("n1")}}));
}

TEST(Plan, tellsNeverFromNotNow) {
  Snapshot snapshot{1, {node("n1", 4)}, {entry(1, spec(1, 5), 1), entry(2, spec(1, 1, {}, "mi300x"), 2)}, 2, {}};
  const auto made = plan(snapshot, {}, kNow);
  EXPECT_EQ(verdictOn(made, 1), Verdict::never);
  EXPECT_EQ(decisionOn(made, 1).reasons.at(0).code, ReasonCode::neverDevices);
  EXPECT_EQ(verdictOn(made, 2), Verdict::never);
  EXPECT_EQ(decisionOn(made, 2).reasons.at(0).code, ReasonCode::neverModel);
}

TEST(Plan, smallWorkPassesABlockedHeadOnlyUntilItsTimeIsUp) {
  auto busy = node("n1", 4);
  busy.deviceFree[0] = {0};
  busy.deviceFree[1] = {0};
  RunningEntry running{{9},
                       "p",
                       "local",
                       {{0, 0, "n1", "nvidia", "h100-sxm5-80gb", {{0, {1000}}, {1, {1000}}}, {}, {}}},
                       kNow + Milliseconds{60'000}};
  const PolicyConfig config{1'000, {10'000}, 256};
  // Head needs all four; two are busy for a minute more.
  const auto queueAt = [&](std::int64_t headAge) {
    return std::vector<QueueEntry>{entry(1, spec(1, 4), kNow.msSinceEpoch - headAge),
                                   entry(2, spec(1, 1), kNow.msSinceEpoch, -1),
                                   entry(3, spec(1, 1, {30'000}), kNow.msSinceEpoch, -2)};
  };
  Snapshot snapshot{1, {busy}, queueAt(1'000), 3, {running}};
  const auto early = plan(snapshot, config, kNow);
  EXPECT_EQ(verdictOn(early, 2), Verdict::placed);
  EXPECT_FALSE(early.reservedFor);

  snapshot.queue = queueAt(11'000);
  const auto late = plan(snapshot, config, kNow);
  EXPECT_EQ(late.reservedFor, model::WorkloadId{1});
  EXPECT_EQ(decisionOn(late, 1).estimatedStart, kNow + Milliseconds{60'000});
  EXPECT_EQ(verdictOn(late, 2), Verdict::notNow) << "no time limit: it could delay the head";
  EXPECT_EQ(decisionOn(late, 2).reasons.at(0).code, ReasonCode::behindReservation);
  EXPECT_EQ(verdictOn(late, 3), Verdict::placed) << "ends before the head can start";
}

TEST(Plan, aSuspectedNodeIsAvoidedWhereThereIsAnother) {
  auto one = entry(1, spec(1, 1), 1);
  one.avoidNodes = {"n1"};
  Snapshot snapshot{1, {node("n1", 1), node("n2", 1)}, {one}, 1, {}};
  EXPECT_EQ(plan(snapshot, {}, kNow).decisions[0].placement[0].node, "n2");
  snapshot.nodes.pop_back();
  EXPECT_EQ(plan(snapshot, {}, kNow).decisions[0].placement[0].node, "n1") << "no other node exists at all";
}

TEST(Plan, sharesPackOnOneDevice) {
  auto half = std::make_shared<model::SpecDocument>(*spec(1, 1));
  half->spec.roles[0].devices[0].count = 0;
  half->spec.roles[0].devices[0].share = {500};
  Snapshot snapshot{1, {node("n1", 2)}, {entry(1, half, 1), entry(2, half, 2), entry(3, spec(1, 1), 3)}, 3, {}};
  const auto made = plan(snapshot, {}, kNow);
  EXPECT_EQ(made.decisions[0].placement[0].devices, made.decisions[1].placement[0].devices);
  ASSERT_EQ(made.decisions[2].verdict, Verdict::placed);
  EXPECT_EQ(made.decisions[2].placement[0].devices[0].index, 1);
}

TEST(Plan, anArrayStartsAsManyElementsAsItMay) {
  auto document = std::make_shared<model::SpecDocument>(*spec(1, 1));
  document->spec.array = model::ArrayRule{{{0, 9, 1}}, 3};
  auto array = entry(1, document, 1);
  array.elementsWaiting = 10;
  array.elementsRunning = 1;
  Snapshot snapshot{1, {node("n1", 8)}, {array}, 1, {}};
  const auto made = plan(snapshot, {}, kNow);
  EXPECT_EQ(std::count_if(made.decisions.begin(), made.decisions.end(),
                          [](const auto& d) { return d.verdict == Verdict::placed; }),
            2);
}

TEST(Plan, devicesOfTwoVendorsWithOneIndexAreTwoDevices) {
  auto mixed = node("n1", 1);
  const auto other = node("n1", 1, "ascend-910b", "huawei");
  mixed.node.devices.push_back(other.node.devices[0]);
  mixed.deviceFree.push_back({1000});
  Snapshot snapshot{1, {mixed}, {entry(1, spec(1, 1, {}, "ascend-910b"), 1), entry(2, spec(1, 1), 2)}, 2, {}};
  const auto made = plan(snapshot, {}, kNow);
  EXPECT_EQ(verdictOn(made, 1), Verdict::placed);
  EXPECT_EQ(verdictOn(made, 2), Verdict::placed);
}

TEST(Plan, unhealthyDevicesAndDrainingNodesGetNothing) {
  auto sick = node("n1", 1);
  sick.node.devices[0].healthy = false;
  sick.deviceFree[0] = {0};
  auto draining = node("n2", 1);
  draining.node.state = model::NodeState::draining;
  Snapshot snapshot{1, {sick, draining}, {entry(1, spec(1, 1), 1)}, 1, {}};
  EXPECT_EQ(plan(snapshot, {}, kNow).decisions[0].verdict, Verdict::notNow);
}

TEST(Explain, namesWhoHoldsTheDevices) {
  auto busy = node("n1", 1);
  busy.deviceFree[0] = {0};
  RunningEntry running{{9},
                       "search",
                       "local",
                       {{0, 0, "n1", "nvidia", "h100-sxm5-80gb", {{0, {1000}}}, {}, {}}},
                       kNow + Milliseconds{5'000}};
  Snapshot snapshot{1, {busy}, {entry(1, spec(1, 1), 1)}, 1, {running}};
  const auto explanation = explain(snapshot, {}, {1}, kNow);
  ASSERT_TRUE(explanation);
  ASSERT_EQ(explanation->holders.size(), 1U);
  EXPECT_EQ(explanation->holders[0].project, "search");
  EXPECT_EQ(explanation->decision.estimatedStart, kNow + Milliseconds{5'000});
  EXPECT_FALSE(explain(snapshot, {}, {77}, kNow));
}

ClusterEntry cluster(model::ClusterTerms terms, std::int32_t waiting = 0) {
  return {"local", std::move(terms), waiting};
}

TEST(Plan, startsNothingWhereTheProjectIsNotGoverned) {
  Snapshot snapshot{1, {node("n1", 1)}, {entry(1, spec(1, 1), 1)}, 1, {}, {cluster({.projects = {"q"}})}};
  const auto made = plan(snapshot, {}, kNow);
  ASSERT_EQ(verdictOn(made, 1), Verdict::denied);
  EXPECT_EQ(made.decisions[0].reasons[0],
            (model::Reason{ReasonCode::notGoverned, {std::string("p"), std::string("local")}}));
  snapshot.clusters[0].terms.projects = {"p"};
  EXPECT_EQ(verdictOn(plan(snapshot, {}, kNow), 1), Verdict::placed);
}

TEST(Plan, anotherProjectIsNotKeptOutByOneThatIs) {
  auto kept = entry(1, spec(1, 1), 1);
  auto free = entry(2, spec(1, 1), 2);
  free.project = "q";
  const Snapshot snapshot{1, {node("n1", 1)}, {kept, free}, 2, {}, {cluster({.projects = {"q"}})}};
  const auto made = plan(snapshot, {}, kNow);
  EXPECT_EQ(verdictOn(made, 1), Verdict::denied);
  EXPECT_EQ(verdictOn(made, 2), Verdict::placed);
}

TEST(Plan, handsOverToTheEnginesQueueDownToItsDepth) {
  auto busy = node("n1", 1);
  busy.deviceFree = {{0}};
  Snapshot snapshot{1, {busy}, {entry(1, spec(1, 1), 1), entry(2, spec(1, 1), 2), entry(3, spec(1, 1), 3)},
                    3, {},     {cluster({.governsAll = true, .depth = 3}, 1)}};
  const auto made = plan(snapshot, {}, kNow);
  ASSERT_EQ(verdictOn(made, 1), Verdict::placed);
  EXPECT_EQ(decisionOn(made, 1).placement.at(0).node, "?1") << "the engine's queue decides where";
  EXPECT_EQ(decisionOn(made, 1).placement.at(0).model, "h100-sxm5-80gb");
  EXPECT_EQ(decisionOn(made, 1).reasons.at(0).code, ReasonCode::handedOver);
  EXPECT_EQ(verdictOn(made, 2), Verdict::placed);
  EXPECT_EQ(verdictOn(made, 3), Verdict::notNow) << "three wait there now";
}

TEST(Plan, handsOverOnlyWhatTheClusterCouldEverRun) {
  const Snapshot snapshot{
      1, {node("n1", 1)}, {entry(1, spec(1, 2), 1)}, 1, {}, {cluster({.governsAll = true, .depth = 3})}};
  EXPECT_EQ(verdictOn(plan(snapshot, {}, kNow), 1), Verdict::never);
}

}  // namespace
}  // namespace fairlead::policy
