// The forms of orders, intents and journals, and the pure parts: properties over many inputs.
#include "local/environment.hpp"
#include "local/fields.hpp"
#include "local/journal.hpp"
#include "local/launch_order.hpp"
#include "local/log_copy.hpp"
#include "local/stop_clock.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <signal.h>

namespace fairlead::engine::local {
namespace {

constexpr model::AttemptId kAttempt{7};

std::vector<JournalRecord> someRecords() {
  std::vector<JournalRecord> records(3);
  records[0].observation.kind = model::ObservationKind::accepted;
  records[0].launch = {"boot", 12, 34, "/group"};
  records[1].observation.kind = model::ObservationKind::started;
  records[1].observation.resumedFrom = "/a\tb\nc\\d";
  auto& end = records[2].observation;
  end.kind = model::ObservationKind::ended;
  end.category = model::FailureCategory::outOfMemory;
  end.ends = {{0, 1, 0, false, {5}}, {1, 0, 9, true, {6}}};
  end.outputs = {{"m", "file:///x", {1, 2, 255}, {77}, {{"loss", "0.10"}}, "bad\nluck"}};
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].number = i + 1;
    records[i].observation.attempt = kAttempt;
    records[i].observation.sequence = (i + 1) * kSequenceStep;
    records[i].observation.at = {static_cast<std::int64_t>(1000 + i)};
  }
  return records;
}

std::string textOf(const std::vector<JournalRecord>& records) {
  std::string text;
  for (const auto& record : records) text += encodeRecord(record);
  return text;
}

TEST(Fields, AnyTextComesBack) {
  rc::check([](const std::vector<std::string>& values) {
    Fields fields;
    for (const auto& value : values) fields.emplace_back("k", value);
    RC_ASSERT(decodeFields(encodeFields(fields, '\t'), '\t') == fields);
    RC_ASSERT(decodeFields(encodeFields(fields, '\n'), '\n') == fields);
  });
}

TEST(Journal, RecordsComeBackWhole) {
  const auto records = someRecords();
  const auto journal = parseJournal(textOf(records), kAttempt);
  ASSERT_EQ(journal.records.size(), 3u);
  EXPECT_EQ(journal.wholeBytes, textOf(records).size());
  EXPECT_EQ(journal.launched()->launch.supervisorStart, 34u);
  EXPECT_EQ(journal.records[1].observation.resumedFrom, records[1].observation.resumedFrom);
  const auto& end = journal.final()->observation;
  EXPECT_EQ(end.ends, records[2].observation.ends);
  ASSERT_EQ(end.outputs.size(), 1u);
  EXPECT_EQ(end.outputs[0].digest, records[2].observation.outputs[0].digest);
  EXPECT_EQ(end.outputs[0].metrics, records[2].observation.outputs[0].metrics);
  EXPECT_EQ(end.outputs[0].problem, "bad\nluck");
  EXPECT_EQ(end.sequence, 3 * kSequenceStep);
}

TEST(Journal, ATornTailHidesOnlyWhatIsTorn) {
  const auto text = textOf(someRecords());
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    const auto journal = parseJournal(text.substr(0, cut), kAttempt);
    EXPECT_LT(journal.records.size(), 3u);
    EXPECT_LE(journal.wholeBytes, cut);
    EXPECT_EQ(parseJournal(text.substr(0, journal.wholeBytes), kAttempt).records.size(), journal.records.size());
  }
}

TEST(Journal, AnyBytesAreReadWithoutHarm) {
  const auto text = textOf(someRecords());
  rc::check([&](std::size_t at, char with) {
    auto damaged = text;
    const bool same = damaged[at % text.size()] == with;
    damaged[at % text.size()] = with;
    RC_ASSERT(same || parseJournal(damaged, kAttempt).records.size() < 3u);
  });
  rc::check([](const std::string& noise) { RC_ASSERT(parseJournal(noise, kAttempt).records.empty()); });
}

LaunchOrder someOrder() {
  LaunchOrder order;
  order.attempt = "a-1";
  order.intent = "a-1.start";
  order.workload = "w-1";
  order.name = "name\nwith newline";
  order.roles.resize(2);
  order.roles[0].name = "worker";
  order.roles[0].command = {"a", "", "b c"};
  order.roles[0].env = {{"X", "1"}, {"Y", "\t"}};
  order.roles[1].name = "chief";
  order.roles[1].script = "#!/bin/sh\ntrue\n";
  order.members = {
      {0, 0, {{"CUDA_VISIBLE_DEVICES", ""}}, 1500, 1 << 20, 500}, {2, 1, {}, 0, 0, 0}, {5, 0, {}, 0, 0, 0}};
  order.checkpoint.emplace();
  order.checkpoint->valid.command = {"check", "it"};
  order.outputs.push_back({"o", "p", model::OutputRule::Kind::model, "", "m"});
  order.arrayIndex = 4;
  order.arrayParent = "w-0";
  return order;
}

TEST(Order, ComesBackWholeOrNotAtAll) {
  const auto text = encodeOrder(someOrder());
  const auto back = decodeOrder(text);
  ASSERT_TRUE(back) << toText(back.error());
  EXPECT_EQ(encodeOrder(*back), text);
  EXPECT_EQ(back->roles[0].command, someOrder().roles[0].command);
  EXPECT_EQ(back->checkpoint->valid.command, someOrder().checkpoint->valid.command);
  for (std::size_t cut = 0; cut < text.size(); ++cut) EXPECT_FALSE(decodeOrder(text.substr(0, cut)));
}

TEST(Environment, NumbersRanksWithoutGaps) {
  const auto env = rankEnvironment(someOrder(), 2, {}, {4000, "/work", "/ck", ""});
  const auto has = [&](const char* text) { return std::find(env.begin(), env.end(), text) != env.end(); };
  EXPECT_TRUE(has("RANK=2"));
  EXPECT_TRUE(has("WORLD_SIZE=3"));
  EXPECT_TRUE(has("ROLE_RANK=1"));
  EXPECT_TRUE(has("ROLE_WORLD_SIZE=2"));
  EXPECT_TRUE(has("FAIRLEAD_MEMBER=5"));
  EXPECT_TRUE(has("MASTER_PORT=4000"));
  EXPECT_TRUE(has("FAIRLEAD_CHECKPOINT=/ck"));
  EXPECT_TRUE(has("FAIRLEAD_ARRAY_INDEX=4"));
  EXPECT_TRUE(has("SLURM_ARRAY_TASK_ID=4"));
  EXPECT_FALSE(has("SLURM_PROCID=2"));  // no script
}

TEST(LogCopy, ReplacesPatterns) {
  auto order = someOrder();
  order.unixUser = "ann";
  order.node = "n1";
  order.name = "job";
  EXPECT_EQ(expandPattern("%x-%j_%A_%a.%u.%N.%t%%%q%", order, 3), "job-w-1_w-0_4.ann.n1.3%%q%");
}

TEST(StopClock, GoesThroughItsStepsInOrder) {
  StopClock clock;
  EXPECT_TRUE(clock.idle());
  EXPECT_EQ(clock.begin({SIGUSR1, {100}, SIGTERM, {50}}, {1000}), StopAction::sendFirst);
  EXPECT_EQ(clock.due({1099}), StopAction::nothing);
  EXPECT_EQ(clock.due({1100}), StopAction::sendStop);
  EXPECT_EQ(clock.next()->count, 1150);
  EXPECT_EQ(clock.due({1150}), StopAction::kill);
  EXPECT_FALSE(clock.next());
}

TEST(StopClock, ALaterPlanNeverDelays) {
  rc::check([] {
    StopClock clock;
    const auto grace = [] { return Milliseconds{*rc::gen::inRange<std::int64_t>(0, 1000)}; };
    (void)clock.begin({*rc::gen::element(0, SIGUSR1), grace(), SIGTERM, grace()}, {0});
    const auto before = clock.next();
    (void)clock.begin({*rc::gen::element(0, SIGUSR1), grace(), SIGTERM, grace()}, {10});
    const auto after = clock.next();
    RC_ASSERT(before && after);
    // From a first signal to the stop signal is a step ahead, whose own grace then counts.
    if (clock.plan().firstSignal == 0) RC_ASSERT(*after <= *before);
  });
}

}  // namespace
}  // namespace fairlead::engine::local
