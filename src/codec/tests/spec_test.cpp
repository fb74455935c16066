#include "spec_rules.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/digest.hpp>
#include <fairlead/codec/sbatch.hpp>
#include <fairlead/codec/spec_codec.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace fairlead::codec {
namespace {

namespace fs = std::filesystem;
using rc::gen::inRange;

template <class T>
T oneOf(std::initializer_list<T> values) {
  return *rc::gen::elementOf(std::vector<T>(values));
}

std::string anyText() {
  auto text = *rc::gen::container<std::string>(rc::gen::nonZero<char>());
  return isUtf8(text) ? text : "模型\t" + printable(text);
}

std::string anyName() { return oneOf<std::string>({"a", "worker", "b-2", "x.y_z", "0"}); }

model::DeviceRequest anyRequest() {
  model::DeviceRequest request;
  request.vendor = oneOf<std::string>({"", "nvidia", "huawei"});
  request.model = oneOf<std::string>({"", "h100", "ascend-910b", "mig-a30-1g.6gb"});
  request.memoryAtLeast = Bytes{oneOf<std::int64_t>({0, 64LL << 30, 1500})};
  if (*inRange(0, 3) == 0)
    request.share = MilliDevices{*inRange(1, 1000)};
  else
    request.count = *inRange(1, 1025);
  return request;
}

model::Role anyRole(const std::string& name) {
  model::Role role;
  role.name = name;
  role.count = *inRange(1, 100);
  role.minimum = *inRange(1, role.count + 1);
  for (int i = *inRange(0, 3); i > 0; --i) role.devices.push_back(anyRequest());
  role.cpus = MilliCpus{*inRange(0, 100'000)};
  role.memory = Bytes{oneOf<std::int64_t>({0, 1 << 20, 3LL << 30, 1'234'567'890})};
  if (*inRange(0, 4) == 0)
    role.script = "#!/bin/sh\n" + anyText();
  else
    role.command = {"program", anyText(), ""};
  if (*inRange(0, 2) == 0) role.env = {{"A", anyText()}, {"_b9", "x"}};
  if (*inRange(0, 3) == 0) role.images = {{"cann", "r.example/a:b"}, {"cuda", "r.example/c@sha256:0"}};
  role.workingDirectory = oneOf<std::string>({"", "/", "/srv/x y"});
  return role;
}

model::Spec anySpec() {
  model::Spec spec;
  spec.taskClass = oneOf({model::TaskClass::training, model::TaskClass::platform});
  spec.priority = *inRange(-1'000'000, 1'000'001);
  spec.roles.push_back(anyRole("first"));
  if (*inRange(0, 2) == 0) spec.roles.push_back(anyRole("second"));
  const bool elastic = model::memberMinimum(spec) < model::memberCount(spec);
  spec.gang = elastic || *inRange(0, 4) == 0 ? model::GangRule::min : model::GangRule::all;
  spec.topology = {oneOf<std::string>({"", "block"}), oneOf<std::string>({"", "rack"})};
  spec.timeLimit = Milliseconds{oneOf<std::int64_t>({0, 1000, 43'200'000, 90'061'001})};
  spec.notBefore = TimePoint{oneOf<std::int64_t>({0, 1'796'000'000'123})};
  spec.startHeld = *rc::gen::arbitrary<bool>();
  if (*inRange(0, 2) == 0) {
    model::CheckpointRule rule;
    rule.path = "ckpt/";
    rule.valid = oneOf<model::CheckpointValidity>({{model::CheckpointValidity::Kind::marker, "DONE", {}},
                                                   {model::CheckpointValidity::Kind::manifest, "SUMS", {}},
                                                   {model::CheckpointValidity::Kind::command, "", {"check", "-x"}}});
    rule.signal = oneOf({0, 10, 12});
    rule.grace = Milliseconds{rule.signal == 0 ? 0 : oneOf<std::int64_t>({0, 60'000, 90'000})};
    spec.checkpoint = rule;
  }
  spec.retry.categories = oneOf<std::vector<model::FailureCategory>>(
      {defaultRetryCategories(), {}, {model::FailureCategory::applicationExit}});
  spec.retry.exitCodes = oneOf<std::vector<std::int32_t>>({{}, {1, 75, 255}});
  spec.retry.limit = *inRange(0, 1001);
  spec.retry.backoff = Milliseconds{oneOf<std::int64_t>({0, 10'000, 1})};
  spec.stopSignal = oneOf({15, 2, 9});
  spec.stopGrace = Milliseconds{oneOf<std::int64_t>({30'000, 0, 86'400'000})};
  if (*inRange(0, 2) == 0)
    spec.outputs = {{"model", "out/m", model::OutputRule::Kind::model, anyName(), "m.json"},
                    {"log", "/x", model::OutputRule::Kind::artifact, "", ""}};
  if (*inRange(0, 2) == 0)
    spec.dependencies = {{"w-7k3f9", model::Dependency::Condition::failed},
                         {"w-7k3f9", model::Dependency::Condition::succeeded}};
  if (*inRange(0, 2) == 0) {
    const auto indices = *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(inRange(0, 30)));
    std::string text;
    for (const auto index : indices) text += (text.empty() ? "" : ",") + std::to_string(index);
    spec.array = model::ArrayRule{parseArrayIndices(text).ranges, *inRange(0, 4)};
  }
  if (*inRange(0, 2) == 0) spec.model = model::ModelInput{anyName(), *inRange(0, 100)};
  spec.logs = oneOf<model::LogFiles>({{}, {"%x-%j.out", "", false}, {"", "/tmp/e%%", true}});
  return spec;
}

TEST(SpecProperty, CanonicalJsonComesBackEqual) {
  rc::check([] {
    const auto spec = anySpec();
    const auto json = canonicalJson(spec);
    const auto again = decodeSpecJson(json);
    if (!again) RC_FAIL(json + "\n" + toText(again.error().front()));
    RC_ASSERT(*again == spec);
    RC_ASSERT(canonicalJson(*again) == json);
  });
}

TEST(Spec, DocumentsShareTextAndDigest) {
  const auto document = decodeWorkloadJson(R"({"kind":"Workload","apiVersion":"fairlead.io/v1","metadata":{"name":"x"},
      "spec":{"class":"training","roles":[{"name":"main","count":1,"command":["a"]}]}})");
  ASSERT_TRUE(document);
  const auto made = makeSpecDocument(document->spec);
  EXPECT_EQ(made->json, R"({"roles":[{"command":["a"],"name":"main"}]})");
  EXPECT_EQ(made->digest, specDigest(document->spec));
  EXPECT_EQ(made->digest, sha256(made->json));
}

TEST(Spec, EveryErrorHasPlaceFieldAndRemedy) {
  const auto document = decodeWorkloadJson(
      "{\"apiVersion\":\"fairlead.io/v1\",\"kind\":\"Workload\",\n\"metadata\":{\"name\":\"x\"},\n"
      "\"spec\":{\"roles\":[{\"command\":[\"a\"],\"devices\":{\"model\":\"h100\",\"count\":64.5}}]}}");
  ASSERT_FALSE(document);
  ASSERT_EQ(document.error().size(), 1U);
  const auto& error = document.error().front();
  EXPECT_EQ(error.field, "spec.roles[0].devices.count");
  EXPECT_EQ(error.value, "64.5");
  EXPECT_EQ(error.line, 3);
  EXPECT_EQ(error.token(), "codec/wrong-type");
}

TEST(Spec, SecretsOfTheEnvironmentAreNeverShown) {
  const auto document = decodeWorkloadJson(R"({"apiVersion":"fairlead.io/v1","kind":"Workload","metadata":{"name":"x"},
      "spec":{"roles":[{"command":["a"],"env":{"RANK":"hunter2","T":["hunter2"]}}]}})");
  ASSERT_FALSE(document);
  for (const auto& error : document.error())
    EXPECT_EQ((toText(error) + error.value).find("hunter2"), std::string::npos);
}

TEST(Spec, ErrorsAreBounded) {
  std::string json =
      R"({"apiVersion":"fairlead.io/v1","kind":"Workload","metadata":{"name":"x"},"spec":{"roles":[{"command":[)";
  for (int i = 0; i < 1000; ++i) json += "null,";
  json.back() = ']';
  const auto document = decodeWorkloadJson(json + "}]}}");
  ASSERT_FALSE(document);
  EXPECT_LE(document.error().size(), 101U);
}

TEST(Spec, RelativeWorkingDirectoriesStartFromTheSubmitters) {
  const std::string text = R"({"apiVersion":"fairlead.io/v1","kind":"Workload","metadata":{"name":"x"},
      "spec":{"roles":[{"command":["a"],"workingDirectory":"WD"}]}})";
  const auto directory = [&](std::string given, const std::string& base) {
    auto json = text;
    json.replace(json.find("WD"), 2, given);
    const auto document = decodeWorkloadJson(json, {base});
    return document ? document->spec.roles[0].workingDirectory : "refused";
  };
  EXPECT_EQ(directory(".", "/home/li"), "/home/li");
  EXPECT_EQ(directory("./a/b", "/home/li"), "/home/li/a/b");
  EXPECT_EQ(directory("/abs", ""), "/abs");
  EXPECT_EQ(directory("rel", ""), "refused");
  EXPECT_EQ(directory("../x", "/home/li"), "refused");
}

TEST(ParseDevices, ShortForms) {
  const auto shown = [](std::string_view text) -> std::string {
    const auto list = parseDevices(text);
    if (!list) return "refused";
    if (list->empty()) return "none";
    const auto& r = list->front();
    return r.vendor + "/" + r.model + ":" + std::to_string(r.count) + "," + std::to_string(r.share.count);
  };
  EXPECT_EQ(shown("h100:2"), "/h100:2,0");
  EXPECT_EQ(shown("2"), "/:2,0");
  EXPECT_EQ(shown("h100"), "/h100:1,0");
  EXPECT_EQ(shown("share:0.5"), "/:0,500");
  EXPECT_EQ(shown("h100:share=0.25"), "/h100:0,250");
  EXPECT_EQ(shown("nvidia/h100:2"), "nvidia/h100:2,0");
  EXPECT_EQ(shown("Ascend910B:8"), "/ascend-910b:8,0");
  EXPECT_EQ(shown("none"), "none");
  for (const auto* text : {"", ":2", "h100:", "h100:0", "0", "-1", "h100:1.5", "share:1", "share:0", "h100:share=2",
                           "1025", "a b:1", "/h100", "x:y:2", "share:"})
    EXPECT_EQ(shown(text), "refused") << text;
}

TEST(ArrayIndices, NormalForm) {
  const auto normal = [](std::string_view text) {
    const auto parsed = parseArrayIndices(text);
    return parsed.fault ? "refused" : arrayIndicesText(parsed.ranges);
  };
  EXPECT_EQ(normal("0-9:2,12"), "0-8:2,12");
  EXPECT_EQ(normal("3,1,2"), "1-3");
  EXPECT_EQ(normal("1-8:2,2-8:2"), "1-8");
  EXPECT_EQ(normal("5,5"), "5");
  EXPECT_EQ(normal("0,7"), "0,7");
  EXPECT_EQ(normal("0-999999"), "0-999999");
  for (const auto* text :
       {"", ",", "1,", "-1", "3-1", "0-9:0", "a", "1-", "0-1000000", "1:2:3", "0-4000000000", "1-5:2:"})
    EXPECT_EQ(normal(text), "refused") << text;
}

TEST(Examples, EveryExampleIsAccepted) {
  int seen = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(FAIRLEAD_SOURCE_DIR) / "examples")) {
    std::ifstream in(entry.path());
    std::ostringstream text;
    text << in.rdbuf();
    if (entry.path().filename() == "workload.yaml") {
      const auto tree = parseYaml(text.str());
      ASSERT_TRUE(tree) << entry.path();
      const auto document = decodeWorkload(*tree, {"/home/li"});
      ASSERT_TRUE(document) << entry.path() << toText(document.error().front());
      ++seen;
    } else if (entry.path().extension() == ".sbatch") {
      SbatchContext context;
      context.submitDirectory = "/home/li";
      const auto result = decodeSbatch(text.str(), context);
      ASSERT_TRUE(result) << entry.path() << toText(result.error().front());
      ++seen;
    }
  }
  EXPECT_GE(seen, 6);
}

}  // namespace
}  // namespace fairlead::codec
