#include <fairlead/obs/errors.hpp>
#include <fairlead/obs/log.hpp>
#include <fairlead/obs/testing/capture_sink.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace fairlead::obs {
namespace {

struct WorkloadTag {
  static constexpr std::string_view prefix = "w";
};

const TimePoint kNow{1'796'063'488'000};  // 2026-11-30T18:31:28Z

std::string line(LogFormat format, std::string_view message, std::vector<Field> fields = {}) {
  return formatRecord({kNow, LogLevel::info, message, fields}, format);
}

/// A folder of its own, removed at the end.
class LogFile : public ::testing::Test {
 protected:
  LogFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fairlead-log-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~LogFile() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(std::string_view name) const { return folder_ + "/" + std::string(name); }
  [[nodiscard]] static std::string content(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::string folder_;
};

TEST(LogFormat, textIsOneReadableLine) {
  EXPECT_EQ(line(LogFormat::text, "attempt started",
                 {{kWorkloadKey, Id<WorkloadTag>{7}}, {"pid", 12}, {"command", "python train.py"}, {"gang", true}}),
            "2026-11-30T18:31:28.000Z info  attempt started workload=" + toText(Id<WorkloadTag>{7}) +
                " pid=12 command=\"python train.py\" gang=true");
}

TEST(LogFormat, jsonIsOneObjectALine) {
  EXPECT_EQ(
      line(LogFormat::json, "said \"no\"", {{"pid", -1}, {"ok", false}, {"time", "x"}, {"grace", Milliseconds{1500}}}),
      R"({"time":"2026-11-30T18:31:28.000Z","level":"info","message":"said \"no\"","pid":-1,"ok":false,"time_":"x","grace":"1s500ms"})");
}

TEST(LogFormat, untrustedValuesCannotBreakTheLine) {
  const std::string hostile = "a\nlevel=error \x1b[31m\xff\xc0\x80";
  const auto text = line(LogFormat::text, "x", {{"name", hostile}});
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_TRUE(isUtf8(text));
  EXPECT_TRUE(line(LogFormat::json, "x", {{"name", hostile}})
                  .ends_with(R"("name":"a\\x0alevel=error \\x1b[31m\\xff\\xc0\\x80"})"));
}

TEST(LogFormat, sizesAreBounded) {
  const std::vector<Field> many(1000, Field{"key", std::string(100'000, 'a')});
  EXPECT_LT(line(LogFormat::json, std::string(1'000'000, 'm'), many).size(), 200'000U);
}

TEST(LogFormat, aSecretIsNeverShown) {
  for (const auto format : {LogFormat::text, LogFormat::json}) {
    const auto text = line(format, "login", {{"token", Secret("hunter2")}});
    EXPECT_EQ(text.find("hunter2"), std::string::npos);
    EXPECT_NE(text.find("***"), std::string::npos);
  }
}

TEST(LogFormat, numbersOverInt64StayExact) {
  EXPECT_TRUE(line(LogFormat::text, "x", {{"n", std::uint64_t{18'446'744'073'709'551'615U}}})
                  .ends_with("n=18446744073709551615"));
}

RC_GTEST_PROP(LogFormat, anyBytesGiveOneLineOfValidUtf8, (const std::string& message, const std::string& value)) {
  for (const auto format : {LogFormat::text, LogFormat::json}) {
    const auto text = line(format, message, {{"value", value}});
    RC_ASSERT(isUtf8(text));
    for (const char c : text) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20);
  }
}

TEST(Logger, contextFieldsAreOnEveryLineAndTheCallWins) {
  const ManualClock clock(kNow);
  const auto sink = std::make_shared<testing::CaptureSink>();
  const auto log =
      Logger(sink, clock).with({{kModuleKey, "control"}, {kRequestKey, "r1"}}).with({{kWorkloadKey, "w-1"}});
  log.info("one");
  log.info("two", {{kRequestKey, "r2"}});
  const auto lines = sink->lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[0].ends_with("one module=control request=r1 workload=w-1"));
  EXPECT_TRUE(lines[1].ends_with("two module=control workload=w-1 request=r2"));
}

TEST(Logger, levelIsSharedByAllChildrenAndCanChange) {
  const ManualClock clock(kNow);
  const auto sink = std::make_shared<testing::CaptureSink>();
  const Logger root(sink, clock, LogLevel::warn);
  const auto child = root.with({{"a", 1}});
  child.info("quiet");
  root.setLevel(LogLevel::debug);
  child.debug("loud");
  ASSERT_EQ(sink->lines().size(), 1U);
  EXPECT_TRUE(sink->contains({"loud", "a=1"}));
}

TEST(Logger, aDefaultLoggerIsSilentAndSafe) {
  const Logger log;
  log.with({{"a", 1}}).error("nobody hears this");
  log.setLevel(LogLevel::debug);
  EXPECT_FALSE(log.enabled(LogLevel::error));
}

TEST_F(LogFile, linesAreAppendedAndReopenFollowsLogrotate) {
  const ManualClock clock(kNow);
  const auto sink = openLogSink({LogFormat::json, path("log")}).value();
  const Logger log(sink, clock);
  log.info("before");
  std::filesystem::rename(path("log"), path("log.1"));
  log.info("still the old file");
  ASSERT_TRUE(sink->reopen());
  log.info("after");
  EXPECT_NE(content(path("log.1")).find("still the old file"), std::string::npos);
  EXPECT_NE(content(path("log")).find("after"), std::string::npos);
  EXPECT_EQ(content(path("log")).find("before"), std::string::npos);
}

TEST_F(LogFile, linesOfManyThreadsStayWhole) {
  const ManualClock clock(kNow);
  const Logger log(openLogSink({LogFormat::text, path("log")}).value(), clock);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&log, t] {
      for (int i = 0; i < 200; ++i) log.info("line", {{"thread", t}, {"text", std::string(200, 'x')}});
    });
  for (auto& thread : threads) thread.join();
  std::ifstream in(path("log"));
  int lines = 0;
  for (std::string text; std::getline(in, text); ++lines) EXPECT_TRUE(text.ends_with(std::string(200, 'x')));
  EXPECT_EQ(lines, 800);
}

TEST_F(LogFile, aFileThatCannotBeOpenedIsAnErrorThatNamesIt) {
  std::ofstream(path("plain")) << "not a folder";
  const auto sink = openLogSink({LogFormat::text, path("plain/log")});
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().code, &kLogFileNotOpened);
  EXPECT_NE(sink.error().message.find("plain/log"), std::string::npos);
}

TEST_F(LogFile, aFullDiskCostsLinesNotTheProcess) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full here";
  const ManualClock clock(kNow);
  const auto sink = openLogSink({LogFormat::text, "/dev/full"}).value();
  const Logger log(sink, clock);
  for (int i = 0; i < 100; ++i) log.error("lost", {{"text", std::string(1000, 'x')}});
  EXPECT_GT(sink->dropped(), 0);
}

}  // namespace
}  // namespace fairlead::obs
