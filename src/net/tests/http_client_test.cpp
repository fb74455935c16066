#include "raw_client.hpp"

#include <fairlead/net/http_client.hpp>

#include <atomic>
#include <mutex>

namespace fairlead::net {
namespace {

using namespace test;

HttpClient clientOf(const std::string& endpoint, ClientOptions options = {}) {
  options.endpoint = endpoint;
  auto client = HttpClient::open(options);
  EXPECT_TRUE(client.has_value());
  return std::move(*client);
}

void describe(Request&& request, Responder responder) {
  auto response =
      text(request.method + " " + request.path + " " + std::string(request.headers.get("Content-Type").value_or("-")) +
           " " + std::string(request.headers.get("Authorization").value_or("-")) + " " + request.body);
  response.status = request.path == "/missing" ? 404 : 200;
  response.headers.emplace_back("X-One", "1");
  responder.reply(std::move(response));
}

TEST(HttpClient, sendsEveryMethod) {
  const TestServer server(describe);
  auto client = clientOf(server.address);
  for (const std::string method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    ClientRequest request;
    request.method = method;
    request.target = "/a%20b";
    if (method != "GET") {
      request.contentType = "text/x";
      request.body = std::string("b\0c", 3);
    }
    const auto answer = client.send(request);
    ASSERT_TRUE(answer.has_value()) << toText(answer.error());
    EXPECT_EQ(answer->body, method + (method == "GET" ? " /a b - - " : " /a b text/x - " + request.body));
    EXPECT_EQ(answer->headers.get("x-one"), "1");
  }
  ClientRequest head;
  head.method = "HEAD";
  head.target = "/missing";
  EXPECT_EQ(client.send(head)->status, 404);
  EXPECT_EQ(server.server.stats().connectionsTotal, 3U) << "POST and PATCH have their own";
}

/// Answers what `answers` says, counts the heads of requests, and ends the connection where an answer is empty.
class Scripted {
 public:
  explicit Scripted(std::vector<std::string> answers) : answers_(std::move(answers)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof any;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&any), size) == 0 && ::listen(listener_, 8) == 0)
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&any), &size);
    address = "http://127.0.0.1:" + std::to_string(ntohs(any.sin_port));
    thread_ = std::thread([this] { run(); });
  }
  ~Scripted() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  Scripted(const Scripted&) = delete;
  Scripted& operator=(const Scripted&) = delete;

  std::string address;
  std::atomic<int> requests{0};

 private:
  void run() {
    std::vector<std::jthread> connections;
    for (int fd; (fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;)
      connections.emplace_back([this, fd] {
        serve(fd);
        ::close(fd);
      });
  }
  void serve(int fd) {
    std::string seen;
    char bytes[4096];
    for (ssize_t n; (n = ::recv(fd, bytes, sizeof bytes, 0)) > 0;) {
      seen.append(bytes, static_cast<std::size_t>(n));
      if (!seen.ends_with("\r\n\r\n")) continue;
      seen.clear();
      const auto next = static_cast<std::size_t>(requests++);
      if (next >= answers_.size() || answers_[next].empty()) return;
      ::send(fd, answers_[next].data(), answers_[next].size(), MSG_NOSIGNAL);
    }
  }

  std::vector<std::string> answers_;
  int listener_ = -1;
  std::thread thread_;
};

std::string whole(const std::string& body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TEST(HttpClient, neverSendsAChangeTwice) {
  Scripted server({whole("read"), "", whole("again")});
  auto client = clientOf(server.address);
  ASSERT_TRUE(client.send({}).has_value());
  ClientRequest change;
  change.method = "POST";
  const auto answer = client.send(change);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error().code, &kBroken);
  EXPECT_EQ(server.requests, 2);
}

TEST(HttpClient, anAnswerSentTwiceIsNotTakenForTheNextOne) {
  Scripted server({whole("first") + whole("first"), whole("second")});
  auto client = clientOf(server.address);
  ClientRequest request;
  request.ownConnection = true;
  ASSERT_TRUE(client.send(request).has_value());
  const auto answer = client.send(request);
  ASSERT_TRUE(answer.has_value()) << toText(answer.error());
  EXPECT_EQ(answer->body, "second");
}

TEST(HttpClient, carriesTheTokenAndNeverShowsIt) {
  ClientOptions options;
  options.bearerToken = "secret-token";
  {
    const TestServer server(describe);
    EXPECT_EQ(clientOf(server.address, options).send({})->body, "GET / - Bearer secret-token ");
  }
  const auto failed = clientOf("http://127.0.0.1:1", options).send({});
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().code, &kUnreachable);
  EXPECT_EQ(toText(failed.error()).find("secret"), std::string::npos);
  EXPECT_NE(toText(failed.error()).find("fairlead serve"), std::string::npos);
  options.endpoint = "http://example.com";
  const auto refused = HttpClient::open(options);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(toText(refused.error()).find("secret"), std::string::npos);
  options.endpoint = "http://127.0.0.1";
  options.bearerToken = "a\r\nX: y";
  EXPECT_FALSE(HttpClient::open(options).has_value());
}

TEST(HttpClient, refusesOddEndpoints) {
  for (const std::string wrong :
       {"", "ftp://x", "127.0.0.1:80", "unix://relative", "http://", "http://u:p@h", "http://h:99999", "http://h:x",
        "http://h?q", "http://[::1", "http://a b", "unix://"}) {
    ClientOptions options;
    options.endpoint = wrong;
    const auto client = HttpClient::open(options);
    ASSERT_FALSE(client.has_value()) << wrong;
    EXPECT_EQ(client.error().code, &kBadEndpoint);
  }
}

TEST(HttpClient, keepsToTimeAndSizeLimits) {
  std::vector<Responder> held;
  TestServer server([&](Request&& request, Responder responder) {
    if (request.path == "/big") return responder.reply(text(std::string(100'000, 'x')));
    held.push_back(std::move(responder));
  });
  ClientOptions options;
  options.maxAnswer = {50'000};
  auto client = clientOf(server.address, options);
  ClientRequest request;
  request.target = "/big";
  EXPECT_EQ(client.send(request).error().code, &kAnswerTooLarge);
  request.target = "/never";
  request.timeout = {100};
  EXPECT_EQ(client.send(request).error().code, &kTimeout);
  server.server.stop({0});
}

TEST(HttpClient, sendsOnceMoreWhenAKeptConnectionDied) {
  auto first = std::make_unique<TestServer>(describe);
  auto client = clientOf(first->address);
  ASSERT_TRUE(client.send({}).has_value());
  ServerOptions options;
  options.listeners.emplace_back().host = "127.0.0.1";
  options.listeners.back().port =
      static_cast<std::uint16_t>(std::stoi(first->address.substr(first->address.rfind(':') + 1)));
  first.reset();
  const TestServer second(describe, options);
  const auto answer = client.send({});
  ASSERT_TRUE(answer.has_value()) << toText(answer.error());
  EXPECT_EQ(answer->status, 200);
}

TEST(HttpClient, followsAStreamUntilItEndsOrIsCancelled) {
  std::mutex mutex;
  std::vector<std::shared_ptr<EventStream>> streams;
  const TestServer server([&](Request&& request, Responder responder) {
    if (request.path != "/events") return describe(std::move(request), std::move(responder));
    auto stream = responder.stream({});
    stream->send("first\n");
    const std::lock_guard lock(mutex);
    streams.push_back(std::move(stream));
  });
  auto client = clientOf(server.address);
  ClientRequest request;
  request.target = "/events";
  std::string got;
  const auto ended = client.stream(request, [&](std::string_view chunk) {
    got += chunk;
    const std::lock_guard lock(mutex);
    if (got == "first\n") streams.back()->send("second\n"), streams.back()->close();
    return true;
  });
  ASSERT_TRUE(ended.has_value()) << toText(ended.error());
  EXPECT_EQ(got, "first\nsecond\n");
  EXPECT_EQ(client.stream(request, [](std::string_view) { return false; })->status, 200);
  ClientRequest missing;
  missing.target = "/missing";
  const auto refused = client.stream(missing, [](std::string_view) { return true; });
  EXPECT_EQ(refused->status, 404);
  EXPECT_FALSE(refused->body.empty()) << "the document of the error, whole";

  std::thread canceller;
  const auto cancelled = client.stream(request, [&](std::string_view) {
    if (!canceller.joinable()) canceller = std::thread([&] { client.cancel(); });
    return true;
  });
  canceller.join();
  ASSERT_FALSE(cancelled.has_value());
  EXPECT_EQ(cancelled.error().code, &kCancelled);
}

TEST(HttpClient, addsNoFieldsOutOfLineBreaks) {
  const TestServer server([](Request&& request, Responder responder) {
    responder.reply(text(request.headers.get("Evil") ? "forged" : "clean"));
  });
  auto client = clientOf(server.address);
  ClientRequest request;
  request.headers = {{"X-A", "1\r\nEvil: 1"}};
  EXPECT_EQ(client.send(request)->body, "clean");
  request.target = "/ HTTP/1.1\r\nEvil: 1";
  EXPECT_EQ(client.send(request).error().code, &kBadTarget);
}

}  // namespace
}  // namespace fairlead::net
