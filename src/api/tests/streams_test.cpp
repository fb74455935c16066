// Event streams and followed logs.
#include "daemon.hpp"

#include <fairlead/net/sse.hpp>

#include <gtest/gtest.h>

#include <mutex>
#include <thread>

namespace fairlead::api {
namespace {

using control::testing::waitUntil;
using testing::Daemon;

/// A client that reads a stream on a thread of its own until it is told to stop or the stream ends.
class Listener {
 public:
  Listener(Daemon& daemon, std::string_view who, std::string target, testing::HeaderList headers = {})
      : client_(daemon.client(who)) {
    request_.target = std::move(target);
    request_.headers = std::move(headers);
    thread_ = std::thread([this] {
      auto response = client_.stream(request_, [this](std::string_view chunk) { return take(chunk); });
      const std::lock_guard lock(mutex_);
      status_ = response ? response->status : -1;
      over_ = true;
    });
  }
  ~Listener() {
    client_.cancel();
    thread_.join();
  }
  [[nodiscard]] std::vector<net::SseEvent> events() {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  [[nodiscard]] std::string bytes() {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }
  bool waitFor(std::size_t count) {
    return waitUntil([&] { return events().size() >= count; });
  }
  bool waitOpen() {
    return waitUntil([&] { return !bytes().empty(); });
  }
  bool waitOver() {
    return waitUntil([&] {
      const std::lock_guard lock(mutex_);
      return over_;
    });
  }
  int status() {
    const std::lock_guard lock(mutex_);
    return status_;
  }

 private:
  bool take(std::string_view chunk) {
    const std::lock_guard lock(mutex_);
    bytes_ += chunk;
    auto parsed = parser_.feed(chunk);
    if (!parsed) return false;
    events_.insert(events_.end(), parsed->begin(), parsed->end());
    return true;
  }

  net::HttpClient client_;
  net::ClientRequest request_;
  std::mutex mutex_;
  net::SseParser parser_;
  std::string bytes_;
  std::vector<net::SseEvent> events_;
  bool over_ = false;
  int status_ = 0;
  std::thread thread_;
};

TEST(Events, comeInOrderAndOnlyOfTheProject) {
  Daemon daemon(0);
  Listener nlp(daemon, "li", "/api/v1/events?project=nlp");
  Listener all(daemon, "root", "/api/v1/events");
  Listener own(daemon, "sue", "/api/v1/events");
  ASSERT_TRUE(nlp.waitOpen() && all.waitOpen() && own.waitOpen());
  for (int i = 0; i < 3; ++i) {
    daemon.submit("li", "n");
    daemon.submit("sue", "s", "search");
  }
  ASSERT_TRUE(nlp.waitFor(3) && all.waitFor(6) && own.waitFor(3));
  const auto events = all.events();
  for (std::size_t i = 1; i < events.size(); ++i)
    EXPECT_EQ(std::stoull(events[i].id), std::stoull(events[i - 1].id) + 1);
  for (const auto& event : nlp.events()) EXPECT_NE(event.data.find("\"project\":\"nlp\""), std::string::npos);
  for (const auto& event : own.events()) EXPECT_NE(event.data.find("\"project\":\"search\""), std::string::npos);
  EXPECT_EQ(events.front().event, "workload.queued");
}

TEST(Events, goOnWhereTheClientStood) {
  Daemon daemon(0);
  std::string last;
  {
    Listener first(daemon, "li", "/api/v1/events?project=nlp");
    ASSERT_TRUE(first.waitOpen());
    daemon.submit();
    ASSERT_TRUE(first.waitFor(1));
    last = first.events().back().id;
  }
  for (int i = 0; i < 4; ++i) daemon.submit();
  Listener second(daemon, "li", "/api/v1/events?project=nlp", {{"Last-Event-ID", last}});
  ASSERT_TRUE(second.waitFor(4));
  EXPECT_EQ(std::stoull(second.events().front().id), std::stoull(last) + 1);
  Listener third(daemon, "li", "/api/v1/events?project=nlp&after=" + last);
  EXPECT_TRUE(third.waitFor(4));
}

TEST(Events, tellWhoIsTooFarBehindToReadAgain) {
  Daemon daemon(0);
  daemon.submit();
  Listener ahead(daemon, "li", "/api/v1/events?project=nlp&after=99999");
  ASSERT_TRUE(ahead.waitOver());
  ASSERT_EQ(ahead.events().size(), 1U);
  EXPECT_EQ(ahead.events().front().event, "reset");
  const auto head = std::stoull(ahead.events().front().id);
  Listener again(daemon, "li", "/api/v1/events?project=nlp&after=" + std::to_string(head));
  ASSERT_TRUE(again.waitOpen());
  daemon.submit();
  EXPECT_TRUE(again.waitFor(1));
}

TEST(Events, leaveNothingBehindWhenClientsGo) {
  Daemon daemon(0);
  for (int i = 0; i < 100; ++i) {
    Listener one(daemon, "li", "/api/v1/events?project=nlp");
    ASSERT_TRUE(one.waitOpen());
  }
  EXPECT_TRUE(waitUntil([&] {
    daemon.core().control().events().sweep();
    return daemon.core().control().events().listeners() == 0;
  }));
}

TEST(Events, areBoundedInNumberAndEndWhenRolesChange) {
  ApiOptions options;
  options.maxStreams = 2;
  Daemon daemon(0, options);
  Listener one(daemon, "li", "/api/v1/events");
  Listener two(daemon, "li", "/api/v1/events");
  ASSERT_TRUE(one.waitOpen() && two.waitOpen());
  EXPECT_EQ(daemon.get("li", "/api/v1/events").status, 503);
  daemon.api().closeStreams();
  EXPECT_TRUE(one.waitOver() && two.waitOver());
  EXPECT_EQ(one.status(), 200);
}

TEST(Events, refuseBadPlaces) {
  Daemon daemon(0);
  for (const auto* query : {"after=-1", "after=x", "after=1&after=2", "since=1", "workload=nosuch"}) {
    const auto status = daemon.get("li", "/api/v1/events?" + std::string(query)).status;
    EXPECT_TRUE(status == 400 || status == 404) << query << status;
  }
}

TEST(FollowedLogs, endWithTheStream) {
  Daemon daemon;
  const auto id = daemon.submit();
  daemon.start(id);
  Listener plain(daemon, "li", "/api/v1/workloads/" + id + "/logs?follow=true");
  ASSERT_TRUE(plain.waitOver());
  EXPECT_EQ(plain.bytes(), "log of the fake engine\n");
  Listener events(daemon, "li", "/api/v1/workloads/" + id + "/logs?follow=true", {{"Accept", "text/event-stream"}});
  ASSERT_TRUE(events.waitOver());
  ASSERT_EQ(events.events().size(), 1U);
  EXPECT_EQ(events.events().front().id, "23");
}

TEST(FollowedLogs, waitForTheFirstAttempt) {
  Daemon daemon(1);
  const auto first = daemon.submit();
  const auto attempt = daemon.start(first);
  const auto second = daemon.submit();
  EXPECT_EQ(daemon.get("li", "/api/v1/workloads/" + second + "/logs").status, 404);
  Listener follower(daemon, "li", "/api/v1/workloads/" + second + "/logs?follow=true");
  daemon.core().engine().ended(attempt, daemon.core().clock().now());
  daemon.core().awaitAttempt(*parseId<model::WorkloadTag>(second), 1);
  ASSERT_TRUE(follower.waitOver());
  EXPECT_EQ(follower.bytes(), "log of the fake engine\n");
}

TEST(FollowedLogs, endWhenTheWorkloadIsCancelledBeforeItRuns) {
  Daemon daemon(0);
  const auto id = daemon.submit();
  Listener follower(daemon, "li", "/api/v1/workloads/" + id + "/logs?follow=true");
  ASSERT_TRUE(waitUntil(
      [&] { return daemon.get("li", "/metrics").body.find("fairlead_log_followers 1") != std::string::npos; }));
  daemon.post("li", "/api/v1/workloads/" + id + ":cancel");
  EXPECT_TRUE(follower.waitOver());
  EXPECT_EQ(follower.bytes(), "");
}

}  // namespace
}  // namespace fairlead::api
