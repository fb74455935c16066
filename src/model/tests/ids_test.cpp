#include <fairlead/model/ids.hpp>

#include <gtest/gtest.h>

namespace fairlead::model {
namespace {

TEST(IntentIds, comeBackFromTheirText) {
  for (const IntentId id : {IntentId{{1}, IntentKind::start, 0}, IntentId{{77}, IntentKind::stop, 3},
                            IntentId{{1'000'000'000}, IntentKind::signal, 4'000'000'000U}})
    EXPECT_EQ(parseIntentId(toText(id)), id) << toText(id);
}

TEST(IntentIds, onlyTheOneTextOfAnIdIsTaken) {
  const auto attempt = toText(AttemptId{9});
  for (const auto& wrong : {attempt, attempt + ".", attempt + ".start.0", attempt + ".stop", attempt + ".stop.01",
                            attempt + ".stop.+1", attempt + ".stop.1/..", attempt + ".run.1", std::string("../.start")})
    EXPECT_FALSE(parseIntentId(wrong)) << wrong;
}

}  // namespace
}  // namespace fairlead::model
