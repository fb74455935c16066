// The small tools: slices, router, shapes, pool, cache.
#include "document_cache.hpp"
#include "json_slices.hpp"
#include "router.hpp"
#include "worker_pool.hpp"

#include <fairlead/api/schema.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>

namespace fairlead::api {

struct Sample {
  std::string name;
  std::int64_t count = 0;
};
template <>
const Shape<Sample>& shapeOf<Sample>() {
  static const Shape<Sample> kShape = Shape<Sample>("Sample", "For a test.")
                                          .must("name", "Its name.", &Sample::name)
                                          .may("count", "How many.", &Sample::count);
  return kShape;
}

namespace {

std::size_t slices(std::string_view text, std::size_t most = 100) {
  std::string_view why;
  const auto found = sliceArray(text, most, why);
  return found ? found->size() : 999;
}

TEST(JsonSlices, findObjectsWhateverStandsInTheirTexts) {
  EXPECT_EQ(slices("[]"), 0U);
  EXPECT_EQ(slices(" [ { } , {\"a\":[{},{}]} ] \n"), 2U);
  EXPECT_EQ(slices(R"([{"a":"},{"},{"b":"\"]\\"}])"), 2U);
  EXPECT_EQ(slices("[{},{},{}]", 2), 999U);
  for (const auto* bad : {"", "[", "]", "{}", "[{}", "[{},]", "[,{}]", "[{}]]", "[{\"]", "[1]", "[\"a\"]", "[{} {}]"})
    EXPECT_EQ(slices(bad), 999U) << bad;
}

RC_GTEST_PROP(JsonSlices, neverReadOutsideTheText, (const std::string& text)) {
  std::string_view why;
  if (const auto found = sliceArray("[" + text + "]", 1'000, why)) RC_ASSERT(found->size() <= 1'000U);
}

TEST(Router, tellsVariablesMethodsAndStrangers) {
  const Router router(routes());
  const auto workload = router.match("GET", "/api/v1/workloads/w-7k3f9");
  ASSERT_NE(workload.route, nullptr);
  EXPECT_EQ(workload.route->operation, "getWorkload");
  EXPECT_EQ(workload.variables.front(), "w-7k3f9");
  const auto cancel = router.match("POST", "/api/v1/workloads/w-7k3f9:cancel");
  ASSERT_NE(cancel.route, nullptr);
  EXPECT_EQ(cancel.route->operation, "cancelWorkload");
  EXPECT_EQ(router.match("POST", "/api/v1/workloads:batch").route->operation, "submitBatch");
  EXPECT_EQ(router.match("POST", "/api/v1/workloads/:cancel").route, nullptr);
  EXPECT_EQ(router.match("PUT", "/api/v1/workloads/x").allowed, "GET");
  EXPECT_EQ(router.match("GET", "/api/v1").allowed, "");
  EXPECT_EQ(router.match("GET", "/").route, nullptr);
}

TEST(Shape, writesWhatMustBeThereAndLeavesOutWhatIsEmpty) {
  EXPECT_EQ(shapeOf<Sample>().text({"a\"b", 0}), R"({"name":"a\"b"})");
  EXPECT_EQ(shapeOf<Sample>().text({"", -2}), R"({"name":"","count":-2})");
  EXPECT_EQ(shapeOf<Sample>().fields().size(), 2U);
}

TEST(WorkerPool, runsWhatItTookAndRefusesTheRest) {
  std::atomic<int> ran{0};
  std::atomic<bool> go{false};
  WorkerPool pool(1, 2);
  EXPECT_TRUE(pool.post([&] {
    go.wait(false);
    ++ran;
  }));
  int taken = 0;
  for (int i = 0; i < 10; ++i) taken += pool.post([&] { ++ran; }) ? 1 : 0;
  EXPECT_LT(taken, 4);
  go = true;
  go.notify_all();
  pool.stop();
  EXPECT_EQ(ran, taken + 1);
  EXPECT_FALSE(pool.post([] {}));
}

TEST(JsonSlices, findAMemberOnItsOwnLevelOnly) {
  EXPECT_EQ(sliceMember(R"({"a":{"spec":{}},"spec" : {"b":"}"} ,"c":1})", "spec"), R"({"b":"}"})");
  EXPECT_EQ(sliceMember(R"({"a":[1,"spec"],"b":-1.5e3,"spec":{}})", "spec"), "{}");
  for (const auto* none :
       {"", "{", "{}", "[]", R"({"spec":1})", R"({"spec":{)", R"({"spec" {}})", R"({spec:{}})", R"({"a":,"spec":{}})"})
    EXPECT_EQ(sliceMember(none, "spec"), "") << none;
}

constexpr std::string_view kHead =
    R"({"apiVersion":"fairlead.io/v1","kind":"Workload","metadata":{"name":"%"},"spec":)";
constexpr std::string_view kSpec = R"({"class":"training","roles":[{"name":"w","command":["true"]}]})";

std::string named(std::string_view name, std::string_view spec = kSpec) {
  std::string text(kHead);
  text.replace(text.find('%'), 1, name);
  return text + std::string(spec) + "}";
}

TEST(DocumentCache, sharesSpecsOfEqualTextAndStillChecksTheRest) {
  DocumentCache cache(1 << 20);
  const auto first = cache.decode(named("one"));
  const auto second = cache.decode(named("two"));
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_EQ((*second)->name, "two");
  EXPECT_EQ((*first)->spec, (*second)->spec) << "one spec for both";
  EXPECT_EQ((*second)->spec->spec.roles.front().name, "w");
  const auto wrong = cache.decode(named("-x"));
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().front().field, "metadata.name");
  const auto twice = cache.decode(named("x").substr(0, named("x").size() - 1) + ",\"spec\":{}}");
  ASSERT_FALSE(twice.has_value());
  const auto broken = cache.decode(named("x", R"({"class":"training","roles":[]})"));
  EXPECT_FALSE(broken.has_value());
}

TEST(DocumentCache, staysSmall) {
  DocumentCache cache(10'000);
  const auto spec = (*cache.decode(named("x")))->spec;
  for (int i = 0; i < 100; ++i) cache.put("text " + std::to_string(i), spec);
  EXPECT_EQ(cache.find("text 0"), nullptr);
  EXPECT_EQ(cache.find("text 99"), spec);
  cache.put(std::string(100'000, 'x'), spec);
  EXPECT_EQ(cache.find(std::string(100'000, 'x')), nullptr);
}

}  // namespace
}  // namespace fairlead::api
