// Units, enums, clocks, secrets, errors: the small values of base.
#include <fairlead/base/clock.hpp>
#include <fairlead/base/enum_text.hpp>
#include <fairlead/base/result.hpp>
#include <fairlead/base/secret.hpp>
#include <fairlead/base/units.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

namespace fairlead {

enum class Colour { red, green, blue };
template <>
inline constexpr auto kEnumNames<Colour> = std::to_array<std::pair<Colour, std::string_view>>(
    {{Colour::red, "red"}, {Colour::green, "green"}, {Colour::blue, "blue"}});

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr ErrorCode kWrong{"test/wrong", ErrorKind::invalid, "Wrong."};

TEST(Units, areExactIntegers) {
  EXPECT_EQ((Bytes{3} + Bytes{4}) * 2, Bytes{14});
  EXPECT_EQ(MilliDevices{500} * Milliseconds{7'200'000}, MicroDeviceSeconds{kMicroDeviceSecondsPerDeviceHour});
  EXPECT_EQ(TimePoint{5'000} - TimePoint{2'000}, Milliseconds{3'000});
  EXPECT_LT(Bytes{-1}, Bytes{0});
}

TEST(Units, anOverflowEndsTheProcess) {
  EXPECT_DEATH((void)(Bytes{kMost} + Bytes{1}), "quantity overflow");
  EXPECT_DEATH((void)(Bytes{-kMost} - Bytes{2}), "quantity overflow");
  EXPECT_DEATH((void)(Bytes{kMost} * 2), "quantity overflow");
  EXPECT_DEATH((void)(MilliDevices{kMost} * Milliseconds{2}), "quantity overflow");
  EXPECT_DEATH((void)(TimePoint{kMost} + Milliseconds{1}), "quantity overflow");
}

TEST(Enums, haveOneTableForBothWays) {
  for (const auto& [value, name] : kEnumNames<Colour>) {
    EXPECT_EQ(toText(value), name);
    EXPECT_EQ(parseEnum<Colour>(name), value);
  }
  EXPECT_FALSE(parseEnum<Colour>("Red"));
  EXPECT_FALSE(parseEnum<Colour>(""));
  EXPECT_EQ(enumChoices<Colour>(), "red, green or blue");
  EXPECT_DEATH((void)toText(static_cast<Colour>(9)), "without a name");
}

TEST(Clocks, theManualOneMovesWhenTold) {
  ManualClock clock(TimePoint{1'000});
  clock.advance(Milliseconds{500});
  EXPECT_EQ(clock.now(), TimePoint{1'500});
  EXPECT_EQ(clock.monotonic(), Milliseconds{1'500});
}

TEST(Clocks, theMachinesMonotonicOneNeverGoesBack) {
  const SystemClock clock;
  EXPECT_GT(clock.now(), TimePoint{1'700'000'000'000});
  auto before = clock.monotonic();
  for (int i = 0; i < 1000; ++i) {
    const auto after = clock.monotonic();
    EXPECT_GE(after, before);
    before = after;
  }
}

TEST(Secrets, areSeenOnlyThroughReveal) {
  const Secret token("hunter2");
  std::ostringstream out;
  out << token;
  EXPECT_EQ(out.str(), "***");
  EXPECT_EQ(toText(token), "***");
  EXPECT_EQ(token.reveal(), "hunter2");
  EXPECT_EQ(::testing::PrintToString(token), "***");
}

TEST(Secrets, matchWholeTextsOnly) {
  const Secret token("hunter2");
  EXPECT_TRUE(token.matches("hunter2"));
  for (const std::string_view wrong : {"", "hunter", "hunter22", "Hunter2", "hunter3"})
    EXPECT_FALSE(token.matches(wrong));
}

TEST(Secrets, leaveNothingBehindWhenMoved) {
  Secret token("hunter2");
  const Secret moved = std::move(token);
  EXPECT_TRUE(token.empty());  // NOLINT(bugprone-use-after-move): what is left is the point
  EXPECT_EQ(moved.reveal(), "hunter2");
  Secret assigned("another, longer one");
  assigned = moved;
  EXPECT_EQ(assigned.reveal(), "hunter2");
}

TEST(Errors, sayFieldMessageAndRemedyInOneLine) {
  Error error = fail(kWrong, "must be at least 1", "leave it out for 1").value();
  EXPECT_EQ(toText(error), "must be at least 1 (leave it out for 1)");
  error.field = "spec.roles[0].count";
  error.remedy.clear();
  EXPECT_EQ(toText(error), "spec.roles[0].count: must be at least 1");
  EXPECT_EQ(error.token(), "test/wrong");
  EXPECT_EQ(error.kind(), ErrorKind::invalid);
}

}  // namespace
}  // namespace fairlead
