// Reading workloads and acting on them.
#include "daemon.hpp"

#include <gtest/gtest.h>

namespace fairlead::api {
namespace {

using testing::Daemon;
using testing::document;

TEST(Workloads, pagesNewestFirstWithCheckedCursors) {
  Daemon daemon(0);
  std::vector<std::string> ids;
  for (int i = 0; i < 5; ++i) ids.push_back(daemon.submit("li", "job-" + std::to_string(i)));
  const auto first = daemon.get("li", "/api/v1/workloads?limit=2");
  ASSERT_EQ(first.status, 200) << first.body;
  EXPECT_EQ(first.text("/items/0/id"), ids[4]);
  EXPECT_EQ(first.text("/items/1/id"), ids[3]);
  const auto cursor = first.text("/nextCursor");
  const auto second = daemon.get("li", "/api/v1/workloads?limit=2&cursor=" + cursor);
  EXPECT_EQ(second.text("/items/0/id"), ids[2]);
  EXPECT_EQ(second.text("/items/1/id"), ids[1]);
  const auto last = daemon.get("li", "/api/v1/workloads?limit=2&cursor=" + second.text("/nextCursor"));
  EXPECT_EQ(last.size("/items"), 1U);
  EXPECT_EQ(last.text("/nextCursor"), "");
  for (const auto& wrong :
       {cursor.substr(1), "0" + cursor.substr(1), std::string("zzz"), cursor + "0", std::string()}) {
    const auto reply = daemon.get("li", "/api/v1/workloads?limit=2&cursor=" + wrong);
    if (wrong == cursor) continue;
    EXPECT_EQ(reply.status, 400) << wrong;
    EXPECT_EQ(reply.text("/errors/0/code"), "api/bad-cursor");
  }
  EXPECT_EQ(daemon.get("li", "/api/v1/workloads?state=queued&cursor=" + cursor).status, 400) << "of other filters";
}

TEST(Workloads, filterByEveryField) {
  Daemon daemon(0);
  const auto mine = daemon.submit("li", "mine");
  const auto other = daemon.submit("olga", "other");
  const auto labelled = daemon.post("li", "/api/v1/workloads",
                                    R"({"apiVersion":"fairlead.io/v1","kind":"Workload","metadata":{"name":"lab",)"
                                    R"("project":"nlp","labels":{"team":"a"}},"spec":{"class":"platform","startHeld":)"
                                    R"(true,"roles":[{"name":"w","command":["true"]}]}})");
  ASSERT_EQ(labelled.status, 201) << labelled.body;
  const auto count = [&](const std::string& query) {
    return daemon.get("li", "/api/v1/workloads?" + query).size("/items");
  };
  EXPECT_EQ(count("user=olga"), 1U);
  EXPECT_EQ(count("name=mine"), 1U);
  EXPECT_EQ(count("class=platform"), 1U);
  EXPECT_EQ(count("state=held"), 1U);
  EXPECT_EQ(count("state=held,queued"), 3U);
  EXPECT_EQ(count("state=held&state=queued"), 3U);
  EXPECT_EQ(count("label=team%3Da"), 1U);
  EXPECT_EQ(count("label=team"), 1U);
  EXPECT_EQ(count("label=team%3Db"), 0U);
  EXPECT_EQ(count("project=nlp"), 3U);
  EXPECT_EQ(count("since=2000-01-01T00:00:00Z"), 3U);
  EXPECT_EQ(count("since=2999-01-01T00:00:00Z"), 0U);
  daemon.post("li", "/api/v1/workloads/" + mine + ":cancel");
  EXPECT_EQ(count(""), 2U);
  EXPECT_EQ(count("all=true"), 3U);
  EXPECT_EQ(count("state=cancelled"), 1U);
}

TEST(Workloads, refuseUnknownAndWrongParametersAllAtOnce) {
  Daemon daemon(0);
  const auto reply = daemon.get("li", "/api/v1/workloads?limit=0&state=runing&colour=red&all=yes&since=monday");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.size("/errors"), 5U) << reply.body;
  EXPECT_NE(reply.body.find("did you mean running?"), std::string::npos);
  EXPECT_EQ(daemon.get("li", "/api/v1/workloads?limt=5").text("/errors/0/remedy"), "did you mean limit?");
  EXPECT_EQ(daemon.get("li", "/api/v1/workloads?limit=5&limit=6").status, 400);
  EXPECT_EQ(daemon.get("li", "/api/v1/workloads?limit=1001").status, 400);
  EXPECT_EQ(daemon.get("li", "/api/v1/workloads?limit=99999999999999999999").status, 400);
}

TEST(Workloads, areFoundByIdPrefixAndName) {
  Daemon daemon(0);
  const auto id = daemon.submit("li", "bert");
  const auto twin = daemon.submit("li", "twin");
  daemon.submit("li", "twin");
  for (const auto& text : {id, id.substr(0, 6), id.substr(0, 5), std::string("bert")}) {
    const auto reply = daemon.get("li", "/api/v1/workloads/" + text);
    ASSERT_EQ(reply.status, 200) << text << ": " << reply.body;
    EXPECT_EQ(reply.text("/id"), id);
  }
  const auto ambiguous = daemon.get("li", "/api/v1/workloads/twin");
  EXPECT_EQ(ambiguous.status, 409);
  EXPECT_NE(ambiguous.text("/detail").find(twin), std::string::npos);
  daemon.post("li", "/api/v1/workloads/" + twin + ":cancel");
  EXPECT_EQ(daemon.get("li", "/api/v1/workloads/twin").status, 200) << "one alone has not ended";
  for (const auto* wrong :
       {"w-", "w-1", "w-00000", "w-zzzzzzzzzzzzz", "nosuch", "w-!!!!!", "%2e%2e", "W-00000", "-x"}) {
    const auto reply = daemon.get("li", "/api/v1/workloads/" + std::string(wrong));
    EXPECT_TRUE(reply.status == 404 || reply.status == 400) << wrong << ": " << reply.body;
  }
}

TEST(Workloads, showAttemptsWithPlacementEndsAndCost) {
  Daemon daemon;
  const auto id = daemon.submit("li", "bert", "nlp", 2);
  const auto attempt = daemon.start(id);
  daemon.core().clock().advance(3'600'000);
  auto running = daemon.get("li", "/api/v1/workloads/" + id);
  ASSERT_EQ(running.status, 200) << running.body;
  EXPECT_EQ(running.text("/state"), "running");
  EXPECT_EQ(running.text("/devices"), "2 h100-sxm5-80gb");
  EXPECT_EQ(running.text("/attempts/0/placement/0/node"), "n1");
  EXPECT_EQ(running.number("/cost/usedMicroDeviceSeconds"), 2 * kMicroDeviceSecondsPerDeviceHour) << running.body;
  EXPECT_EQ(running.number("/cost/costMicros"), 2 * 17'800'000);
  EXPECT_EQ(running.text("/cost/currency"), "CNY");
  EXPECT_EQ(running.header("ETag"), "\"" + std::to_string(running.number("/revision")) + "\"");
  daemon.core().engine().ended(attempt, daemon.core().clock().now(), model::FailureCategory::applicationExit, 3);
  ASSERT_TRUE(daemon.core().reaches(*parseId<model::WorkloadTag>(id), model::WorkloadState::failed));
  const auto ended = daemon.get("li", "/api/v1/workloads/" + id);
  EXPECT_EQ(ended.text("/failure"), "exit");
  EXPECT_EQ(ended.number("/attempts/0/ends/0/exitCode"), 3);
  EXPECT_EQ(ended.number("/cost/totalMicroDeviceSeconds"), 2 * kMicroDeviceSecondsPerDeviceHour);
  EXPECT_EQ(daemon.get("li", "/api/v1/attempts/" + toText(attempt)).text("/state"), "failed");
  for (const auto* wrong : {"a-00000", "a-", "x", "w-00000"})
    EXPECT_EQ(daemon.get("li", "/api/v1/attempts/" + std::string(wrong)).status, 404) << wrong;
}

TEST(Workloads, explainWhatTheyWaitFor) {
  Daemon daemon(2);
  const auto holder = daemon.submit("li", "holder", "nlp", 2);
  daemon.start(holder);
  const auto waiting = daemon.submit("li", "waiting", "nlp", 1);
  const auto reply = daemon.get("li", "/api/v1/workloads/" + waiting + "/explain");
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.text("/decision/verdict"), "not-now");
  EXPECT_EQ(reply.text("/holders/0/workload"), holder) << reply.body;
  const auto list = daemon.get("li", "/api/v1/workloads?name=waiting");
  EXPECT_NE(list.text("/items/0/waitingFor"), "") << list.body;
  const auto whole = daemon.get("li", "/api/v1/workloads/" + waiting);
  EXPECT_EQ(whole.number("/queuePosition"), 1);
  EXPECT_EQ(whole.text("/decision/verdict"), "not-now");
}

TEST(Workloads, explainHidesOthersWork) {
  Daemon daemon(2);
  daemon.start(daemon.submit("sue", "secret", "search", 2));
  const auto waiting = daemon.submit("li", "waiting", "nlp", 1);
  const auto reply = daemon.get("li", "/api/v1/workloads/" + waiting + "/explain");
  ASSERT_EQ(reply.size("/holders"), 1U) << reply.body;
  EXPECT_EQ(reply.body.find("search"), std::string::npos);
  EXPECT_EQ(reply.text("/holders/0/workload"), "");
}

TEST(Actions, changeStateOnceAndTellWhenNothingChanged) {
  Daemon daemon(0);
  const auto id = daemon.submit();
  const auto path = "/api/v1/workloads/" + id;
  EXPECT_EQ(daemon.post("li", path + ":hold").text("/state"), "held");
  const auto again = daemon.post("li", path + ":hold");
  EXPECT_FALSE(again.at("/changed").as_bool());
  EXPECT_EQ(daemon.post("li", path + ":release").text("/state"), "queued");
  EXPECT_EQ(daemon.post("li", path + ":release").status, 200);
  EXPECT_EQ(daemon.post("olga", path + ":priority", R"({"priority":"high"})").status, 200);
  EXPECT_EQ(daemon.get("li", path).number("/priority"), 100);
  const auto cancelled = daemon.post("li", path + ":cancel", R"({"message":"wrong data"})");
  EXPECT_EQ(cancelled.text("/state"), "cancelled");
  EXPECT_EQ(daemon.post("li", path + ":hold").status, 409);
  EXPECT_EQ(daemon.post("li", path + ":requeue").text("/state"), "queued");
}

TEST(Actions, heedIfMatch) {
  Daemon daemon(0);
  const auto path = "/api/v1/workloads/" + daemon.submit();
  const auto etag = daemon.get("li", path).header("ETag");
  EXPECT_EQ(daemon.post("li", path + ":hold", "", {{"If-Match", etag}}).status, 200);
  const auto stale = daemon.post("li", path + ":release", "", {{"If-Match", etag}});
  EXPECT_EQ(stale.status, 412);
  EXPECT_EQ(stale.text("/errors/0/code"), "control/revision-mismatch");
  EXPECT_EQ(daemon.post("li", path + ":release", "", {{"If-Match", "yesterday"}}).status, 400);
  EXPECT_EQ(daemon.post("li", path + ":release", "", {{"If-Match", "*"}}).status, 200);
}

TEST(Actions, refuseBadBodies) {
  Daemon daemon(0);
  const auto path = "/api/v1/workloads/" + daemon.submit();
  for (const auto* body : {"{", "[]", R"({"mesage":"x"})", R"({"message":1})"})
    EXPECT_EQ(daemon.post("li", path + ":cancel", body).status, 400) << body;
  for (const auto* body : {"", "{}", R"({"signal":"NOPE"})", R"({"signal":0})", R"({"signal":65})"})
    EXPECT_EQ(daemon.post("li", path + ":signal", body).status, 400) << body;
  for (const auto* body : {"{}", R"({"priority":"urgent"})", R"({"priority":1000001})"})
    EXPECT_EQ(daemon.post("olga", path + ":priority", body).status, 400) << body;
  EXPECT_EQ(daemon.get("li", path).text("/state"), "queued");
}

TEST(Actions, signalReachesTheEngine) {
  Daemon daemon;
  const auto id = daemon.submit();
  daemon.start(id);
  EXPECT_EQ(daemon.post("li", "/api/v1/workloads/" + id + ":signal", R"({"signal":"USR1"})").status, 200);
  EXPECT_TRUE(control::testing::waitUntil([&] { return daemon.core().engine().otherIntents().size() == 1; }));
  EXPECT_EQ(daemon.core().engine().otherIntents().front().signal, 10);
}

/// Job 7 of sue on the test's cluster, waiting there.
model::NativeJob nativeJob() {
  model::NativeJob job;
  job.origin = {"local", "7", "research", "gpu", "normal", "PENDING", "Resources", 1};
  job.submittedAt = {1'799'999'000'000};
  job.name = "bert";
  job.user = "sue";
  job.project = "nlp";
  job.spec = control::testing::specDocument(1, 2, 77);
  return job;
}

TEST(NativeJobs, areListedWithTheirOriginAndRefuseCommands) {
  Daemon daemon;
  daemon.submit("olga", "ours", "nlp", 1);
  daemon.core().engine().tellNative({nativeJob()});
  ASSERT_TRUE(control::testing::waitUntil(
      [&] { return daemon.get("vera", "/api/v1/workloads?origin=native").size("/items") == 1; }));
  const auto natives = daemon.get("vera", "/api/v1/workloads?origin=native");
  EXPECT_EQ(natives.text("/items/0/native/id"), "7") << natives.body;
  EXPECT_EQ(natives.text("/items/0/native/account"), "research");
  EXPECT_EQ(natives.text("/items/0/cluster"), "local");
  EXPECT_EQ(natives.text("/items/0/waitingFor"), "Resources");
  EXPECT_EQ(daemon.get("vera", "/api/v1/workloads?origin=fairlead").text("/items/0/name"), "ours");
  const auto id = natives.text("/items/0/id");
  EXPECT_EQ(daemon.get("vera", "/api/v1/workloads/" + id + "/explain").text("/decision/reasons/0/code"),
            "native-waits");
  const auto refused = daemon.post("olga", "/api/v1/workloads/" + id + ":cancel", "{}");
  EXPECT_EQ(refused.status, 409) << refused.body;
  EXPECT_NE(refused.body.find("not governed"), std::string::npos) << refused.body;
}

}  // namespace
}  // namespace fairlead::api
