#include "raw_client.hpp"

#include <atomic>
#include <mutex>

namespace fairlead::net {
namespace {

using namespace test;

TEST(HttpServer, keepsTheConnectionOverManyRequests) {
  TestServer server;
  RawClient client(server.address);
  for (int i = 0; i < 100; ++i) {
    client.send(post("/n", std::to_string(i)));
    const auto answer = client.readAnswer();
    ASSERT_TRUE(hasStatus(answer, 200)) << answer;
    ASSERT_TRUE(answer.ends_with("\r\n\r\nPOST /n " + std::to_string(i))) << answer;
  }
  EXPECT_EQ(server.server.stats().connectionsTotal, 1U);
  EXPECT_EQ(server.server.stats().requests, 100U);
}

TEST(HttpServer, answersPipelinedRequestsInTheirOrder) {
  std::mutex mutex;
  std::vector<std::pair<std::string, Responder>> held;
  TestServer server([&](Request&& request, Responder responder) {
    const std::lock_guard lock(mutex);
    held.emplace_back(request.path, std::move(responder));
  });
  RawClient client(server.address);
  std::string all;
  for (int i = 0; i < 20; ++i) all += get("/" + std::to_string(i));
  client.send(all);
  ASSERT_TRUE(eventually([&] { return std::lock_guard(mutex), held.size() == 20; }));
  for (; !held.empty(); held.pop_back()) held.back().second.reply(text(held.back().first));  // last first
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(client.readAnswer().ends_with("\r\n\r\n/" + std::to_string(i)));
}

TEST(HttpServer, readsOnWhenMoreIsPipelinedThanItHolds) {
  ServerOptions options;
  options.maxPipelined = 4;
  for (const int maxInFlight : {65'536, 0}) {  // answered by the handler, or at once with 503
    options.maxInFlight = maxInFlight;
    TestServer server(echo, options);
    RawClient client(server.address);
    std::string all;
    for (int i = 0; i < 300; ++i) all += get("/" + std::to_string(i));
    client.send(all);
    for (int i = 0; i < 300; ++i) {
      const auto answer = client.readAnswer();
      ASSERT_TRUE(hasStatus(answer, maxInFlight == 0 ? 503 : 200)) << i << answer;
    }
  }
}

TEST(HttpServer, takesBytesOneByOne) {
  TestServer server;
  RawClient client(server.address);
  for (const char c : post("/slow", "body")) client.send({&c, 1});
  EXPECT_TRUE(client.readAnswer().ends_with("POST /slow body"));
}

TEST(HttpServer, readsChunkedBodies) {
  TestServer server;
  RawClient client(server.address);
  client.send(
      "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nT: 1\r\n\r\n" +
      get("/next"));
  EXPECT_TRUE(client.readAnswer().ends_with("POST /c abcde"));
  EXPECT_TRUE(client.readAnswer().ends_with("GET /next "));
}

TEST(HttpServer, movesLargeBodiesBothWays) {
  TestServer server;
  RawClient client(server.address);
  const std::string body(5 << 20, 'b');
  std::thread sender([&] { client.send(post("/big", body)); });
  const auto answer = client.readAnswer();
  sender.join();
  EXPECT_TRUE(answer.ends_with(body));
  client.send(get("/after"));
  EXPECT_TRUE(client.readAnswer().ends_with("GET /after "));
}

TEST(HttpServer, saysContinueWhenAskedTo) {
  TestServer server;
  RawClient client(server.address);
  client.send("POST /e HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  ASSERT_TRUE(client.readUntil("HTTP/1.1 100 Continue\r\n\r\n"));
  client.buffer.clear();
  client.send("ab");
  EXPECT_TRUE(client.readAnswer().ends_with("POST /e ab"));
}

TEST(HttpServer, refusesBeforeABodyThatIsTooLargeIsSent) {
  TestServer server;
  RawClient client(server.address);
  client.send("POST /e HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_TRUE(hasStatus(client.readAll(), 413));
}

TEST(HttpServer, answersHeadWithoutABody) {
  TestServer server;
  RawClient client(server.address);
  client.send("HEAD /h HTTP/1.1\r\nHost: x\r\n\r\n" + get("/x", "Connection: close\r\n"));
  const auto all = client.readAll();
  EXPECT_NE(all.find("Content-Length: 8\r\n"), std::string::npos) << all;
  EXPECT_EQ(all.find("HEAD /h"), std::string::npos) << all;
  EXPECT_TRUE(all.ends_with("GET /x "));
}

TEST(HttpServer, speaksHttp10) {
  TestServer server;
  RawClient once(server.address);
  once.send("GET /a HTTP/1.0\r\n\r\n");
  EXPECT_NE(once.readAll().find("Connection: close"), std::string::npos);
  EXPECT_FALSE(once.timedOut);
  RawClient kept(server.address);
  kept.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_NE(kept.readAnswer().find("Connection: keep-alive"), std::string::npos);
  kept.send("GET /b HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(kept.readAll().ends_with("GET /b "));
}

TEST(HttpServer, answersAHalfClosedClient) {
  std::vector<std::thread> threads;
  TestServer server([&](Request&&, Responder responder) {
    threads.emplace_back([r = std::make_shared<Responder>(std::move(responder))] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));  // tidy: allow sleep: a slow handler
      r->reply(text("late"));
    });
  });
  RawClient client(server.address);
  client.send(get("/"));
  client.endOutput();
  EXPECT_TRUE(client.readAll().ends_with("late"));
  EXPECT_FALSE(client.timedOut);
  for (auto& thread : threads) thread.join();
}

TEST(HttpServer, forgetsAClientThatLeavesInTheMiddleOfABody) {
  std::atomic<int> handled{0};
  TestServer server([&](Request&&, Responder) { ++handled; });
  for (const bool hard : {false, true}) {
    RawClient client(server.address);
    client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc");
    ASSERT_TRUE(eventually([&] { return server.server.stats().connectionsOpen == 1; }));
    hard ? client.reset() : client.close();
    EXPECT_TRUE(eventually([&] { return server.server.stats().connectionsOpen == 0; }));
  }
  EXPECT_EQ(handled, 0);
}

TEST(HttpServer, dropsAnswersToClientsThatLeft) {
  std::mutex mutex;
  std::vector<Responder> held;
  TestServer server([&](Request&&, Responder responder) {
    const std::lock_guard lock(mutex);
    held.push_back(std::move(responder));
  });
  RawClient client(server.address);
  client.send(get("/"));
  ASSERT_TRUE(eventually([&] { return std::lock_guard(mutex), held.size() == 1; }));
  client.reset();
  ASSERT_TRUE(eventually([&] { return server.server.stats().connectionsOpen == 0; }));
  RawClient other(server.address);  // takes the place of the one that left
  other.send(get("/"));
  ASSERT_TRUE(eventually([&] { return std::lock_guard(mutex), held.size() == 2; }));
  held[0].reply(text("for nobody"));
  held[1].reply(text("for the other"));
  EXPECT_TRUE(other.readAnswer().ends_with("for the other"));
  EXPECT_EQ(server.server.stats().inFlight, 0U);
}

TEST(HttpServer, answersForHandlersThatDoNot) {
  TestServer server([](Request&& request, Responder responder) {
    if (request.path == "/throw") throw std::runtime_error("inside");
    const auto dropped = std::move(responder);
  });
  RawClient client(server.address);
  for (const char* path : {"/drop", "/throw"}) {
    client.send(get(path));
    const auto answer = client.readAnswer();
    EXPECT_TRUE(hasStatus(answer, 500)) << answer;
    EXPECT_EQ(answer.find("inside"), std::string::npos);
  }
  EXPECT_EQ(server.server.stats().handlerFailures, 1U);
}

TEST(HttpServer, echoesAGoodRequestIdAndReplacesABadOne) {
  TestServer server([](Request&& request, Responder responder) { responder.reply(text(request.requestId)); });
  RawClient client(server.address);
  client.send(get("/", "X-Request-Id: abc-1.2_Z\r\n"));
  auto answer = client.readAnswer();
  EXPECT_NE(answer.find("X-Request-Id: abc-1.2_Z\r\n"), std::string::npos);
  EXPECT_TRUE(answer.ends_with("\r\n\r\nabc-1.2_Z"));
  client.send(get("/", "X-Request-Id: a b\r\n"));
  answer = client.readAnswer();
  EXPECT_EQ(answer.find("a b"), std::string::npos) << answer;
}

TEST(HttpServer, lineBreaksInAnswersMakeNoFields) {
  TestServer server([](Request&&, Responder responder) {
    auto response = text("ok");
    response.headers.emplace_back("X-Value", "a\r\nSet-Cookie: b");
    response.headers.emplace_back("X-Bad\r\nSet-Cookie", "c");
    responder.reply(std::move(response));
  });
  RawClient client(server.address);
  client.send(get("/"));
  EXPECT_EQ(client.readAnswer().find("\r\nSet-Cookie"), std::string::npos);
}

TEST(HttpServer, servesTwoHundredConnectionsFromOtherThreads) {
  ServerOptions options;
  options.ioThreads = 2;
  std::mutex mutex;
  std::vector<std::pair<std::string, Responder>> waiting;
  std::atomic<bool> done{false};
  std::thread writer;
  TestServer server(
      [&](Request&& request, Responder responder) {
        const std::lock_guard lock(mutex);
        waiting.emplace_back(std::move(request.body), std::move(responder));
      },
      options);
  writer = std::thread([&] {
    while (!done) {
      std::vector<std::pair<std::string, Responder>> batch;
      {
        const std::lock_guard lock(mutex);
        batch.swap(waiting);
      }
      const ReplyBatch together;
      for (auto& [body, responder] : batch) responder.reply(text(body));
      std::this_thread::yield();
    }
  });
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 200; ++i) clients.push_back(std::make_unique<RawClient>(server.address));
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 200; ++i)
      clients[static_cast<std::size_t>(i)]->send(post("/", std::to_string(round * 1000 + i)));
    for (int i = 0; i < 200; ++i)
      ASSERT_TRUE(
          clients[static_cast<std::size_t>(i)]->readAnswer().ends_with("\r\n\r\n" + std::to_string(round * 1000 + i)));
  }
  EXPECT_EQ(server.server.stats().connectionsOpen, 200U);
  done = true;
  writer.join();
}

TEST(HttpServer, stopFinishesWhatIsUnderWay) {
  std::mutex mutex;
  std::vector<Responder> held;
  TestServer server([&](Request&&, Responder responder) {
    const std::lock_guard lock(mutex);
    held.push_back(std::move(responder));
  });
  RawClient busy(server.address), idle(server.address);
  busy.send(get("/"));
  ASSERT_TRUE(eventually([&] { return std::lock_guard(mutex), held.size() == 1; }));
  ASSERT_TRUE(eventually([&] { return server.server.stats().connectionsOpen == 2; }));
  std::thread stopper([&] { server.server.stop({10'000}); });
  EXPECT_EQ(idle.readAll(), "");
  EXPECT_FALSE(RawClient(server.address).connected());
  held[0].reply(text("finished"));
  const auto answer = busy.readAll();
  EXPECT_TRUE(answer.ends_with("finished")) << answer;
  EXPECT_NE(answer.find("Connection: close"), std::string::npos);
  stopper.join();
}

TEST(HttpServer, stopDoesNotWaitForEver) {
  std::vector<Responder> held;
  TestServer server([&](Request&&, Responder responder) { held.push_back(std::move(responder)); });
  RawClient client(server.address);
  client.send(get("/"));
  ASSERT_TRUE(eventually([&] { return server.server.stats().inFlight == 1; }));
  const auto start = std::chrono::steady_clock::now();
  server.server.stop({100});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(client.readAll(), "");
  held.clear();  // answers after the end go nowhere
}

TEST(HttpServer, stopsWhileBusy) {
  for (int round = 0; round < 5; ++round) {
    TestServer server;
    std::atomic<bool> done{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] {
        while (!done) {
          RawClient client(server.address);
          while (client.send(get("/x")) && hasStatus(client.readAnswer(), 200)) {
          }
        }
      });
    EXPECT_TRUE(eventually([&] { return server.server.stats().requests > 200; }));
    server.server.stop({2'000});
    done = true;
    for (auto& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace fairlead::net
