#include "raw_client.hpp"

#include <atomic>

namespace fairlead::net {
namespace {

using namespace test;

ServerOptions shortTimeouts() {
  ServerOptions options;
  options.headerTimeout = options.bodyProgressTimeout = {200};
  options.bodyTimeout = {600};
  options.idleTimeout = {300};
  options.writeTimeout = {300};
  options.lingerTimeout = {200};
  return options;
}

TEST(HttpLimits, oversizedRequestsAreToldSo) {
  ServerOptions options;
  options.maxBody = {1000};
  options.maxHeader = {2000};
  TestServer server(echo, options);
  struct Case {
    std::string request;
    int status;
  };
  const std::string chunk(600, 'x');
  for (const auto& [request, status] : std::vector<Case>{
           {post("/", std::string(500'000, 'x')), 413},
           {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n258\r\n" + chunk + "\r\n258\r\n" + chunk +
                "\r\n0\r\n\r\n",
            413},
           {get("/", "F: " + std::string(100'000, 'x') + "\r\n"), 431},
           {get("/" + std::string(100'000, 'x')), 431},
           {std::string(100'000, 'x'), 431},
           {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;" + std::string(100'000, 'x'), 431}}) {
    RawClient client(server.address);
    client.send(request);
    const auto answer = client.readAll();
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 4")) << request.substr(0, 60) << " -> " << answer;
    EXPECT_NE(answer.find("application/problem+json"), std::string::npos) << answer;
    if (status == 413) {
      EXPECT_TRUE(hasStatus(answer, 413)) << answer;
    }
    EXPECT_FALSE(client.timedOut);
  }
  EXPECT_TRUE(eventually([&] { return server.server.stats().connectionsOpen == 0; }));
  EXPECT_GE(server.server.stats().rejectedTooLarge, 2U);
}

TEST(HttpLimits, slowHeadersEndWith408) {
  TestServer server(echo, shortTimeouts());
  RawClient client(server.address);
  client.send("GET / HTTP/1.1\r\nHo");
  EXPECT_TRUE(hasStatus(client.readAll(), 408));
  RawClient dripping(server.address);
  dripping.send("GET / HTTP/1.1\r\n");
  while (dripping.send("A: b\r\n") && server.server.stats().rejectedTimeout < 2)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // tidy: allow sleep: the pace of a slow client
  EXPECT_TRUE(hasStatus(dripping.readAll(), 408));
}

TEST(HttpLimits, slowBodiesEndWith408) {
  TestServer server(echo, shortTimeouts());
  RawClient stuck(server.address);
  stuck.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc");
  EXPECT_TRUE(hasStatus(stuck.readAll(), 408));
  RawClient dripping(server.address);  // makes progress, but is over the time of a whole body
  dripping.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
  while (dripping.send("a") && server.server.stats().rejectedTimeout < 2)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // tidy: allow sleep: the pace of a slow client
  EXPECT_TRUE(hasStatus(dripping.readAll(), 408));
}

TEST(HttpLimits, silentConnectionsAreClosedWithoutAWord) {
  TestServer server(echo, shortTimeouts());
  RawClient silent(server.address), used(server.address);
  used.send(get("/"));
  EXPECT_TRUE(hasStatus(used.readAnswer(), 200));
  EXPECT_EQ(silent.readAll(), "");
  EXPECT_EQ(used.readAll(), "");
  EXPECT_FALSE(silent.timedOut || used.timedOut);
}

TEST(HttpLimits, aSlowHandlerIsNotATimeout) {
  std::vector<std::thread> threads;
  TestServer server(
      [&](Request&&, Responder responder) {
        threads.emplace_back([r = std::make_shared<Responder>(std::move(responder))] {
          std::this_thread::sleep_for(std::chrono::milliseconds(1000));  // tidy: allow sleep: a slow handler
          r->reply(text("slow"));
        });
      },
      shortTimeouts());
  RawClient client(server.address);
  client.send(get("/"));
  EXPECT_TRUE(client.readAnswer().ends_with("slow"));
  for (auto& thread : threads) thread.join();
}

TEST(HttpLimits, readersThatDoNotReadAreDropped) {
  TestServer server([](Request&&, Responder responder) { responder.reply(text(std::string(50'000, 'x'))); },
                    shortTimeouts());
  RawClient client(server.address, 4096);
  for (int i = 0; i < 300; ++i) client.send(get("/"));  // far more than the kernel buffers
  EXPECT_TRUE(eventually([&] { return server.server.stats().droppedSlowReaders == 1; }));
  EXPECT_TRUE(eventually([&] { return server.server.stats().connectionsOpen == 0; }));
  EXPECT_EQ(server.server.stats().inFlight, 0U);
}

TEST(HttpLimits, connectionsOverTheLimitAreToldSo) {
  ServerOptions options;
  options.maxConnections = 3;
  TestServer server(echo, options);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 3; ++i) clients.push_back(std::make_unique<RawClient>(server.address));
  ASSERT_TRUE(eventually([&] { return server.server.stats().connectionsOpen == 3; }));
  RawClient over(server.address);
  over.send(get("/"));
  EXPECT_TRUE(hasStatus(over.readAll(), 503));
  clients[0]->send(get("/"));
  EXPECT_TRUE(hasStatus(clients[0]->readAnswer(), 200)) << "those inside are served on";
  clients.clear();
  ASSERT_TRUE(eventually([&] { return server.server.stats().connectionsOpen == 0; }));
  RawClient again(server.address);
  again.send(get("/"));
  EXPECT_TRUE(hasStatus(again.readAnswer(), 200));
  EXPECT_EQ(server.server.stats().rejectedConnections, 1U);
}

TEST(HttpLimits, requestsOverTheLimitAreToldSo) {
  ServerOptions options;
  options.maxInFlight = 2;
  std::vector<Responder> held;
  TestServer server([&](Request&&, Responder responder) { held.push_back(std::move(responder)); }, options);
  RawClient a(server.address), b(server.address), c(server.address);
  a.send(get("/"));
  b.send(get("/"));
  ASSERT_TRUE(eventually([&] { return server.server.stats().inFlight == 2; }));
  c.send(get("/"));
  const auto answer = c.readAnswer();
  EXPECT_TRUE(hasStatus(answer, 503));
  EXPECT_NE(answer.find("Retry-After: 1"), std::string::npos);
  held.clear();
  EXPECT_TRUE(hasStatus(a.readAnswer(), 500));
  EXPECT_TRUE(eventually([&] { return server.server.stats().inFlight == 0; }));
}

TEST(HttpLimits, bodiesHeldTogetherAreBounded) {
  ServerOptions options;
  options.maxBodies = {15'000};
  std::vector<Responder> held;
  TestServer server([&](Request&&, Responder responder) { held.push_back(std::move(responder)); }, options);
  RawClient a(server.address), b(server.address);
  a.send(post("/", std::string(10'000, 'x')));
  ASSERT_TRUE(eventually([&] { return server.server.stats().inFlight == 1; }));
  b.send(post("/", std::string(10'000, 'x')));
  EXPECT_TRUE(hasStatus(b.readAll(), 503));
  held.clear();
  EXPECT_TRUE(hasStatus(a.readAnswer(), 500));
  RawClient c(server.address);  // the budget is given back
  c.send(post("/", std::string(10'000, 'x')));
  EXPECT_TRUE(eventually([&] { return server.server.stats().requests == 2; }));
}

TEST(HttpLimits, theRendererOfTheCallerIsUsed) {
  ServerOptions options;
  options.renderError = [](int status, std::string_view) {
    auto response = text("mine");
    response.status = status;
    return response;
  };
  TestServer server(echo, options);
  RawClient client(server.address);
  client.send("nonsense\r\n\r\n");
  const auto answer = client.readAll();
  EXPECT_TRUE(hasStatus(answer, 400)) << answer;
  EXPECT_TRUE(answer.ends_with("mine"));
  EXPECT_EQ(server.server.stats().rejectedMalformed, 1U);
}

}  // namespace
}  // namespace fairlead::net
