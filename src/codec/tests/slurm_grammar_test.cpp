#include <fairlead/codec/slurm/file_patterns.hpp>
#include <fairlead/codec/slurm/grammars.hpp>
#include <fairlead/codec/slurm/hostlist.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace fairlead::codec::slurm {
namespace {

std::string expanded(std::string_view text, std::size_t most = kMaxHosts) {
  const auto hosts = expandHosts(text, most);
  return hosts ? fmt::format("{}", fmt::join(*hosts, " ")) : "refused";
}

TEST(SlurmHosts, Expand) {
  EXPECT_EQ(expanded("n1"), "n1");
  EXPECT_EQ(expanded("n[1-3,5]"), "n1 n2 n3 n5");
  EXPECT_EQ(expanded("n[08-11]"), "n08 n09 n10 n11");
  EXPECT_EQ(expanded("n[1-2],m,k[007]"), "n1 n2 m k007");
  EXPECT_EQ(expanded("r[0-1]n[1-2]-ib"), "r0n1-ib r0n2-ib r1n1-ib r1n2-ib");
  EXPECT_EQ(expanded("gpu-a.b.example[9-10].org"), "gpu-a.b.example9.org gpu-a.b.example10.org");
  for (const auto* text : {"", ",", "n1,", ",n1", "n[", "n[]", "n[1", "n[2-1]", "n[1-]", "n[-1]", "n[a]", "n1]",
                           "n[1,]", "n[[1]]", "a b", "n[1-2", "n[99999999999999999999]", "n\n"})
    EXPECT_EQ(expanded(text), "refused") << text;
}

TEST(SlurmHosts, Bounded) {
  EXPECT_EQ(expanded("n[1-4]", 3), "refused");
  EXPECT_EQ(expanded("n[0-999999999]"), "refused");
  EXPECT_EQ(expanded("a[0-9999]b[0-9999]c[0-9999]d[0-9999]"), "refused");
  EXPECT_EQ(countHosts("n[1-100000],m[1-5]"), 100'005U);
  EXPECT_FALSE(countHosts("n[0-999999999999]"));
  const auto set = hostSet("n[1-9]", 5);
  EXPECT_TRUE(set.tooMany);
  EXPECT_TRUE(set.names.empty());
  EXPECT_EQ(set.text, "n[1-9]");
  EXPECT_TRUE(hostSet("(null)").text.empty());
  EXPECT_TRUE(hostSet("None assigned").text.empty());
}

std::string compressed(std::vector<std::string> hosts) { return compressHosts(hosts); }

TEST(SlurmHosts, Compress) {
  EXPECT_EQ(compressed({}), "");
  EXPECT_EQ(compressed({"n1"}), "n1");
  EXPECT_EQ(compressed({"n1", "n2", "n3", "n5"}), "n[1-3,5]");
  EXPECT_EQ(compressed({"n09", "n10", "n11", "n1"}), "n[09-11,1]");
  EXPECT_EQ(compressed({"n9", "n10", "n010"}), "n[9-10,010]");
  EXPECT_EQ(compressed({"a1-ib", "a2-ib", "b", "b"}), "a[1-2]-ib,b,b");
  EXPECT_EQ(compressed({"n2", "n1"}), "n[2,1]");
}

RC_GTEST_PROP(SlurmHosts, RoundTrip, ()) {
  const auto stem = rc::gen::element<std::string>("n", "m-", "r1n", "", "gpu.");
  const auto tail = rc::gen::element<std::string>("", "", "-ib", "x2y");
  const auto host = rc::gen::apply([](const std::string& a, int number, int width,
                                      const std::string& b) { return fmt::format("{}{:0{}}{}", a, number, width, b); },
                                   stem, rc::gen::inRange(0, 130), rc::gen::inRange(0, 4), tail);
  const auto hosts = *rc::gen::container<std::vector<std::string>>(host);
  const auto text = compressHosts(hosts);
  if (hosts.empty()) return;
  const auto again = expandHosts(text);
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == hosts);
  RC_ASSERT(countHosts(text) == hosts.size());
}

std::string tresAgain(std::string_view text) {
  Tres tres;
  return readTres(text, tres) ? tresText(tres) : "refused";
}

TEST(SlurmTres, Texts) {
  Tres tres;
  ASSERT_TRUE(readTres("cpu=32,mem=200G,node=2,billing=32,gres/gpu=16,gres/gpu:h100=16", tres));
  EXPECT_EQ(tresCount(tres, "cpu"), 32);
  EXPECT_EQ(tresCount(tres, "mem"), 200LL << 30);
  EXPECT_EQ(tresCount(tres, "gres", "gpu:h100"), 16);
  EXPECT_FALSE(tresCount(tres, "gres", "npu"));
  EXPECT_EQ(tresAgain("billing=32,cpu=32,gres/gpu:h100=16,mem=200G"), "billing=32,cpu=32,gres/gpu:h100=16,mem=200G");
  EXPECT_EQ(tresAgain("mem=1000"), "mem=1000M");
  EXPECT_EQ(tresAgain("mem=1.50G"), "mem=1536M");
  EXPECT_EQ(tresAgain("1=4,2=2048,1001=8"), "1=4,2=2G,1001=8");
  EXPECT_EQ(tresAgain("energy=18446744073709551614,cpu=1,fs/disk=N/A"), "cpu=1");
  EXPECT_EQ(tresAgain(""), "");
  EXPECT_EQ(tresAgain("(null)"), "");
  for (const auto* text : {"cpu", "=1", "cpu=x", "cpu=1,cpu=2", "cpu=1,,node=1", "mem=1Q", "cpu=99999999999999999999"})
    EXPECT_EQ(tresAgain(text), "refused") << text;
}

RC_GTEST_PROP(SlurmTres, RoundTrip, ()) {
  Tres tres;
  const auto names = *rc::gen::unique<std::vector<std::string>>(rc::gen::element<std::string>(
      "cpu", "mem", "node", "gres/gpu", "gres/gpu:h100", "gres/npu:ascend910b", "license/x"));
  for (const auto& name : names) {
    const auto slash = name.find('/');
    TresCount count;
    count.type = name.substr(0, slash);
    if (slash != std::string::npos) count.name = name.substr(slash + 1);
    count.count = *rc::gen::inRange<std::int64_t>(0, std::int64_t{1} << 45);
    tres.push_back(count);
  }
  Tres again;
  RC_ASSERT(readTres(tresText(tres), again));
  RC_ASSERT(again == tres);
}

std::string gresAgain(std::string_view text) {
  std::vector<GresEntry> entries;
  return readGres(text, entries) ? gresText(entries) : "refused";
}

TEST(SlurmGres, Texts) {
  EXPECT_EQ(gresAgain("gpu:h100:4(IDX:0-3),npu:0"), "gpu:h100:4(IDX:0-3),npu:0");
  EXPECT_EQ(gresAgain("gpu:h100:8(S:0-1)"), "gpu:h100:8(S:0-1)");
  EXPECT_EQ(gresAgain("gpu:a100:0(IDX:N/A)"), "gpu:a100:0(IDX:N/A)");
  EXPECT_EQ(gresAgain("gpu:(null):2(IDX:1,3)"), "gpu:2(IDX:1,3)");
  EXPECT_EQ(gresAgain("gpu"), "gpu:1");
  EXPECT_EQ(gresAgain("gpu:1g.10gb:7"), "gpu:1g.10gb:7");
  EXPECT_EQ(gresAgain("gpu:h100"), "gpu:h100:1");
  EXPECT_EQ(gresAgain("gpu:3090:2"), "gpu:3090:2");
  EXPECT_EQ(gresAgain("gres/gpu:h100:8"), "gpu:h100:8");
  EXPECT_EQ(gresAgain("gres:gpu:2"), "gpu:2");
  EXPECT_EQ(gresAgain("gres/gpu=2,gres/gpu:h100=2"), "gpu:2,gpu:h100:2");
  EXPECT_EQ(gresAgain("bandwidth:lustre:no_consume:4G"), "bandwidth:lustre:4294967296");
  EXPECT_EQ(gresAgain(""), "");
  std::vector<GresEntry> shard;
  ASSERT_TRUE(readGres("shard:h100:6(4/8,2/8)", shard));
  EXPECT_EQ(shard.at(0).perIndex, (std::vector<std::int32_t>{4, 2}));
  for (const auto* text : {":", "gpu:", "gpu:h100:4(", "gpu:4(IDX:3-1)", "gpu:4(IDX:99999999)", "gpu,,npu", "a:b:c:d",
                           "gpu:1(what)", "gpu=", "(null):1"})
    EXPECT_EQ(gresAgain(text), "refused") << text;
}

RC_GTEST_PROP(SlurmGres, RoundTrip, ()) {
  GresEntry entry;
  entry.name = *rc::gen::element<std::string>("gpu", "npu", "shard");
  entry.type = *rc::gen::element<std::string>("", "h100", "1g.10gb", "ascend910b");
  entry.indexed = *rc::gen::arbitrary<bool>();
  if (entry.indexed) entry.indices = *rc::gen::unique<std::vector<std::int32_t>>(rc::gen::inRange(0, 64));
  std::sort(entry.indices.begin(), entry.indices.end());
  entry.count = *rc::gen::inRange(0, 4096);
  std::vector<GresEntry> again;
  RC_ASSERT(readGres(gresText({entry, entry}), again));
  RC_ASSERT(again == (std::vector<GresEntry>{entry, entry}));
}

std::string tasksAgain(std::string_view text) {
  const auto tasks = parseTasks(text);
  return tasks ? fmt::format("{} = {}", tasksText(*tasks), tasks->count()) : "refused";
}

TEST(SlurmTasks, Texts) {
  EXPECT_EQ(tasksAgain("3-7%3"), "3-7%3 = 5");
  EXPECT_EQ(tasksAgain("1,5-9:2"), "1,5-9:2 = 4");
  EXPECT_EQ(tasksAgain("1,5-10:2"), "1,5-9:2 = 4");
  EXPECT_EQ(tasksAgain("[3-7%3]"), "3-7%3 = 5");
  EXPECT_EQ(tasksAgain("[0-3]"), "0-3 = 4");
  EXPECT_EQ(tasksAgain("1,3,5,..."), "1,3,5,... = 3");
  EXPECT_EQ(tasksAgain("0"), "0 = 1");
  for (const auto* text :
       {"", "%3", "3-1", "1-", "a", "1-5:0", "1:2", "1-5%", "1,,2", "...", "99999999", "[1", "1-2-3"})
    EXPECT_EQ(tasksAgain(text), "refused") << text;
  const auto tasks = parseTasks("1,5-9:2");
  for (const auto task : {1U, 5U, 7U, 9U}) EXPECT_TRUE(tasks->contains(task));
  for (const auto task : {0U, 2U, 6U, 11U}) EXPECT_FALSE(tasks->contains(task));
}

RC_GTEST_PROP(SlurmTasks, RoundTrip, ()) {
  TaskSet tasks;
  std::uint32_t at = 0;
  for (int i = *rc::gen::inRange(1, 12); i > 0; --i) {
    TaskRange range;
    range.first = at + *rc::gen::inRange<std::uint32_t>(0, 50);
    const auto extra = *rc::gen::inRange<std::uint32_t>(0, 20);
    range.step = extra == 0 ? 1 : *rc::gen::inRange<std::uint32_t>(1, 5);
    range.last = range.first + extra * range.step;
    at = range.last + 1;
    tasks.ranges.push_back(range);
  }
  if (*rc::gen::arbitrary<bool>()) tasks.throttle = *rc::gen::inRange<std::uint32_t>(0, 100);
  const auto again = parseTasks(tasksText(tasks));
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == tasks);
}

std::int64_t limitSeconds(std::string_view text) {
  TimeLimit limit;
  if (!readLimit(text, limit)) return -2;
  return limit.unlimited ? -1 : limit.span ? limit.span->count / 1000 : 0;
}

TEST(SlurmTimes, Limits) {
  EXPECT_EQ(limitSeconds("1-02:03:04"), 93'784);
  EXPECT_EQ(limitSeconds("02:03:04"), 7'384);
  EXPECT_EQ(limitSeconds("5:00"), 300);
  EXPECT_EQ(limitSeconds("UNLIMITED"), -1);
  EXPECT_EQ(limitSeconds("INFINITE"), -1);
  EXPECT_EQ(limitSeconds("infinite"), -1);
  for (const auto* text : {"", "Partition_Limit", "N/A", "INVALID"}) EXPECT_EQ(limitSeconds(text), 0) << text;
  for (const auto* text : {"5", "1-", "1-5", "a:b", "1:2:3:4", "99999999-00:00:00", "1:-1"})
    EXPECT_EQ(limitSeconds(text), -2) << text;
  EXPECT_EQ(limitText({90'000}), "00:02:00");
  EXPECT_EQ(limitText({93'784'000}), "1-02:04:00");
}

std::int64_t epoch(std::string_view text, std::optional<std::int32_t> offset = {}) {
  std::optional<TimePoint> moment;
  if (!readInstant(text, moment, offset)) return -2;
  return moment ? moment->msSinceEpoch / 1000 : 0;
}

TEST(SlurmTimes, Instants) {
  EXPECT_EQ(epoch("1796050473"), 1'796'050'473);
  for (const auto* text : {"", "Unknown", "None", "N/A", "(null)", "0", "4294967294"})
    EXPECT_EQ(epoch(text), 0) << text;
  EXPECT_EQ(epoch("2026-11-30T14:54:33", 0), 1'796'050'473);
  EXPECT_EQ(epoch("2026-11-30T22:54:33", 480), 1'796'050'473);
  EXPECT_EQ(epoch("2026-11-30T14:54:33"), -2) << "a local time without its zone is not guessed";
  for (const auto* text : {"tomorrow", "2026-13-30T14:54:33", "2026-02-30T14:54:33", "999999999999999999", "-5"})
    EXPECT_EQ(epoch(text, 0), -2) << text;
}

std::string exitText(std::string_view text, TopBit topBit) {
  std::optional<ExitCode> exit;
  if (!readExitCode(text, exit, topBit)) return "refused";
  if (!exit) return "unset";
  return fmt::format("{} {}{}", exit->code, exit->signal, exit->topBitUncertain ? " or 128 more" : "");
}

TEST(SlurmExit, Codes) {
  EXPECT_EQ(exitText("137:0", TopBit::kept), "137 0");
  EXPECT_EQ(exitText("9:0", TopBit::kept), "9 0");
  EXPECT_EQ(exitText("9:0", TopBit::lost), "9 0 or 128 more") << "exit 137 looks like this, and so does exit 9";
  EXPECT_EQ(exitText("0:15", TopBit::lost), "0 15");
  EXPECT_EQ(exitText("255:0", TopBit::lost), "255 0");
  EXPECT_EQ(exitText("", TopBit::kept), "unset");
  for (const auto* text : {"1", "256:0", "a:0", "1:", ":", "1:0:0"}) EXPECT_EQ(exitText(text, TopBit::kept), "refused");
  EXPECT_EQ(exitFromWaitStatus(768)->code, 3);
  EXPECT_EQ(exitFromWaitStatus(35'072)->code, 137);
  EXPECT_EQ(exitFromWaitStatus(9)->signal, 9);
  EXPECT_TRUE(exitFromWaitStatus(139)->coreDumped);
  EXPECT_FALSE(exitFromWaitStatus(4'294'967'294));
}

TEST(SlurmFiles, Names) {
  FileNameContext context;
  context.jobId = 128;
  context.user = "li";
  context.jobName = "train";
  context.workDir = "/home/li";
  const auto name = [&](std::string_view pattern) { return expandFileName(pattern, context).value_or("refused"); };
  EXPECT_EQ(name(""), "/home/li/slurm-128.out");
  EXPECT_EQ(name("job%4j.out"), "/home/li/job0128.out");
  EXPECT_EQ(name("%99j"), "/home/li/0000000128");
  EXPECT_EQ(name("/x/%u/%x-%J.%t.%n%%.%s"), "/x/li/train-128.0.0%.batch");
  EXPECT_EQ(name("%A_%a"), "/home/li/128_4294967294") << "Slurm's own name outside an array";
  EXPECT_EQ(name("%q%z%"), "/home/li/%q%z%");
  EXPECT_EQ(name(R"(a\%j)"), "/home/li/a%j");
  EXPECT_EQ(name("%N"), "refused");
  context.node = "n1.cluster.example";
  EXPECT_EQ(name("%N"), "/home/li/n1");
  context.arrayJobId = 120;
  context.arrayTaskId = 37;
  EXPECT_EQ(name(""), "/home/li/slurm-120_37.out");
  EXPECT_EQ(name("%A_%4a_%b"), "/home/li/120_0037_7");
  EXPECT_EQ(name(std::string(5000, 'x')), "refused");
}

}  // namespace
}  // namespace fairlead::codec::slurm
