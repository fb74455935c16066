#include <fairlead/obs/log_limit.hpp>

#include <gtest/gtest.h>

namespace fairlead::obs {
namespace {

TEST(LogLimit, oneAnIntervalPassesAndSaysHowManyDidNot) {
  LogLimit limit(Milliseconds{1000});
  EXPECT_TRUE(limit.pass("a", Milliseconds{0}));
  for (int i = 1; i <= 9; ++i) EXPECT_FALSE(limit.pass("a", Milliseconds{i * 100}));
  const auto pass = limit.pass("a", Milliseconds{1000});
  ASSERT_TRUE(pass);
  EXPECT_EQ(pass->suppressed, 9);
  EXPECT_EQ(limit.pass("a", Milliseconds{2500})->suppressed, 0);
}

TEST(LogLimit, keysDoNotDisturbEachOther) {
  LogLimit limit(Milliseconds{1000});
  EXPECT_TRUE(limit.pass("a", Milliseconds{0}));
  EXPECT_TRUE(limit.pass("b", Milliseconds{0}));
  EXPECT_FALSE(limit.pass("a", Milliseconds{1}));
}

TEST(LogLimit, manyKeysAreForgottenOldestFirst) {
  LogLimit limit(Milliseconds{1'000'000});
  for (int i = 0; i <= 1024; ++i) EXPECT_TRUE(limit.pass("key" + std::to_string(i), Milliseconds{i}));
  EXPECT_FALSE(limit.pass("key1024", Milliseconds{2000}));
  EXPECT_TRUE(limit.pass("key0", Milliseconds{2000})) << "the oldest had to go";
}

}  // namespace
}  // namespace fairlead::obs
