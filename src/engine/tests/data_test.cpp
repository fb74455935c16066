// Checkpoints, outputs, model inputs, logs: the files of an attempt.
#include "data/checkpoint.hpp"
#include "data/file_tree.hpp"
#include "data/metrics.hpp"
#include "tests/harness.hpp"

#include <fairlead/codec/digest.hpp>

#include <fstream>
#include <pwd.h>
#include <signal.h>
#include <unistd.h>

namespace fairlead::engine::test {
namespace {

namespace fs = std::filesystem;
using model::FailureCategory;
using Kind = model::CheckpointValidity::Kind;

class FileTest : public LocalEngineTest {
 protected:
  void write(const std::string& path, const std::string& content) {
    fs::create_directories(fs::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << content;
  }
  void age(const std::string& path, int seconds) {
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
  }
  std::string newest(const model::CheckpointRule& rule) { return data::newestCheckpoint(rule, root_).path; }
  model::CheckpointRule rule(Kind kind, const std::string& file) {
    model::CheckpointRule rule;
    rule.path = "ckpt";
    rule.valid.kind = kind;
    rule.valid.file = file;
    return rule;
  }
};

TEST_F(FileTest, ARuleThatOnlyNamesASignalFindsNoCheckpoint) {
  write(root_ + "/step-1/x", "");
  auto signalOnly = rule(Kind::marker, "");
  signalOnly.path.clear();
  EXPECT_EQ(newest(signalOnly), "");
}

TEST_F(FileTest, TheNewestCheckpointWithAMarkerIsTaken) {
  write(root_ + "/ckpt/step-9/DONE", "");
  age(root_ + "/ckpt/step-9/DONE", 100);
  write(root_ + "/ckpt/step-10/DONE", "");
  age(root_ + "/ckpt/step-10/DONE", 50);
  write(root_ + "/ckpt/step-11/weights", "half");
  fs::create_directory_symlink(root_ + "/ckpt/step-9", root_ + "/ckpt/latest");
  EXPECT_EQ(newest(rule(Kind::marker, "DONE")), root_ + "/ckpt/step-10");
  fs::remove(root_ + "/ckpt/step-10/DONE");
  EXPECT_EQ(newest(rule(Kind::marker, "DONE")), root_ + "/ckpt/step-9");
  fs::remove_all(root_ + "/ckpt/step-9");
  EXPECT_EQ(newest(rule(Kind::marker, "DONE")), "");
  fs::create_symlink("/etc/passwd", root_ + "/ckpt/step-11/DONE");
  EXPECT_EQ(newest(rule(Kind::marker, "DONE")), "");
}

TEST_F(FileTest, AManifestMustHoldWholly) {
  const auto line = [](const std::string& content, const std::string& path) {
    return codec::toHex(codec::sha256(content)) + "  " + path + "\n";
  };
  write(root_ + "/secret", "x");
  const std::pair<std::string, std::string> cases[] = {
      {"wrong", line("other", "w")},
      {"escape", line("x", "../../secret")},
      {"absolute", line("x", root_ + "/secret")},
      {"missing", line("data", "w") + line("a", "b")},
      {"empty", ""},
      {"noise", "not a manifest\n"},
  };
  for (const auto& [name, manifest] : cases) {
    write(root_ + "/ckpt/" + name + "/w", "data");
    write(root_ + "/ckpt/" + name + "/SHA256SUMS", manifest);
  }
  write(root_ + "/ckpt/link/SHA256SUMS", line("x", "w"));
  fs::create_symlink(root_ + "/secret", root_ + "/ckpt/link/w");
  EXPECT_EQ(newest(rule(Kind::manifest, "SHA256SUMS")), "");
  write(root_ + "/ckpt/good/sub/w", "data");
  write(root_ + "/ckpt/good/SHA256SUMS", line("data", "sub/w"));
  age(root_ + "/ckpt/good/SHA256SUMS", 1000);
  EXPECT_EQ(newest(rule(Kind::manifest, "SHA256SUMS")), root_ + "/ckpt/good");
}

TEST_F(FileTest, ACommandJudgesCheckpoints) {
  write(root_ + "/ckpt/a.pt", "good");
  age(root_ + "/ckpt/a.pt", 100);
  write(root_ + "/ckpt/b.pt", "bad");
  auto byCommand = rule(Kind::command, "");
  byCommand.valid.command = {"grep", "-q", "good"};
  EXPECT_EQ(newest(byCommand), root_ + "/ckpt/a.pt");
}

TEST_F(FileTest, AnAttemptGetsAndReportsItsNewestCheckpoint) {
  startEngine();
  write(root_ + "/ckpt/one/DONE", "");
  age(root_ + "/ckpt/one/DONE", 60);
  Wanted wanted;
  wanted.command = {"/bin/sh", "-c", "echo from $FAIRLEAD_CHECKPOINT; mkdir -p ckpt/two; touch ckpt/two/DONE; exit 1"};
  wanted.spec = [&](model::Spec& spec) {
    spec.roles[0].workingDirectory = root_;
    spec.checkpoint = rule(Kind::marker, "DONE");
  };
  const auto order = this->order(1, wanted);
  engine_->dispatchStart(order);
  const auto end = sink_->awaitEnd(order.attempt.id);
  EXPECT_EQ(readAll(order.attempt.id), "from " + root_ + "/ckpt/one\n");
  EXPECT_EQ(sink_->awaitKind(order.attempt.id, model::ObservationKind::started).resumedFrom, root_ + "/ckpt/one");
  EXPECT_EQ(end.checkpoint, root_ + "/ckpt/two");
  EXPECT_GE(end.checkpointAt + Milliseconds{1}, sink_->seen(order.attempt.id)[0].at);
  EXPECT_LE(end.checkpointAt, end.at + Milliseconds{1000});
}

TEST_F(FileTest, OutputsBecomeImmutableArtifactsAndInputs) {
  startEngine();
  Wanted wanted;
  wanted.command = {"/bin/sh", "-c",
                    "mkdir -p model/sub; printf weights > model/sub/w; printf cfg > model/c; echo '{\"loss\": 0.10, "
                    "\"epoch\": 3, \"note\": \"x\", \"lr\": 1e-4}' > m.json; printf report > r.txt"};
  wanted.spec = [](model::Spec& spec) {
    spec.outputs.push_back({"net", "model", model::OutputRule::Kind::model, "net", "m.json"});
    spec.outputs.push_back({"report", "r.txt", model::OutputRule::Kind::artifact, "", ""});
    spec.outputs.push_back({"gone", "nothing", model::OutputRule::Kind::artifact, "", ""});
    spec.outputs.push_back({"outside", "../journal", model::OutputRule::Kind::artifact, "", ""});
  };
  const auto order = this->order(1, wanted);
  engine_->dispatchStart(order);
  const auto end = sink_->awaitEnd(order.attempt.id);
  ASSERT_EQ(end.outputs.size(), 4u);
  const auto& net = end.outputs[0];
  EXPECT_EQ(net.problem, "");
  EXPECT_EQ(net.size.count, 10);
  const auto lines =
      codec::toHex(codec::sha256("cfg")) + "  c\n" + codec::toHex(codec::sha256("weights")) + "  sub/w\n";
  EXPECT_EQ(codec::toHex(net.digest), codec::toHex(codec::sha256(lines)));
  EXPECT_EQ(net.uri, "file://" + options_.stateDir + "/artifacts/" + codec::toHex(net.digest));
  const std::vector<std::pair<std::string, std::string>> metrics{{"epoch", "3"}, {"loss", "0.10"}, {"lr", "1e-4"}};
  EXPECT_EQ(net.metrics, metrics);
  EXPECT_EQ(end.outputs[1].digest, codec::sha256("report"));
  EXPECT_NE(end.outputs[2].problem, "");
  EXPECT_NE(end.outputs[3].problem, "");
  const auto path = net.uri.substr(7);
  EXPECT_EQ(fs::status(path + "/c").permissions() & fs::perms::owner_write, fs::perms::none);

  auto reader = shell(2, "cat $FAIRLEAD_MODEL_PATH/sub/w");
  reader.modelUri = net.uri;
  reader.modelDigest = net.digest;
  engine_->dispatchStart(reader);
  EXPECT_EQ(sink_->awaitEnd(reader.attempt.id).category, FailureCategory::none);
  EXPECT_EQ(readAll(reader.attempt.id), "weights");

  fs::permissions(path + "/c", fs::perms::owner_write, fs::perm_options::add);
  write(path + "/c", "forged");
  auto cheated = shell(3, "touch " + root_ + "/ran");
  cheated.modelUri = net.uri;
  cheated.modelDigest = net.digest;
  engine_->dispatchStart(cheated);
  const auto refused = sink_->awaitEnd(cheated.attempt.id);
  EXPECT_EQ(refused.category, FailureCategory::startFailed);
  EXPECT_NE(refused.reason.find("digest"), std::string::npos) << refused.reason;
  EXPECT_FALSE(fs::exists(root_ + "/ran"));
}

TEST_F(FileTest, ATreeWithALinkIsNoOutput) {
  write(root_ + "/out/a", "a");
  fs::create_symlink("/etc/passwd", root_ + "/out/b");
  auto source = data::openBelow(root_, "out");
  ASSERT_TRUE(source);
  auto target = local::openFolder(root_);
  data::TreeBudget budget{1 << 20};
  const auto copied = data::copyTree(*source, target->get(), "copy", {}, budget);
  ASSERT_FALSE(copied);
  EXPECT_FALSE(fs::exists(root_ + "/copy"));
  data::TreeBudget tiny{0};
  fs::remove(root_ + "/out/b");
  EXPECT_FALSE(data::copyTree(*source, target->get(), "copy", {}, tiny));
  EXPECT_FALSE(fs::exists(root_ + "/copy"));
}

TEST_F(FileTest, MetricsAreBoundedAndExact) {
  EXPECT_FALSE(data::parseMetrics("[1]"));
  EXPECT_FALSE(data::parseMetrics("{\"a\":1,\"a\":2}"));
  EXPECT_FALSE(data::parseMetrics("{\"a\":NaN}"));
  EXPECT_FALSE(data::parseMetrics(std::string(2 << 20, ' ')));
  const auto parsed = data::parseMetrics("{\"b\":-0.50,\"a\":12345678901234567890.123}");
  ASSERT_TRUE(parsed);
  EXPECT_EQ((*parsed)[0].second, "12345678901234567890.123");
  EXPECT_EQ((*parsed)[1].second, "-0.50");
}

TEST_F(FileTest, LogsRotateAndKeepTheirOffsets) {
  options_.logSegment = {1000};
  options_.logSegments = 3;
  startEngine();
  const auto order = shell(1, "i=0; while [ $i -lt 1000 ]; do echo line $i; i=$((i+1)); done");
  engine_->dispatchStart(order);
  (void)sink_->awaitEnd(order.attempt.id);
  std::string all;
  for (int i = 0; i < 1000; ++i) all += "line " + std::to_string(i) + "\n";
  control::LogQuery query;
  query.attempt = order.attempt.id;
  auto chunk = engine_->readLog(query);
  ASSERT_TRUE(chunk);
  EXPECT_GT(chunk->offset, 0u);
  EXPECT_EQ(chunk->end, all.size());
  EXPECT_TRUE(chunk->complete);
  EXPECT_EQ(chunk->bytes, all.substr(chunk->offset));
  EXPECT_LE(chunk->bytes.size(), 3000u);
  query.tailBytes = 20;
  chunk = engine_->readLog(query);
  EXPECT_EQ(chunk->bytes, "line 998\nline 999\n");
  EXPECT_EQ(chunk->offset, all.size() - 18);
  query.tailBytes = -1;
  query.offset = all.size() - 9;
  query.limit = 4;
  chunk = engine_->readLog(query);
  EXPECT_EQ(chunk->bytes, "line");
  EXPECT_FALSE(chunk->complete);
  engine_->settled(order.attempt.id);
  ASSERT_TRUE(eventually([&] { return fs::exists(folderOf(order.attempt.id) + "/settled"); }));
  query.offset = all.size();
  EXPECT_TRUE(engine_->readLog(query)->complete);
  query.attempt = {77};
  EXPECT_EQ(engine_->readLog(query).error().kind(), ErrorKind::notFound);
}

TEST_F(FileTest, OldLogsAndHalfCopiesGo) {
  options_.logRetention = {-1};
  const auto old = options_.stateDir + "/attempts/" + "a-n0zmm.start";
  write(old + "/settled", "");
  write(old + "/logs/out.0.0000000000000000", "old");
  write(options_.stateDir + "/attempts/unrelated/settled", "");
  write(options_.stateDir + "/artifacts/.a-n0zmm.start.model/w", "half");
  write(options_.stateDir + "/artifacts/whole", "whole");
  startEngine();
  EXPECT_TRUE(eventually([&] { return !fs::exists(old); }));
  EXPECT_TRUE(eventually([&] { return !fs::exists(options_.stateDir + "/artifacts/.a-n0zmm.start.model"); }));
  EXPECT_TRUE(fs::exists(options_.stateDir + "/attempts/unrelated/settled"));
  EXPECT_TRUE(fs::exists(options_.stateDir + "/artifacts/whole"));
}

TEST_F(FileTest, LogsCanBeFollowedWhileTheyGrow) {
  startEngine();
  const auto order = shell(1, "echo one; while [ ! -e " + root_ + "/go ]; do sleep 0.01; done; echo two");
  engine_->dispatchStart(order);
  (void)sink_->awaitKind(order.attempt.id, model::ObservationKind::started);
  control::LogQuery query;
  query.attempt = order.attempt.id;
  std::string text;
  bool complete = false;
  ASSERT_TRUE(eventually([&] {
    const auto chunk = engine_->readLog(query);
    text += chunk->bytes;
    query.offset = chunk->end;
    complete = chunk->complete;
    if (text == "one\n") std::ofstream(root_ + "/go").put('\n');
    return complete;
  }));
  EXPECT_EQ(text, "one\ntwo\n");
}

TEST_F(FileTest, LogsAreCopiedWhereTheUserWantsThem) {
  startEngine();
  Wanted wanted;
  wanted.command = {"/bin/sh", "-c", "echo out; echo err >&2"};
  wanted.members = 2;
  wanted.spec = [&](model::Spec& spec) {
    spec.roles[0].workingDirectory = root_;
    spec.logs = {"%x-%j.%t.out", "", false};
  };
  const auto order = this->order(1, wanted);
  engine_->dispatchStart(order);
  EXPECT_EQ(sink_->awaitEnd(order.attempt.id).category, FailureCategory::none);
  for (const auto* rank : {"0", "1"}) {
    const auto text = read(root_ + "/job-" + toText(order.workload.id) + "." + rank + ".out");
    EXPECT_NE(text.find("out\n"), std::string::npos);
    EXPECT_NE(text.find("err\n"), std::string::npos);
  }
}

}  // namespace
}  // namespace fairlead::engine::test
