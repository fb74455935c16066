#include "sbatch_table.hpp"
#include "sbatch_values.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/sbatch.hpp>

#include <gtest/gtest.h>

namespace fairlead::codec {
namespace {

std::string timeText(std::string_view text) {
  const auto span = slurmTime(text);
  return span ? toText(*span) : "refused";
}

TEST(SbatchValues, Times) {
  EXPECT_EQ(timeText("90"), "1h30m");
  EXPECT_EQ(timeText("1:30"), "2m");  // one minute thirty, rounded up
  EXPECT_EQ(timeText("1:00:00"), "1h");
  EXPECT_EQ(timeText("2-0"), "2d");
  EXPECT_EQ(timeText("1-12:30"), "1d12h30m");
  EXPECT_EQ(timeText("1-00:00:01"), "1d1m");
  for (const auto* text : {"0", "-1", "INFINITE", "unlimited"}) EXPECT_EQ(timeText(text), "0s") << text;
  for (const auto* text : {"", "1:2:3:4", "a", "1-", "-5", "1.5", "99999999999999999999"})
    EXPECT_EQ(timeText(text), "refused") << text;
}

TEST(SbatchValues, Memory) {
  EXPECT_EQ(slurmMemory("4000")->count, 4000LL << 20);
  EXPECT_EQ(slurmMemory("64G")->count, 64LL << 30);
  EXPECT_EQ(slurmMemory("64gb")->count, 64LL << 30);
  EXPECT_EQ(slurmMemory("512K")->count, 512LL << 10);
  EXPECT_EQ(slurmMemory("0")->count, 0);
  for (const auto* text : {"", "G", "-1", "1X", "1GG", "99999999999T"}) EXPECT_FALSE(slurmMemory(text)) << text;
}

TEST(SbatchValues, Instants) {
  const auto now = *parseTime("2026-11-30T18:30:00Z");
  const auto at = [&](std::string_view text) {
    const auto moment = slurmInstant(text, now, 480);  // it is 02:30 on the first of December there
    return moment ? toText(*moment).substr(0, 19) : "refused";
  };
  EXPECT_EQ(at("now"), "2026-11-30T18:30:00");
  EXPECT_EQ(at("now+60"), "2026-11-30T18:31:00");
  EXPECT_EQ(at("now+2days"), "2026-12-02T18:30:00");
  EXPECT_EQ(at("16:00"), "2026-12-01T08:00:00");
  EXPECT_EQ(at("02:00"), "2026-12-01T18:00:00");
  EXPECT_EQ(at("4:15pm"), "2026-12-01T08:15:00");
  EXPECT_EQ(at("noon"), "2026-12-01T04:00:00");
  EXPECT_EQ(at("tomorrow"), "2026-12-01T16:00:00");
  EXPECT_EQ(at("2026-12-24T18:30"), "2026-12-24T10:30:00");
  EXPECT_EQ(at("12/24"), "2026-12-23T16:00:00");
  EXPECT_EQ(at("010127"), "2026-12-31T16:00:00");
  EXPECT_EQ(at("uts1796000000"), "2026-11-30T00:53:20");
  for (const auto* text : {"", "soon", "25:00", "now-5", "now+", "now+5parsecs", "2026-13-01", "2026-02-30", "13:00pm",
                           "99/99", "T", "uts"})
    EXPECT_EQ(at(text), "refused") << text;
}

TEST(SbatchValues, Gres) {
  const auto shown = [](std::string_view text) {
    const auto list = slurmGres(text);
    if (!list) return std::string("refused");
    std::string out;
    for (const auto& e : *list) out += e.name + "/" + e.type + "/" + std::to_string(e.count) + " ";
    return out;
  };
  EXPECT_EQ(shown("gpu"), "gpu//1 ");
  EXPECT_EQ(shown("gpu:2"), "gpu//2 ");
  EXPECT_EQ(shown("gpu:a100"), "gpu/a100/1 ");
  EXPECT_EQ(shown("gres/gpu:a100=8,shard:4"), "gpu/a100/8 shard//4 ");
  EXPECT_EQ(shown("gpu:a100_3g.20gb:1"), "gpu/a100_3g.20gb/1 ");
  EXPECT_EQ(shown("none"), "");
  for (const auto* text : {"", "gpu:", "gpu::2", "gpu:a:b:c", ",", "gpu:2x"}) EXPECT_EQ(shown(text), "refused") << text;
}

TEST(SbatchTable, IsOrderedAndEveryRowIsMappedOrExplained) {
  std::string_view last;
  for (const auto& directive : sbatchDirectives()) {
    EXPECT_LT(last, directive.name);
    last = directive.name;
    EXPECT_EQ(directive.take == nullptr, !directive.why.empty()) << directive.name;
  }
  EXPECT_GE(sbatchDirectives().size(), 120U);
}

TEST(SbatchTable, NoOptionIsSilent) {
  // Alone in a script, every option either changes the workload, is named as not mapped, or is refused.
  SbatchContext context;
  context.submitDirectory = "/home/li";
  const auto plain = decodeSbatch("#!/bin/sh\n", context)->document;
  for (const auto& directive : sbatchDirectives()) {
    const auto script = "#!/bin/sh\n#SBATCH --" + std::string(directive.name) +
                        (directive.argument == SbatchArgument::required ? "=7" : "") + "\n";
    auto result = decodeSbatch(script, context);
    if (!result) continue;
    result->document.spec.roles[0].script = "#!/bin/sh\n";
    const bool silent = result->notMapped.empty() && result->document == plain;
    // These say what is the case anyway, or only mean something beside another option.
    const bool harmless =
        directive.name == "requeue" || directive.name == "mincpus" || directive.name == "sockets-per-node";
    EXPECT_TRUE(!silent || harmless) << directive.name;
  }
}

TEST(Sbatch, LooksLikeOne) {
  EXPECT_TRUE(looksLikeSbatch("#!/bin/sh\n"));
  EXPECT_TRUE(looksLikeSbatch("#SBATCH -N 1\n"));
  EXPECT_FALSE(looksLikeSbatch("apiVersion: fairlead.io/v1\n"));
  EXPECT_FALSE(looksLikeSbatch("{}"));
}

}  // namespace
}  // namespace fairlead::codec
