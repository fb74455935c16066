// REST over a server of ours that answers as slurmrestd does: tokens, versions, refusals, broken connections.
#include "slurm/rest_calls.hpp"

#include <fairlead/engine/errors.hpp>
#include <fairlead/net/http_server.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <sys/stat.h>

namespace fairlead::engine::slurm {
namespace {

namespace fs = std::filesystem;

class SlurmRestTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = "/tmp/fairlead-rest-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    net::ServerOptions options;
    options.listeners.emplace_back().unixPath = root_ + "/socket";
    server_ = std::make_unique<net::HttpServer>(options, [this](net::Request&& request, net::Responder responder) {
      net::Response answer;
      {
        const std::lock_guard guard(mutex_);
        seen_.push_back(request.method + " " + request.path + " " +
                        std::string(request.headers.get("X-SLURM-USER-TOKEN").value_or("-")));
        answer = reply_(request);
      }
      responder.reply(std::move(answer));
    });
    const auto started = server_->start();
    ASSERT_TRUE(started) << toText(started.error());
    token("first");
    rest_.endpoint = "unix://" + root_ + "/socket";
    rest_.reader = "reader";
    rest_.token.file = root_ + "/token";
    rest_.timeout = {5'000};
  }
  void TearDown() override {
    server_.reset();
    fs::remove_all(root_);
  }
  void token(const std::string& text) {
    std::ofstream(root_ + "/token") << "SLURM_JWT=" << text << "\n";
    ::chmod((root_ + "/token").c_str(), 0600);
  }
  static net::Response json(int status, std::string body) { return {status, "application/json", {}, std::move(body)}; }
  static net::Response text(int status, std::string body) { return {status, "text/plain", {}, std::move(body)}; }
  /// Serves v0.0.42 alone; what is behind the version goes to `rest`.
  void serve(std::function<net::Response(const net::Request&)> rest) {
    reply_ = [rest = std::move(rest)](const net::Request& request) {
      if (!request.path.starts_with("/slurm/v0.0.42/") && !request.path.starts_with("/slurmdb/v0.0.42/"))
        return text(404, "Unable find requested URL.");
      if (request.path.ends_with("/ping")) return json(200, R"({"pings":[],"errors":[],"warnings":[]})");
      return rest(request);
    };
  }
  std::size_t count(const std::string& what) {
    const std::lock_guard guard(mutex_);
    return static_cast<std::size_t>(
        std::count_if(seen_.begin(), seen_.end(), [&](const auto& s) { return s.starts_with(what); }));
  }

  std::string root_;
  RestOptions rest_;
  std::mutex mutex_;
  std::vector<std::string> seen_;
  std::function<net::Response(const net::Request&)> reply_;
  std::unique_ptr<net::HttpServer> server_;
};

TEST_F(SlurmRestTest, FindsTheNewestVersionThatIsServed) {
  serve([](const auto&) { return json(200, "{}"); });
  RestCalls calls(rest_);
  const auto server = calls.connect();
  ASSERT_TRUE(server) << toText(server.error());
  EXPECT_EQ(server->way, "REST v0.0.42");
  EXPECT_EQ(count("GET /slurm/"), 4u);
}

TEST_F(SlurmRestTest, ConnectingGoesOnWhereAnAnswerFailed) {
  serve([](const auto&) { return json(200, "{}"); });
  int failures = 3;
  reply_ = [&failures, good = reply_](const net::Request& request) {
    return request.path.find("v0.0.43") != std::string::npos && failures-- > 0 ? text(502, "Bad Gateway")
                                                                               : good(request);
  };
  RestCalls calls(rest_);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(calls.connect());
  ASSERT_TRUE(calls.connect());
  EXPECT_EQ(count("GET /slurm/v0.0.45/"), 1u);
  EXPECT_EQ(count("GET /slurm/v0.0.43/"), 4u);
  ASSERT_TRUE(calls.connect());
  EXPECT_EQ(count("GET /slurm/v0.0.42/"), 2u) << "the version in use is asked first";
  EXPECT_EQ(count("GET /slurm/"), 8u);
}

TEST_F(SlurmRestTest, AnotherReleaseIsFoundAgain) {
  serve([](const auto&) { return json(200, "{}"); });
  RestCalls calls(rest_);
  ASSERT_TRUE(calls.connect());
  reply_ = [](const net::Request& request) {
    return request.path == "/slurm/v0.0.45/ping" ? json(200, R"({"pings":[],"errors":[]})") : text(404, "");
  };
  const auto server = calls.connect();
  ASSERT_TRUE(server) << toText(server.error());
  EXPECT_EQ(server->way, "REST v0.0.45");
}

TEST_F(SlurmRestTest, AnUnspecifiedErrorBehindARefusedTokenLeavesAChangeOpen) {
  int asked = 0;
  serve([&asked](const auto&) {
    return asked++ == 0 ? json(511, R"({"errors":[{"error_number":1007}]})")
                        : json(500, R"({"errors":[{"error":"Unspecified error","error_number":-1}]})");
  });
  rest_.token.file.clear();
  rest_.token.command = {"/bin/echo", "SLURM_JWT=%u"};
  RestCalls calls(rest_);
  ASSERT_TRUE(calls.connect());
  const auto cancelled = calls.cancel(7, "alice");
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, &kSlurmUncertain) << toText(cancelled.error());
  EXPECT_EQ(asked, 2);
}

TEST_F(SlurmRestTest, SaysWhenNoVersionIsServed) {
  reply_ = [](const auto&) { return text(404, "Unable find requested URL."); };
  RestCalls calls(rest_);
  const auto server = calls.connect();
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, &kSlurmUnsupported);
}

TEST_F(SlurmRestTest, TakesAFreshTokenWhenTheOldOneIsRefused) {
  serve([](const net::Request& request) {
    if (request.headers.get("X-SLURM-USER-TOKEN") != "second")
      return json(511, R"({"errors":[{"error_number":1007}]})");
    return json(200, R"({"jobs":[],"errors":[],"warnings":[]})");
  });
  RestCalls calls(rest_);
  ASSERT_TRUE(calls.connect());
  const auto refused = calls.jobs({});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, &kSlurmCredentials);
  EXPECT_EQ(refused.error().message.find("first"), std::string::npos) << "a token in an error";
  token("second");
  const auto taken = calls.jobs({});
  EXPECT_TRUE(taken) << toText(taken.error());
}

TEST_F(SlurmRestTest, ATokenFileThatOthersReadIsNotUsed) {
  serve([](const auto&) { return json(200, "{}"); });
  ::chmod((root_ + "/token").c_str(), 0644);
  RestCalls calls(rest_);
  const auto server = calls.connect();
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, &kSlurmCredentials);
  EXPECT_NE(server.error().remedy.find("chmod 600"), std::string::npos);
  EXPECT_EQ(count("GET"), 0u);
}

TEST_F(SlurmRestTest, ARefusalInsideA200IsARefusal) {
  serve([](const auto&) {
    return json(200, R"({"status":[{"error":{"string":"Access/permission denied","code":2002},"step_id":"7",
      "job_id":{"set":true,"infinite":false,"number":7}}],"errors":[],"warnings":[]})");
  });
  RestCalls calls(rest_);
  ASSERT_TRUE(calls.connect());
  const auto done = calls.cancel(7, "alice");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, &kSlurmDenied) << toText(done.error());
  EXPECT_NE(done.error().message.find("2002"), std::string::npos) << done.error().message;
}

TEST_F(SlurmRestTest, SaysWhichProcessesASignalIsFor) {
  std::string query;
  serve([&](const net::Request& request) {
    query = net::encodeQuery(request.query);
    return json(200, R"({"status":[],"errors":[],"warnings":[]})");
  });
  RestCalls calls(rest_);
  ASSERT_TRUE(calls.connect());
  using Scope = wire::SignalScope;
  for (const auto& [scope, flag] : {std::pair{Scope::steps, "FULL_STEPS_ONLY"},
                                    {Scope::batchShell, "BATCH_JOB"},
                                    {Scope::batchScript, "FULL_JOB"}}) {
    ASSERT_TRUE(calls.signal(7, 10, scope, "alice"));
    EXPECT_EQ(query, std::string("?signal=10&flags=") + flag);
  }
  EXPECT_EQ(calls.requeue(7, "alice").error().code, &kSlurmUnsupported);
}

TEST_F(SlurmRestTest, BeforeV40OnlyTheBatchScriptIsReached) {
  std::string query;
  reply_ = [&](const net::Request& request) {
    if (!request.path.starts_with("/slurm/v0.0.38/")) return text(404, "Unable find requested URL.");
    if (!request.path.ends_with("/ping")) query = net::encodeQuery(request.query);
    return json(200, R"({"pings":[],"errors":[]})");
  };
  RestCalls calls(rest_);
  EXPECT_EQ(calls.signal(7, 10, wire::SignalScope::steps, "alice").error().code, &kSlurmUnreachable);  // not asked yet
  ASSERT_TRUE(calls.connect());
  const auto steps = calls.signal(7, 10, wire::SignalScope::steps, "alice");
  ASSERT_FALSE(steps);
  EXPECT_EQ(steps.error().code, &kSlurmUnsupported);
  EXPECT_FALSE(steps.error().remedy.empty());
  EXPECT_EQ(query, "");
  ASSERT_TRUE(calls.signal(7, 44, wire::SignalScope::batchScript, "alice"));
  EXPECT_EQ(query, "?signal=44");
}

TEST_F(SlurmRestTest, RequeuesFromV45) {
  std::string seen;
  reply_ = [&](const net::Request& request) {
    if (!request.path.starts_with("/slurm/v0.0.45/")) return text(404, "Unable find requested URL.");
    if (!request.path.ends_with("/ping")) seen = request.method + " " + request.path + " " + request.body;
    return json(200, R"({"pings":[],"status":[],"errors":[],"warnings":[]})");
  };
  RestCalls calls(rest_);
  ASSERT_TRUE(calls.connect());
  ASSERT_TRUE(calls.requeue(7, "alice"));
  EXPECT_EQ(seen, R"(POST /slurm/v0.0.45/jobs/requeue {"jobs":["7"]})");
}

TEST_F(SlurmRestTest, AListWithAnErrorInsideIsNotWhole) {
  serve([](const auto&) {
    return json(200, R"({"jobs":[],"errors":[{"error_number":1800,"error":"slurmctld is gone"}],"warnings":[]})");
  });
  RestCalls calls(rest_);
  ASSERT_TRUE(calls.connect());
  const auto jobs = calls.jobs({});
  ASSERT_TRUE(jobs);
  EXPECT_FALSE(jobs->answer.isWhole());
}

TEST_F(SlurmRestTest, AsksForEachJobByAParameterOfItsOwn) {
  std::vector<std::string> steps;
  serve([&](const net::Request& request) {
    for (const auto& [key, value] : request.query)
      if (key == "step") steps.push_back(value);
    return json(200, R"({"jobs":[],"errors":[],"warnings":[]})");
  });
  RestCalls calls(rest_);
  ASSERT_TRUE(calls.connect());
  HistoryQuery query;
  query.ids = {7, 9};
  ASSERT_TRUE(calls.history(query));
  const std::lock_guard guard(mutex_);
  EXPECT_EQ(steps, (std::vector<std::string>{"7", "9"})) << "slurmrestd of 24.11 and 26.05 refuses `step=7,9`";
}

TEST_F(SlurmRestTest, ASubmissionWhoseAnswerIsNoAnswerIsUncertain) {
  serve([](const auto&) { return json(200, "{"); });
  RestCalls calls(rest_);
  ASSERT_TRUE(calls.connect());
  wire::SlurmSubmit job;
  job.script = "#!/bin/sh\n";
  job.name = "x";
  job.workDir = "/";
  job.environment = {{"PATH", "/bin"}};
  job.components.emplace_back();
  const auto made = calls.submit(job, "alice");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, &kSlurmUncertain) << toText(made.error());
  server_.reset();
  const auto gone = calls.submit(job, "alice");
  ASSERT_FALSE(gone);
  EXPECT_TRUE(gone.error().code == &kSlurmUnreachable || gone.error().code == &kSlurmUncertain);
}

TEST(SlurmTokens, TravelInTheClearToNobody) {
  RestOptions options;
  options.token.file = "/x";
  for (const auto* endpoint : {"http://head:6820", "http://10.0.0.1:6820", "http://127.evil.example:1"}) {
    options.endpoint = endpoint;
    EXPECT_FALSE(RestCalls(options).check()) << endpoint;
  }
  for (const auto* endpoint : {"http://127.0.0.1:6820", "http://localhost:6820", "https://head:6820", "unix:///x"}) {
    options.endpoint = endpoint;
    EXPECT_TRUE(RestCalls(options).check()) << endpoint;
  }
}

TEST(SlurmTokens, ComeFromACommandForEachUser) {
  TokenOptions options;
  options.command = {"/bin/echo", "SLURM_JWT=%u.%s"};
  TokenSource tokens(options);
  const auto token = tokens.token("alice");
  ASSERT_TRUE(token) << toText(token.error());
  EXPECT_EQ(token->reveal(), "alice.1800");
  for (const auto* user : {"", "-x", "a b", "a\nb", "a;b"}) EXPECT_FALSE(tokens.token(user)) << user;
  options.command = {"/bin/false"};
  EXPECT_EQ(TokenSource(options).token("alice").error().code, &kSlurmCredentials);
}

}  // namespace
}  // namespace fairlead::engine::slurm
