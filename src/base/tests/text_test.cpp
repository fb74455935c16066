#include <fairlead/base/text.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <limits>

namespace fairlead {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kTenYears = 3650LL * 86'400'000;
constexpr std::int64_t kEndOfYear9999 = 253'402'300'799'999;

TEST(Durations, areReadAsPeopleWriteThem) {
  for (const auto& [text, ms] :
       std::initializer_list<std::pair<std::string_view, std::int64_t>>{{"0s", 0},
                                                                        {"250ms", 250},
                                                                        {"90s", 90'000},
                                                                        {"3h12m", 11'520'000},
                                                                        {"1d2h", 93'600'000},
                                                                        {"1d1h1m1s1ms", 90'061'001},
                                                                        {"3650d", kTenYears},
                                                                        {"007m", 420'000}})
    EXPECT_EQ(parseDuration(text), Milliseconds{ms}) << text;
}

TEST(Durations, everythingElseIsRefused) {
  for (const std::string_view text :
       {"", "s", "5", "-5s", "+5s", "1.5h", "5 s", " 5s", "5s ", "5S", "1m1h", "1s1s", "5sec", "1h30", "3651d",
        "3650d1ms", "99999999999999999999s", "9223372036854775807h", "5\xC2\xB5s"})
    EXPECT_FALSE(parseDuration(text)) << text;
}

RC_GTEST_PROP(Durations, everySpanComesBackFromItsText, ()) {
  const Milliseconds span{*rc::gen::inRange<std::int64_t>(0, kTenYears + 1)};
  RC_ASSERT(parseDuration(toText(span)) == span);
}

TEST(Durations, extremesPrintWithoutOverflow) {
  EXPECT_EQ(toText(Milliseconds{-1500}), "-1s500ms");
  EXPECT_EQ(toText(Milliseconds{kLowest}), "-106751991167d7h12m55s808ms");
}

TEST(Durations, shortTextsShowTheTwoLargestUnits) {
  for (const auto& [seconds, text] :
       std::initializer_list<std::pair<std::int64_t, std::string_view>>{{-5, "0s"},
                                                                        {0, "0s"},
                                                                        {12, "12s"},
                                                                        {60, "1m00s"},
                                                                        {599, "9m59s"},
                                                                        {600, "10m"},
                                                                        {3599, "59m"},
                                                                        {10'920, "3h02m"},
                                                                        {86'399, "23h59m"},
                                                                        {86'400, "1d00h"},
                                                                        {864'000, "10d"}})
    EXPECT_EQ(toShortText(Milliseconds{seconds * 1000}), text);
}

TEST(ByteSizes, areReadAsPeopleWriteThem) {
  for (const auto& [text, count] :
       std::initializer_list<std::pair<std::string_view, std::int64_t>>{{"0", 0},
                                                                        {"0B", 0},
                                                                        {"1048576", 1 << 20},
                                                                        {"64GiB", 64LL << 30},
                                                                        {"64Gi", 64LL << 30},
                                                                        {"512M", 512'000'000},
                                                                        {"1.5GiB", 3LL << 29},
                                                                        {"0.001K", 1},
                                                                        {"1024PiB", 1LL << 60},
                                                                        {"1P", 1'000'000'000'000'000}})
    EXPECT_EQ(parseBytes(text), Bytes{count}) << text;
}

TEST(ByteSizes, everythingElseIsRefused) {
  for (const std::string_view text :
       {"", "B", "GiB", "-1", "1.", ".5G", "1.2345K", "0.0001K", "1.5", "64 GiB", "64gib", "64GIB", "64GiBB", "1e9",
        "1025PiB", "9223372036854775807PiB", "99999999999999999999", "0x10"})
    EXPECT_FALSE(parseBytes(text)) << text;
}

RC_GTEST_PROP(ByteSizes, everySizeComesBackFromItsText, ()) {
  const auto shift = *rc::gen::inRange(0, 41);
  const Bytes bytes{*rc::gen::inRange<std::int64_t>(0, (1LL << 20) + 1) << shift};
  RC_ASSERT(parseBytes(toText(bytes)) == bytes);
}

TEST(ByteSizes, printTheLargestUnitThatDivides) {
  EXPECT_EQ(toText(Bytes{0}), "0B");
  EXPECT_EQ(toText(Bytes{1500}), "1500B");
  EXPECT_EQ(toText(Bytes{1536}), "1536B");
  EXPECT_EQ(toText(Bytes{64LL << 30}), "64GiB");
  EXPECT_EQ(toText(Bytes{1LL << 60}), "1024PiB");
}

TEST(Thousandths, areExact) {
  EXPECT_EQ(parseThousandths("0.5"), 500);
  EXPECT_EQ(parseThousandths("32"), 32'000);
  EXPECT_EQ(parseThousandths("0.125"), 125);
  EXPECT_EQ(parseThousandths("1000000000"), 1'000'000'000'000);
  for (const std::string_view text :
       {"", ".5", "0.", "0.1234", "-1", "+1", "1e3", "1,5", "0.5x", "1000000001", "99999999999999999999"})
    EXPECT_FALSE(parseThousandths(text)) << text;
}

RC_GTEST_PROP(Thousandths, everyNumberComesBackFromItsText, ()) {
  const auto value = *rc::gen::inRange<std::int64_t>(0, 1'000'000'000'001);
  RC_ASSERT(parseThousandths(thousandthsToText(value)) == value);
}

TEST(Times, areReadWithAnyOffset) {
  for (const auto& [text, ms] : std::initializer_list<std::pair<std::string_view, std::int64_t>>{
           {"1970-01-01T00:00:00Z", 0},
           {"2026-11-30T18:31:28.000Z", 1'796'063'488'000},
           {"2026-12-01T02:31:28+08:00", 1'796'063'488'000},
           {"2026-11-30t18:31:28z", 1'796'063'488'000},
           {"2026-11-30 18:31:28Z", 1'796'063'488'000},
           {"1970-01-01T00:00:00.123456789Z", 123},
           {"1970-01-01T00:00:00-01:30", 5'400'000},
           {"2024-02-29T00:00:00Z", 1'709'164'800'000},
           {"2016-12-31T23:59:60Z", 1'483'228'800'000},
           {"9999-12-31T23:59:59.999Z", kEndOfYear9999}})
    EXPECT_EQ(parseTime(text), TimePoint{ms}) << text;
}

TEST(Times, everythingElseIsRefused) {
  for (const std::string_view text :
       {"", "2026-11-30", "2026-11-30T18:31Z", "2026-11-30T18:31:28", "2026-11-30T24:00:00Z", "2026-11-30T18:60:00Z",
        "2026-11-30T18:31:61Z", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-10T00:00:00Z",
        "1969-12-31T23:59:59Z", "26-11-30T18:31:28Z", "2026-11-30T18:31:28.Z", "2026-11-30T18:31:28.1234567890Z",
        "2026-11-30T18:31:28+8:00", "2026-11-30T18:31:28+24:00", "2026-11-30T18:31:28Zx"})
    EXPECT_FALSE(parseTime(text)) << text;
}

TEST(Times, anOffsetDoesNotLeadOutOfTheYears) {
  EXPECT_FALSE(parseTime("1970-01-01T00:00:00+05:00"));
  EXPECT_FALSE(parseTime("9999-12-31T23:59:59-01:00"));
  EXPECT_FALSE(parseTime("9999-12-31T23:59:60Z"));
}

RC_GTEST_PROP(Times, everyMomentComesBackFromItsText, ()) {
  const TimePoint moment{*rc::gen::inRange<std::int64_t>(0, kEndOfYear9999 + 1)};
  RC_ASSERT(parseTime(toText(moment)) == moment);
}

TEST(Money, isRoundedToCentsAndGrouped) {
  EXPECT_EQ(moneyText(MicroCurrency{2'560'000'000}, "USD"), "$2,560.00");
  EXPECT_EQ(moneyText(MicroCurrency{12'500'000}, "CNY"), "12.50 CNY");
  EXPECT_EQ(moneyText(MicroCurrency{-1'005'000}, "EUR"), "-€1.01");
  EXPECT_EQ(moneyText(MicroCurrency{-4'999}, "USD"), "$0.00") << "nothing is not less than nothing";
  EXPECT_EQ(moneyText(MicroCurrency{kLowest}, "GBP"), "-£9,223,372,036,854.78");
}

TEST(DeviceHours, haveOneDecimalAndGroups) {
  EXPECT_EQ(deviceHoursText(MicroDeviceSeconds{0}), "0.0");
  EXPECT_EQ(deviceHoursText(MicroDeviceSeconds{1024 * kMicroDeviceSecondsPerDeviceHour}), "1 024.0");
  EXPECT_EQ(deviceHoursText(MicroDeviceSeconds{kMicroDeviceSecondsPerDeviceHour / 20}), "0.1");
  EXPECT_EQ(deviceHoursText(MicroDeviceSeconds{-kMicroDeviceSecondsPerDeviceHour}), "-1.0");
}

TEST(Utf8, isToldFromOtherBytes) {
  for (const std::string_view text : {"", "a", "é", "资源", "😀", "\x7F"}) EXPECT_TRUE(isUtf8(text)) << text;
  for (const std::string_view text :
       {"\x80", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xE8\xB5"})
    EXPECT_FALSE(isUtf8(text));
}

TEST(Printable, escapesAndCutsBetweenCharacters) {
  EXPECT_EQ(printable("a\nb\x1b\xff"), "a\\x0ab\\x1b\\xff");
  EXPECT_EQ(printable("资源池", 6), "资源...");
  EXPECT_EQ(printable("资源池", 8), "资源...");
  EXPECT_EQ(printable("资源池", 9), "资源池");
}

RC_GTEST_PROP(Printable, anyBytesBecomeShortValidText, (const std::string& bytes)) {
  const auto shown = printable(bytes, 20);
  RC_ASSERT(shown.size() <= 23U);
  RC_ASSERT(isUtf8(shown));
  RC_ASSERT(std::none_of(shown.begin(), shown.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }));
}

TEST(Nearest, findsTheWordThatWasMeant) {
  constexpr std::array<std::string_view, 3> kLevels{"device-link", "node", "rack"};
  EXPECT_EQ(nearest("rak", kLevels), "rack");
  EXPECT_EQ(nearest("ndoe", kLevels), "node");
  EXPECT_EQ(nearest("building", kLevels), std::nullopt);
  EXPECT_EQ(nearest(std::string(100'000, 'a'), kLevels), std::nullopt);
}

RC_GTEST_PROP(EditDistance, isAMetric, ()) {
  const auto word = rc::gen::container<std::string>(rc::gen::elementOf(std::string("abc")));
  const auto a = *word;
  const auto b = *word;
  const auto c = *word;
  RC_PRE(a.size() <= 64 && b.size() <= 64 && c.size() <= 64);
  RC_ASSERT(editDistance(a, a) == 0);
  RC_ASSERT(editDistance(a, b) == editDistance(b, a));
  RC_ASSERT(editDistance(a, c) <= editDistance(a, b) + editDistance(b, c));
}

}  // namespace
}  // namespace fairlead
