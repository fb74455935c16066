#include "cases.hpp"

#include <fairlead/codec/digest.hpp>

#include <gtest/gtest.h>

namespace fairlead::engine::testing {

using model::FailureCategory;
using model::ObservationKind;

namespace {

control::StartOrder inFolder(EngineUnderTest& t, const std::string& line,
                             const std::function<void(model::Spec&)>& change) {
  Work work;
  work.command = {"/bin/sh", "-c", line};
  work.spec = [&](model::Spec& spec) {
    spec.roles[0].workingDirectory = t.harness().folder();
    change(spec);
  };
  return t.order(work);
}

}  // namespace

void workGoesOnFromTheNewestWholeCheckpoint(EngineUnderTest& t) {
  t.restart();
  const auto byMarker = [](model::Spec& spec) {
    spec.checkpoint.emplace();
    spec.checkpoint->path = "ckpt";
    spec.checkpoint->valid.kind = model::CheckpointValidity::Kind::marker;
    spec.checkpoint->valid.file = "DONE";
  };
  const auto first = inFolder(t,
                              "echo from ${FAIRLEAD_CHECKPOINT-nothing}; mkdir -p ckpt/one ckpt/half; "
                              "touch ckpt/one/DONE; exit 3",
                              byMarker);
  t.begin(first);
  EXPECT_EQ(t.sink().awaitEnd(first.attempt.id).checkpoint, t.path("ckpt/one"));
  EXPECT_EQ(t.log(first.attempt.id), "from nothing\n");
  const auto second = inFolder(t, "echo from $FAIRLEAD_CHECKPOINT", byMarker);
  t.begin(second);
  const auto end = t.sink().awaitEnd(second.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::none) << end.reason;
  EXPECT_EQ(end.checkpoint, t.path("ckpt/one"));
  EXPECT_EQ(t.sink().awaitKind(second.attempt.id, ObservationKind::started).resumedFrom, t.path("ckpt/one"));
  EXPECT_EQ(t.log(second.attempt.id), "from " + t.path("ckpt/one") + "\n");
}

void outputsBecomeArtifactsAndInputs(EngineUnderTest& t) {
  t.restart();
  const auto order =
      inFolder(t, "mkdir net; printf weights > net/w; echo '{\"loss\": 0.10}' > m.json", [](model::Spec& spec) {
        spec.outputs.push_back({"net", "net", model::OutputRule::Kind::model, "net", "m.json"});
        spec.outputs.push_back({"gone", "gone", model::OutputRule::Kind::artifact, "", ""});
      });
  t.begin(order);
  const auto end = t.sink().awaitEnd(order.attempt.id);
  EXPECT_EQ(end.category, FailureCategory::none) << end.reason;
  ASSERT_EQ(end.outputs.size(), 2u);
  const auto& net = end.outputs[0];
  EXPECT_EQ(net.problem, "");
  EXPECT_EQ(net.digest, codec::sha256(codec::toHex(codec::sha256("weights")) + "  w\n"));
  EXPECT_EQ(net.size.count, 7);
  ASSERT_EQ(net.metrics.size(), 1u);
  EXPECT_EQ(net.metrics[0].second, "0.10");
  ASSERT_TRUE(net.uri.starts_with("file:///")) << net.uri;
  EXPECT_EQ(readFile(net.uri.substr(7) + "/w"), "weights");
  EXPECT_NE(end.outputs[1].problem, "");
}

void aModelThatIsNotItsVersionIsRefused(EngineUnderTest& t) {
  t.restart();
  const auto maker = inFolder(t, "printf weights > model", [](model::Spec&) {});
  t.begin(maker);
  (void)t.sink().awaitEnd(maker.attempt.id);
  auto right = t.shell("cat $FAIRLEAD_MODEL_PATH");
  right.modelUri = "file://" + t.path("model");
  right.modelDigest = codec::sha256("weights");
  t.begin(right);
  EXPECT_EQ(t.sink().awaitEnd(right.attempt.id).category, FailureCategory::none);
  EXPECT_EQ(t.log(right.attempt.id), "weights");
  auto forged = t.shell("touch " + t.path("ran"));
  forged.modelUri = right.modelUri;
  forged.modelDigest = codec::sha256("other");
  t.begin(forged);
  const auto refused = t.sink().awaitEnd(forged.attempt.id);
  EXPECT_EQ(refused.category, FailureCategory::startFailed);
  EXPECT_EQ(refused.reason, "the model at " + t.path("model") + " has digest " +
                                codec::toHex(codec::sha256("weights")) + ", its version says " +
                                codec::toHex(codec::sha256("other")));
}

}  // namespace fairlead::engine::testing
