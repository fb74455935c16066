// Submission: the ways in, idempotency, what is wrong told at once, nothing stored of it.
#include "daemon.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace fairlead::api {
namespace {

using testing::Daemon;
using testing::document;

std::size_t stored(Daemon& daemon) {
  return daemon.core().control().read([](const control::State& state) { return state.workloadCount(); });
}

TEST(Submit, takesJsonAndTellsWhereItStands) {
  Daemon daemon;
  const auto reply = daemon.post("li", "/api/v1/workloads?position=true", document("bert"));
  ASSERT_EQ(reply.status, 201) << reply.body;
  EXPECT_EQ(reply.text("/items/0/name"), "bert");
  EXPECT_EQ(reply.text("/items/0/project"), "nlp");
  EXPECT_EQ(reply.text("/items/0/devices"), "1 h100");
  EXPECT_EQ(reply.header("Location"), "/api/v1/workloads/" + reply.text("/items/0/id"));
  EXPECT_EQ(reply.header("ETag"), "\"1\"");
  EXPECT_EQ(daemon.audited("li", "workload.submit", true), 1);
}

TEST(Submit, takesSeveralYamlDocumentsOrNone) {
  Daemon daemon;
  const std::string one =
      "apiVersion: fairlead.io/v1\nkind: Workload\nmetadata: {name: one, project: nlp}\n"
      "spec:\n  class: training\n  roles: [{name: w, command: [\"true\"]}]\n";
  const auto good = daemon.call("li", "POST", "/api/v1/workloads", one + "---\n" + one, "application/yaml");
  ASSERT_EQ(good.status, 201) << good.body;
  EXPECT_EQ(good.size("/items"), 2U);
  auto broken = one;
  broken.replace(broken.find("training"), 8, "trianing");
  const auto bad = daemon.call("li", "POST", "/api/v1/workloads", one + "---\n" + broken, "application/yaml");
  EXPECT_EQ(bad.status, 400);
  EXPECT_EQ(bad.text("/errors/0/field"), "spec.class");
  EXPECT_GT(bad.number("/errors/0/line"), 7);
  EXPECT_EQ(stored(daemon), 2U);
}

constexpr std::string_view kScript =
    "#!/bin/bash\n#SBATCH --job-name=bert\n#SBATCH --gres=gpu:h100:2\n#SBATCH --mail-user=li@example.org\ntrue\n";

TEST(Submit, takesSbatchScriptsAndNamesWhatHasNoEffect) {
  Daemon daemon;
  const auto reply =
      daemon.call("li", "POST", "/api/v1/workloads?workingDirectory=/home/li", std::string(kScript), "text/x-sbatch");
  ASSERT_EQ(reply.status, 201) << reply.body;
  EXPECT_EQ(reply.text("/items/0/name"), "bert");
  EXPECT_EQ(reply.text("/items/0/devices"), "2 h100");
  EXPECT_EQ(reply.text("/notMapped/0/directive"), "--mail-user");
  const auto bad = daemon.call("li", "POST", "/api/v1/workloads?workingDirectory=/home/li",
                               "#!/bin/bash\n#SBATCH --no-such-thing\ntrue\n", "text/x-sbatch");
  EXPECT_EQ(bad.status, 400);
  EXPECT_EQ(bad.number("/errors/0/line"), 2) << bad.body;
}

TEST(Submit, takesScriptsWithTheirSurroundings) {
  Daemon daemon;
  const auto send = [&](const boost::json::value& body) {
    return daemon.call("li", "POST", "/api/v1/workloads", boost::json::serialize(body),
                       "application/vnd.fairlead.sbatch+json");
  };
  const boost::json::object good{
      {"script", kScript}, {"workingDirectory", "/home/li"}, {"args", boost::json::array{"--job-name=other"}}};
  const auto reply = send(good);
  ASSERT_EQ(reply.status, 201) << reply.body;
  EXPECT_EQ(reply.text("/items/0/name"), "other");
  auto relative = good;
  relative["workingDirectory"] = "li";
  EXPECT_EQ(send(relative).text("/errors/0/field"), "workingDirectory");
  auto unknown = good;
  unknown["shell"] = "sh";
  EXPECT_EQ(send(unknown).text("/errors/0/code"), "codec/unknown-field");
  EXPECT_EQ(send(boost::json::object{}).text("/errors/0/field"), "script");
}

TEST(Submit, fillsInTheOnlyProjectOfTheCaller) {
  Daemon daemon;
  auto text = document("one");
  text.replace(text.find(",\"project\":\"nlp\""), 16, "");
  const auto reply = daemon.post("li", "/api/v1/workloads", text);
  ASSERT_EQ(reply.status, 201) << reply.body;
  EXPECT_EQ(reply.text("/items/0/project"), "nlp");
  const auto nobody = daemon.post("ghost", "/api/v1/workloads", text);
  EXPECT_EQ(nobody.status, 400);
  EXPECT_EQ(nobody.text("/errors/0/code"), "api/no-project");
}

TEST(Submit, dryRunTellsTheVerdictAndStoresNothing) {
  Daemon daemon;
  const auto fits = daemon.post("li", "/api/v1/workloads?dryRun=true", document("small", "nlp", 2));
  ASSERT_EQ(fits.status, 200) << fits.body;
  EXPECT_EQ(fits.text("/items/0/decision/verdict"), "placed");
  const auto never = daemon.post("li", "/api/v1/workloads?dryRun=true", document("large", "nlp", 64));
  EXPECT_EQ(never.text("/items/0/decision/verdict"), "never");
  EXPECT_EQ(stored(daemon), 0U);
}

TEST(Submit, aRepeatedKeyGivesTheFirstAnswerAndAnotherBodyAConflict) {
  Daemon daemon;
  const testing::HeaderList key{{"Idempotency-Key", "k-1"}};
  const auto first = daemon.post("li", "/api/v1/workloads", document("a"), key);
  const auto again = daemon.post("li", "/api/v1/workloads", document("a"), key);
  ASSERT_EQ(again.status, 201) << again.body;
  EXPECT_EQ(again.text("/items/0/id"), first.text("/items/0/id"));
  EXPECT_TRUE(again.at("/repeated").is_bool());
  const auto other = daemon.post("li", "/api/v1/workloads", document("b"), key);
  EXPECT_EQ(other.status, 409);
  EXPECT_EQ(other.text("/errors/0/code"), "control/idempotency-mismatch");
  const auto somebodyElse = daemon.post("olga", "/api/v1/workloads", document("b"), key);
  EXPECT_EQ(somebodyElse.status, 201) << "a key is its principal's own";
  EXPECT_EQ(stored(daemon), 2U);
}

TEST(Submit, deniesWhoMayNotAndAuditsTheRule) {
  Daemon daemon;
  for (const auto* who : {"vera", "sue", "ghost"}) {
    const auto reply = daemon.post(who, "/api/v1/workloads", document("x"));
    EXPECT_EQ(reply.status, 403) << who;
    EXPECT_NE(reply.text("/detail").find("nlp"), std::string::npos);
    EXPECT_EQ(daemon.audited(who, "workload.submit", false), 1) << who;
  }
  EXPECT_EQ(daemon.post("root", "/api/v1/workloads", document("x", "unheard")).status, 404);
  EXPECT_EQ(stored(daemon), 0U);
}

TEST(Submit, onlyOperatorsPutWorkAheadOfOthers) {
  Daemon daemon;
  const auto urgent = document("x", "nlp", 1, R"(,"priority":"high")");
  const auto member = daemon.post("li", "/api/v1/workloads", urgent);
  EXPECT_EQ(member.status, 403);
  EXPECT_EQ(member.text("/errors/0/field"), "spec.priority");
  EXPECT_EQ(daemon.post("olga", "/api/v1/workloads", urgent).status, 201);
  EXPECT_EQ(daemon.post("li", "/api/v1/workloads", document("y", "nlp", 1, R"(,"priority":"low")")).status, 201);
}

struct BadBody {
  const char* name;
  std::string body;
  int status;
  const char* code;
  const char* field = "";
};

std::string deep(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

std::vector<BadBody> badBodies() {
  const auto good = document("x");
  const auto with = [&](std::string_view from, std::string_view to) {
    auto text = good;
    const auto at = text.find(from);
    FL_ASSERT(at != std::string::npos, "the part is there");
    return text.replace(at, from.size(), to);
  };
  return {
      {"empty", "", 400, "codec/syntax"},
      {"not JSON", "hello", 400, "codec/syntax"},
      {"unknown field", with("\"class\"", "\"clas\":1,\"class\""), 400, "codec/unknown-field", "spec.clas"},
      {"wrong type", with("\"count\":1", "\"count\":\"one\""), 400, "codec/wrong-type", "spec.roles[0].devices.count"},
      {"overflow", with("\"count\":1", "\"count\":99999999999999999999"), 400, nullptr, "spec.roles[0].devices.count"},
      {"zero", with("\"count\":1", "\"count\":0"), 400, "codec/out-of-range", "spec.roles[0].devices.count"},
      {"negative", with("\"count\":1", "\"count\":-1"), 400, "codec/out-of-range", "spec.roles[0].devices.count"},
      {"duplicate key", with("\"class\":\"training\"", "\"class\":\"training\",\"class\":\"training\""), 400,
       "codec/duplicate-key"},
      {"invalid UTF-8", with("\"x\"", "\"\xff\xfe\""), 400, "codec/encoding"},
      {"path upwards", with("\"command\":[\"true\"]", "\"command\":[\"true\"],\"workingDirectory\":\"/a/../b\""), 400,
       nullptr, "spec.roles[0].workingDirectory"},
      {"name like an option", with("\"x\"", "\"--help\""), 400, nullptr, "metadata.name"},
      {"10,000 deep", deep(10'000), 413, "codec/too-deep"},
      {"text behind", good + "x", 400, "codec/syntax"},
  };
}

TEST(Submit, refusesBadInputWithItsPlaceAndStoresNothing) {
  Daemon daemon;
  for (const auto& bad : badBodies()) {
    const auto reply = daemon.post("li", "/api/v1/workloads", bad.body);
    EXPECT_EQ(reply.status, bad.status) << bad.name << ": " << reply.body;
    if (bad.code != nullptr) {
      EXPECT_EQ(reply.text("/errors/0/code"), bad.code) << bad.name << ": " << reply.body;
    }
    if (*bad.field != '\0') {
      EXPECT_EQ(reply.text("/errors/0/field"), bad.field) << bad.name << ": " << reply.body;
    }
  }
  EXPECT_EQ(stored(daemon), 0U);
}

TEST(Submit, tellsEverythingThatIsWrongAtOnce) {
  Daemon daemon;
  auto text = document("x", "nlp", 0, R"(,"priority":"urgent","colour":"red")");
  const auto reply = daemon.post("li", "/api/v1/workloads", text);
  EXPECT_EQ(reply.status, 400);
  EXPECT_GE(reply.size("/errors"), 3U) << reply.body;
  for (const auto& error : reply.at("/errors").as_array()) {
    EXPECT_TRUE(error.as_object().contains("line"));
    EXPECT_TRUE(error.as_object().contains("field"));
  }
}

TEST(Submit, refusesBombsAndLargeBodies) {
  Daemon daemon;
  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 10; ++i) {
    const auto before = std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j > 0 ? ",*a" : "*a") + before;
    bomb += "]\n";
  }
  EXPECT_EQ(daemon.call("li", "POST", "/api/v1/workloads", bomb, "application/yaml").status, 413);
  const auto large = daemon.post("li", "/api/v1/workloads", std::string(10 << 20, ' '));
  EXPECT_EQ(large.status, 413);
  EXPECT_EQ(large.header("Content-Type"), "application/problem+json");
  const auto type = daemon.call("li", "POST", "/api/v1/workloads", "x", "application/xml");
  EXPECT_EQ(type.status, 415);
  EXPECT_EQ(type.text("/errors/0/field"), "header.Content-Type");
  EXPECT_EQ(stored(daemon), 0U);
}

TEST(Batch, takesAllInOneTransactionAndAnswersShort) {
  Daemon daemon;
  std::string array = "[";
  for (int i = 0; i < 100; ++i) array += (i > 0 ? "," : "") + document("job-" + std::to_string(i));
  array += "]";
  const auto reply = daemon.post("li", "/api/v1/workloads:batch?ids=true", array);
  ASSERT_EQ(reply.status, 201) << reply.body;
  EXPECT_EQ(reply.number("/count"), 100);
  EXPECT_EQ(reply.size("/ids"), 100U);
  EXPECT_EQ(reply.text("/ids/0"), reply.text("/first"));
  EXPECT_EQ(stored(daemon), 100U);
}

TEST(Batch, takesNoneWhenOneIsWrongAndSaysWhich) {
  Daemon daemon;
  auto bad = document("b");
  bad.replace(bad.find("\"count\":1"), 9, "\"count\":0");
  const auto reply = daemon.post("li", "/api/v1/workloads:batch", "[" + document("a") + ",\n" + bad + "]");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(reply.text("/errors/0/field"), "[1].spec.roles[0].devices.count");
  EXPECT_EQ(reply.number("/errors/0/line"), 2);
  EXPECT_EQ(stored(daemon), 0U);
}

TEST(Batch, refusesWhatIsNoArrayOfWorkloads) {
  Daemon daemon;
  for (const auto* body : {"", "{}", "[", "[1]", "[{}", "[{}}", "[{},]", "[{}] x", "[\"{}\"]", "[{\"a\":\"]", "[[]]"}) {
    const auto reply = daemon.post("li", "/api/v1/workloads:batch", body);
    EXPECT_EQ(reply.status, 400) << body << ": " << reply.body;
  }
  EXPECT_EQ(daemon.post("li", "/api/v1/workloads:batch", "[]").text("/errors/0/code"), "api/no-items");
  std::string many = "[{}";
  for (int i = 0; i < 10'000; ++i) many += ",{}";
  EXPECT_EQ(daemon.post("li", "/api/v1/workloads:batch", many + "]").status, 413);
  EXPECT_EQ(stored(daemon), 0U);
}

TEST(Batch, deniesTheWholeWhenOneProjectIsNotTheCallers) {
  Daemon daemon;
  const auto reply =
      daemon.post("li", "/api/v1/workloads:batch", "[" + document("a") + "," + document("b", "search") + "]");
  EXPECT_EQ(reply.status, 403);
  EXPECT_EQ(reply.text("/errors/0/field"), "[1].metadata.project");
  EXPECT_EQ(stored(daemon), 0U);
}

}  // namespace
}  // namespace fairlead::api
