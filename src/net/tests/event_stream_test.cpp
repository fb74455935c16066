#include "raw_client.hpp"

#include <atomic>
#include <mutex>

namespace fairlead::net {
namespace {

using namespace test;

/// A server whose every answer is a stream that the test holds.
struct StreamServer {
  explicit StreamServer(StreamOptions streamOptions = {}, ServerOptions options = {})
      : server(
            [this, streamOptions](Request&&, Responder responder) {
              auto stream = responder.stream(streamOptions);
              const std::lock_guard lock(mutex);
              streams.push_back(std::move(stream));
            },
            options) {}
  std::shared_ptr<EventStream> stream(std::size_t index) {
    EXPECT_TRUE(eventually([&] { return std::lock_guard(mutex), streams.size() > index; }));
    const std::lock_guard lock(mutex);
    return streams.at(index);
  }
  std::mutex mutex;
  std::vector<std::shared_ptr<EventStream>> streams;
  TestServer server;
};

TEST(EventStream, sendsChunksInOrderAndEndsCleanly) {
  StreamServer host;
  RawClient client(host.server.address);
  client.send(get("/"));
  const auto stream = host.stream(0);
  std::atomic<int> closed{0};
  stream->onClose([&] { ++closed; });
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(stream->send("e" + std::to_string(i) + ";"));
  ASSERT_TRUE(client.readUntil("e2;"));
  EXPECT_EQ(closed, 0);
  EXPECT_TRUE(stream->send("last"));
  stream->close();
  EXPECT_FALSE(stream->send("too late"));
  const auto all = client.readAll();
  EXPECT_NE(all.find("Content-Type: text/event-stream\r\n"), std::string::npos) << all;
  EXPECT_TRUE(all.ends_with("0\r\n\r\n")) << all;
  EXPECT_NE(all.find("last"), std::string::npos);
  EXPECT_TRUE(eventually([&] { return closed == 1; }));
  int late = 0;
  stream->onClose([&] { ++late; });
  EXPECT_EQ(late, 1) << "called at once when it is over already";
  EXPECT_EQ(host.server.server.stats().streamsOpen, 0U);
}

TEST(EventStream, noticesAClientThatLeaves) {
  StreamServer host;
  RawClient client(host.server.address);
  client.send(get("/"));
  const auto stream = host.stream(0);
  std::atomic<bool> closed{false};
  stream->onClose([&] { closed = true; });
  ASSERT_TRUE(client.readUntil("\r\n\r\n"));
  client.close();
  EXPECT_TRUE(eventually([&] { return closed.load(); }));
  EXPECT_TRUE(eventually([&] { return !stream->send("x"); }));
}

TEST(EventStream, aReaderTooFarBehindGetsAPrefixAndTheEnd) {
  StreamOptions options;
  options.maxQueued = {64 << 10};
  StreamServer host(options);
  RawClient client(host.server.address, 4096);
  client.send(get("/"));
  const auto stream = host.stream(0);
  const std::string padding(1000, '.');
  int sent = 0;
  while (stream->send("<" + std::to_string(sent) + ">" + padding)) ++sent;
  EXPECT_FALSE(stream->send("more"));
  EXPECT_TRUE(stream->closed());
  const auto all = client.readAll();
  EXPECT_TRUE(all.ends_with("0\r\n\r\n"));
  EXPECT_NE(all.find("<" + std::to_string(sent - 1) + ">"), std::string::npos);
  EXPECT_EQ(all.find("<" + std::to_string(sent) + ">"), std::string::npos);
  std::size_t from = 0;
  for (int i = 0; i < sent; ++i) {
    from = all.find("<" + std::to_string(i) + ">", from);
    ASSERT_NE(from, std::string::npos) << i;
  }
  EXPECT_EQ(host.server.server.stats().droppedStreams, 1U);
}

TEST(EventStream, aReaderThatStopsReadingIsDropped) {
  ServerOptions serverOptions;
  serverOptions.writeTimeout = {300};
  StreamOptions options;
  options.maxQueued = {64 << 20};
  StreamServer host(options, serverOptions);
  RawClient client(host.server.address, 4096);
  client.send(get("/"));
  const auto stream = host.stream(0);
  const auto chunk = std::make_shared<const std::string>(100'000, 'x');
  for (int i = 0; i < 100; ++i) stream->send(chunk);
  EXPECT_TRUE(eventually([&] { return host.server.server.stats().droppedSlowReaders == 1; }));
  EXPECT_TRUE(stream->closed());
}

TEST(EventStream, beatsWhileNothingHappens) {
  ServerOptions serverOptions;
  serverOptions.idleTimeout = {100};
  StreamOptions options;
  options.heartbeat = {100};
  StreamServer host(options, serverOptions);
  RawClient client(host.server.address);
  client.send(get("/"));
  EXPECT_TRUE(client.readUntil(": keep-alive\n\n"));
  client.buffer.clear();
  EXPECT_TRUE(client.readUntil(": keep-alive\n\n"));
}

TEST(EventStream, isWholeForHttp10AndEmptyForHead) {
  StreamServer host;
  RawClient old(host.server.address);
  old.send("GET / HTTP/1.0\r\n\r\n");
  host.stream(0)->send("plain");
  host.stream(0)->close();
  const auto all = old.readAll();
  EXPECT_TRUE(all.ends_with("\r\n\r\nplain")) << all;
  RawClient head(host.server.address);
  head.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(head.readAll().ends_with("\r\n\r\n"));
  EXPECT_TRUE(eventually([&] { return host.stream(1)->closed(); }));
}

TEST(EventStream, aThousandGetEveryEvent) {
  constexpr std::size_t kStreams = 1000;
  StreamServer host;
  std::vector<std::unique_ptr<RawClient>> clients;
  for (std::size_t i = 0; i < kStreams; ++i) {
    clients.push_back(std::make_unique<RawClient>(host.server.address));
    ASSERT_TRUE(clients.back()->connected());
    clients.back()->send(get("/"));
  }
  host.stream(kStreams - 1);
  for (int event = 0; event < 5; ++event) {
    const ReplyBatch together;
    const auto chunk = std::make_shared<const std::string>("event " + std::to_string(event) + "\n");
    for (auto& stream : host.streams) EXPECT_TRUE(stream->send(chunk));
  }
  for (auto& client : clients) {
    ASSERT_TRUE(client->readUntil("event 4\n"));
    std::size_t from = 0;
    for (int event = 0; event < 5; ++event)
      ASSERT_NE(from = client->buffer.find("event " + std::to_string(event), from), std::string::npos);
  }
  EXPECT_EQ(host.server.server.stats().streamsOpen, kStreams);
  host.server.server.stop({5000});
  for (auto& stream : host.streams) EXPECT_TRUE(stream->closed());
}

TEST(EventStream, stopSendsWhatIsQueued) {
  StreamServer host;
  RawClient client(host.server.address);
  client.send(get("/"));
  const auto stream = host.stream(0);
  stream->send(std::string(500'000, 'q') + "end");
  std::thread stopper([&] { host.server.server.stop({5000}); });
  const auto all = client.readAll();
  stopper.join();
  EXPECT_NE(all.find("qend"), std::string::npos);
  EXPECT_TRUE(all.ends_with("0\r\n\r\n"));
}

TEST(EventStream, outlivesItsServer) {
  std::shared_ptr<EventStream> stream;
  std::atomic<bool> closed{false};
  {
    StreamServer host;
    RawClient client(host.server.address);
    client.send(get("/"));
    stream = host.stream(0);
    stream->onClose([&] { closed = true; });
  }
  EXPECT_TRUE(closed);
  EXPECT_FALSE(stream->send("nobody"));
}

}  // namespace
}  // namespace fairlead::net
