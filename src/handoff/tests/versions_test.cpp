#include <fairlead/handoff/errors.hpp>
#include <fairlead/handoff/versions.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace fairlead::handoff {
namespace {

constexpr TimePoint kNow{5'000};

struct Success {
  model::Workload workload;
  model::Attempt attempt;
  model::OutputRule rule;
  model::OutputArtifact artifact;

  Success() {
    workload.id = {7};
    workload.project = "nlp";
    workload.submitter = "li";
    attempt.id = {9};
    attempt.workload = {7};
    attempt.state = model::AttemptState::succeeded;
    rule = {"model", "out/model", model::OutputRule::Kind::model, "bert", ""};
    artifact.name = "model";
    artifact.uri = "file:///state/models/bert";
    artifact.digest = {1, 2, 3};
    artifact.size = {1'024};
    artifact.metrics = {{"loss", "1.92"}, {"accuracy", "0.9"}};
  }
  [[nodiscard]] Result<ModelVersion> version(const ModelVersion* newest = nullptr) const {
    return versionFrom(workload, attempt, rule, artifact, newest, kNow);
  }
};

ModelVersion versionOf(std::int32_t number, std::string model = "bert", std::string project = "nlp") {
  ModelVersion version;
  version.project = std::move(project);
  version.model = std::move(model);
  version.version = number;
  return version;
}

TEST(VersionFrom, takesEverythingFromWhatRan) {
  const auto version = Success{}.version();
  ASSERT_TRUE(version) << version.error().message;
  EXPECT_EQ(version->project, "nlp");
  EXPECT_EQ(version->model, "bert");
  EXPECT_EQ(version->version, 1);
  EXPECT_EQ(version->uri, "file:///state/models/bert");
  EXPECT_EQ(version->digest, (model::Digest{1, 2, 3}));
  EXPECT_EQ(version->size.count, 1'024);
  EXPECT_EQ(version->workload.value, 7U);
  EXPECT_EQ(version->attempt.value, 9U);
  EXPECT_EQ(version->createdBy, "li");
  EXPECT_EQ(version->createdAt, kNow);
  EXPECT_EQ(version->metrics.front().first, "accuracy") << "sorted by name";
}

TEST(VersionFrom, countsUpAndTheSameBytesAreANewVersion) {
  const Success success;
  const auto first = success.version().value();
  const auto second = success.version(&first).value();
  EXPECT_EQ(second.version, 2);
  EXPECT_EQ(second.digest, first.digest);
}

TEST(VersionFrom, refusesWhatIsNoWholeModelOfASuccess) {
  const auto code = [](auto change) {
    Success success;
    change(success);
    const auto version = success.version();
    return version ? nullptr : version.error().code;
  };
  for (const auto state : {model::AttemptState::failed, model::AttemptState::cancelled, model::AttemptState::running,
                           model::AttemptState::unknown})
    EXPECT_EQ(code([&](auto& s) { s.attempt.state = state; }), &kNotSuccessful) << toText(state);
  EXPECT_EQ(code([](auto& s) { s.rule.kind = model::OutputRule::Kind::artifact; }), &kNotAModel);
  EXPECT_EQ(code([](auto& s) { s.rule.model.clear(); }), &kNotAModel);
  EXPECT_EQ(code([](auto& s) { s.artifact.problem = "no such folder"; }), &kOutputUnusable);
  EXPECT_EQ(code([](auto& s) { s.artifact.digest = {}; }), &kOutputUnusable);
  EXPECT_EQ(code([](auto& s) { s.artifact.uri.clear(); }), &kOutputUnusable);
  EXPECT_EQ(code([](auto& s) { s.artifact.name = "other"; }), &kOutputUnusable);
  EXPECT_EQ(code([](auto& s) { s.attempt.workload = {8}; }), &kOutputUnusable);
}

TEST(VersionFrom, refusesTheNewestVersionOfAnotherModel) {
  for (const auto& foreign : {versionOf(3, "gpt"), versionOf(3, "bert", "cv")}) {
    const auto version = Success{}.version(&foreign);
    ASSERT_FALSE(version);
    EXPECT_EQ(version.error().code, &kOutputUnusable);
  }
}

TEST(NextVersion, endsWhereNumbersEnd) {
  const auto last = versionOf(std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(nextVersion(nullptr).value(), 1);
  EXPECT_EQ(nextVersion(&last).error().code, &kVersionsExhausted);
}

TEST(Resolve, takesTheNumberedOrTheNewest) {
  const std::vector versions{versionOf(2), versionOf(10), versionOf(11, "gpt"), versionOf(12, "bert", "cv"),
                             versionOf(1)};
  EXPECT_EQ(resolve({"bert", 0}, "nlp", versions).value(), &versions[1]);
  EXPECT_EQ(resolve({"bert", 2}, "nlp", versions).value(), &versions[0]);
  EXPECT_EQ(resolve({"bert", 0}, "cv", versions).value(), &versions[3]);
}

TEST(Resolve, saysWhatThereIs) {
  const std::vector versions{versionOf(2), versionOf(10), versionOf(1, "secret", "cv")};
  const auto noVersion = resolve({"bert", 3}, "nlp", versions);
  ASSERT_FALSE(noVersion);
  EXPECT_EQ(noVersion.error().code, &kVersionNotFound);
  EXPECT_EQ(noVersion.error().field, "spec.model.version");
  EXPECT_EQ(noVersion.error().remedy, "there is 10, 2; leave it out for the newest");
  const auto typo = resolve({"brt", 0}, "nlp", versions);
  EXPECT_EQ(typo.error().code, &kModelNotFound);
  EXPECT_EQ(typo.error().remedy, "did you mean bert?");
  const auto foreign = resolve({"secre", 0}, "nlp", versions);
  EXPECT_EQ(foreign.error().remedy.find("secret"), std::string::npos) << "models of other projects stay unnamed";
  EXPECT_EQ(resolve({"bert", 0}, "nlp", {}).error().code, &kModelNotFound);
  EXPECT_EQ(resolve({"bert", -1}, "nlp", versions).error().code, &kVersionNotFound);
}

TEST(ResolveProperty, theNewestIsTheHighestNumberInAnyOrder) {
  EXPECT_TRUE(rc::check([] {
    const auto numbers = *rc::gen::nonEmpty(rc::gen::unique<std::vector<std::int32_t>>(rc::gen::inRange(1, 1'000)));
    std::vector<ModelVersion> versions;
    for (const auto number : numbers) versions.push_back(versionOf(number));
    const auto found = resolve({"bert", 0}, "nlp", versions);
    RC_ASSERT(found.has_value());
    RC_ASSERT((*found)->version == *std::max_element(numbers.begin(), numbers.end()));
    RC_ASSERT(nextVersion(*found).value() == (*found)->version + 1);
  }));
}

}  // namespace
}  // namespace fairlead::handoff
