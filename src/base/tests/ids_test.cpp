#include <fairlead/base/ids.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace fairlead {
namespace {

struct WorkloadTag {
  static constexpr std::string_view prefix = "w";
};

RC_GTEST_PROP(Ids, everyNumberComesBackFromItsText, ()) {
  const auto n = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 50);
  RC_ASSERT(decodeSequence(encodeSequence(n)) == n);
}

TEST(Ids, textsOfTheFirstNumbersAreDistinctAndShort) {
  std::set<std::string> texts;
  for (std::uint64_t n = 0; n < 100'000; ++n) texts.insert(encodeSequence(n));
  EXPECT_EQ(texts.size(), 100'000U);
  EXPECT_EQ(texts.begin()->size(), 5U);
}

TEST(Ids, lengthGrowsWhenFiveCharactersAreUsedUp) {
  EXPECT_EQ(encodeSequence((1U << 25) - 1).size(), 5U);
  EXPECT_EQ(encodeSequence(1U << 25).size(), 6U);
  EXPECT_EQ(decodeSequence(encodeSequence(1U << 25)), 1U << 25);
}

TEST(Ids, onlyTheWholeTypedTextIsAnId) {
  const auto text = toText(Id<WorkloadTag>{7});
  EXPECT_EQ(parseId<WorkloadTag>(text), Id<WorkloadTag>{7});
  for (std::string wrong : {std::string("x") + text.substr(1), text.substr(0, 4), std::string("w-"), std::string(""),
                            text + "!", std::string("w-iiiii"), std::string("w-") + encodeSequence(0)})
    EXPECT_FALSE(parseId<WorkloadTag>(wrong)) << wrong;
}

}  // namespace
}  // namespace fairlead
