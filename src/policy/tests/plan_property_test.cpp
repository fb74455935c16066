// Safety of every plan, on random snapshots: never over capacity, gangs whole, the same input gives the same plan.
#include <fairlead/policy/plan.hpp>
#include <fairlead/policy/testing/builders.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>

namespace fairlead::policy {
namespace {

constexpr TimePoint kNow{1'000'000'000};

Snapshot randomSnapshot() {
  Snapshot snapshot;
  const int nodes = *rc::gen::inRange(0, 5);
  for (int i = 0; i < nodes; ++i) {
    auto view = testing::node("n" + std::to_string(i), *rc::gen::inRange(0, 9),
                              *rc::gen::arbitrary<bool>() ? "h100-sxm5-80gb" : "a100-sxm4-80gb");
    for (auto& free : view.deviceFree) free.count = *rc::gen::element(0, 500, 1000, 1000, 1000);
    snapshot.nodes.push_back(std::move(view));
  }
  const int entries = *rc::gen::inRange(0, 12);
  for (int i = 0; i < entries; ++i) {
    auto document = std::make_shared<model::SpecDocument>(
        *testing::spec(*rc::gen::inRange(1, 5), *rc::gen::inRange(0, 5), {*rc::gen::element(0, 1'000, 100'000)},
                       *rc::gen::element<std::string>("h100", "a100", "")));
    if (*rc::gen::inRange(0, 4) == 0 && !document->spec.roles[0].devices.empty()) {
      document->spec.roles[0].devices[0].count = 0;
      document->spec.roles[0].devices[0].share = {*rc::gen::element(250, 500, 750)};
      document->digest[5] = static_cast<std::uint8_t>(document->spec.roles[0].devices[0].share.count / 250);
    }
    document->spec.roles[0].minimum = *rc::gen::inRange(1, document->spec.roles[0].count + 1);
    document->digest[6] = static_cast<std::uint8_t>(document->spec.roles[0].minimum);
    snapshot.queue.push_back(testing::entry(static_cast<std::uint64_t>(i + 1), document,
                                            kNow.msSinceEpoch - *rc::gen::inRange(0, 1'000'000),
                                            *rc::gen::inRange(-1, 2)));
  }
  snapshot.queueLength = snapshot.queue.size();
  return snapshot;
}

RC_GTEST_PROP(PlanProperties, neverOverCapacityAndNeverHalfAGang, ()) {
  const auto snapshot = randomSnapshot();
  const auto made = plan(snapshot, {}, kNow);
  std::map<std::pair<std::string, int>, std::int64_t> taken;
  std::set<model::WorkloadId> seen;
  for (const auto& decision : made.decisions) {
    RC_ASSERT(seen.insert(decision.workload).second);
    if (decision.verdict != model::Verdict::placed) {
      RC_ASSERT(decision.placement.empty());
      RC_ASSERT(!decision.reasons.empty());
      continue;
    }
    const auto& spec = snapshot.queue[decision.workload.value - 1].spec->spec;
    RC_ASSERT(std::ssize(decision.placement) >= model::memberMinimum(spec));
    RC_ASSERT(std::ssize(decision.placement) <= model::memberCount(spec));
    std::set<std::string> kinds;
    for (const auto& member : decision.placement) {
      kinds.insert(member.model);
      for (const auto& slice : member.devices) taken[{member.node, slice.index}] += slice.milli.count;
    }
    RC_ASSERT(kinds.size() == 1U);  // one role: one kind of device
  }
  for (const auto& view : snapshot.nodes)
    for (std::size_t i = 0; i < view.deviceFree.size(); ++i)
      RC_ASSERT((taken[{view.node.name, static_cast<int>(i)}]) <= view.deviceFree[i].count);
}

RC_GTEST_PROP(PlanProperties, theOrderOfListsDoesNotMatter, ()) {
  auto snapshot = randomSnapshot();
  const auto first = plan(snapshot, {}, kNow);
  std::reverse(snapshot.queue.begin(), snapshot.queue.end());
  std::reverse(snapshot.nodes.begin(), snapshot.nodes.end());
  const auto second = plan(snapshot, {}, kNow);
  RC_ASSERT(first.decisions.size() == second.decisions.size());
  for (std::size_t i = 0; i < first.decisions.size(); ++i) {
    RC_ASSERT(first.decisions[i].workload == second.decisions[i].workload);
    RC_ASSERT(first.decisions[i].placement == second.decisions[i].placement);
    RC_ASSERT(first.decisions[i].reasons == second.decisions[i].reasons);
  }
}

}  // namespace
}  // namespace fairlead::policy
