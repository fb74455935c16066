#include <fairlead/store/errors.hpp>
#include <fairlead/store/memory.hpp>
#include <fairlead/store/testing/rows.hpp>

#include <gtest/gtest.h>

namespace fairlead::store {
namespace {

control::ChangeSet oneEvent(std::uint64_t n) {
  control::ChangeSet set;
  set.events = {testing::sampleEvent(n)};
  return set;
}

TEST(MemoryStore, FailsTheCommitsItWasToldTo) {
  auto store = makeMemoryStore();
  store->failNextCommit(2);
  for (int i = 0; i < 2; ++i) {
    const auto done = store->commit(oneEvent(1));
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().token(), kDiskFull.token);
  }
  EXPECT_TRUE(testing::allEvents(*store).empty());
  EXPECT_EQ(store->commits(), 0U);
  EXPECT_TRUE(store->commit(oneEvent(1)).has_value());
  EXPECT_EQ(testing::allEvents(*store).size(), 1U);
  EXPECT_EQ(store->commits(), 1U);
}

TEST(MemoryStore, FailsWithTheErrorGiven) {
  auto store = makeMemoryStore();
  store->failNextCommit(Error{&kIo, "the cable is out", {}, {}, {}});
  const auto done = store->commit(oneEvent(1));
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().message, "the cable is out");
  EXPECT_EQ(done.error().token(), kIo.token);
}

}  // namespace
}  // namespace fairlead::store
