#include <fairlead/auth/directory.hpp>
#include <fairlead/auth/errors.hpp>
#include <fairlead/auth/principals.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <pwd.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace fairlead::auth {
namespace {

using ::testing::Contains;

/// A user database that can change and fail.
struct FakeUsers {
  std::map<std::uint32_t, UserEntry> users{{1000, {"alice", {"dev", "nlp-users"}}}, {0, {"root", {"root"}}}};
  bool down = false;
  int asked = 0;

  [[nodiscard]] UserLookup lookup() {
    return [this](std::uint32_t uid) -> Result<UserEntry> {
      ++asked;
      if (down) return fail(kUserLookupFailed, "down");
      const auto found = users.find(uid);
      if (found == users.end()) return fail(kUnknownUser, "unknown");
      return found->second;
    };
  }
};

PeerOptions options() {
  PeerOptions o;
  o.siteAdminUids = {0};
  o.siteAdminGroups = {"wheel"};
  return o;
}

TEST(PeerResolver, makesAPrincipalFromAUid) {
  FakeUsers users;
  const ManualClock clock({1});
  PeerResolver peers(options(), clock, users.lookup());
  const auto who = peers.principalOf(1000);
  ASSERT_TRUE(who);
  EXPECT_EQ(who->name, "alice");
  EXPECT_EQ(who->unixUser, "alice");
  EXPECT_THAT(who->groups, Contains("nlp-users"));
  EXPECT_FALSE(who->siteAdmin);
  EXPECT_EQ(who->how, "unix peer uid 1000");
  EXPECT_TRUE(peers.principalOf(0)->siteAdmin);
}

TEST(PeerResolver, aGroupCanMakeSiteAdmins) {
  FakeUsers users;
  users.users[1000].groups.push_back("wheel");
  const ManualClock clock({1});
  EXPECT_TRUE(PeerResolver(options(), clock, users.lookup()).principalOf(1000)->siteAdmin);
}

TEST(PeerResolver, failsClosedForAUidWithoutAName) {
  FakeUsers users;
  const ManualClock clock({1});
  const auto who = PeerResolver(options(), clock, users.lookup()).principalOf(4242);
  ASSERT_FALSE(who);
  EXPECT_EQ(who.error().code, &kUnknownUser);
}

TEST(PeerResolver, remembersForAWhileAndThenSeesAChange) {
  FakeUsers users;
  ManualClock clock({1});
  PeerResolver peers(options(), clock, users.lookup());
  ASSERT_TRUE(peers.principalOf(1000));
  users.users[1000].groups.clear();
  clock.advance({59'999});
  EXPECT_FALSE(peers.principalOf(1000)->groups.empty());
  EXPECT_EQ(users.asked, 1);
  clock.advance({1});
  EXPECT_TRUE(peers.principalOf(1000)->groups.empty());
  users.users.erase(1000);
  clock.advance({60'000});
  EXPECT_FALSE(peers.principalOf(1000)) << "a deleted user is out";
  users.users[1000] = {"alice", {}};
  clock.advance({5'000});
  EXPECT_TRUE(peers.principalOf(1000));
}

TEST(PeerResolver, goesOnWithKnownUsersWhileTheDatabaseIsDownButNotForEver) {
  FakeUsers users;
  ManualClock clock({1});
  PeerResolver peers(options(), clock, users.lookup());
  ASSERT_TRUE(peers.principalOf(1000));
  users.down = true;
  clock.advance({300'000});
  EXPECT_TRUE(peers.principalOf(1000));
  const auto other = peers.principalOf(0);
  ASSERT_FALSE(other) << "whom it never knew it does not let in";
  EXPECT_EQ(other.error().code, &kUserLookupFailed);
  clock.advance({300'000});
  EXPECT_FALSE(peers.principalOf(1000));
  users.down = false;
  EXPECT_TRUE(peers.principalOf(1000)) << "a failed lookup is not remembered";
}

TEST(PeerResolver, servesManyThreads) {
  std::atomic<int> asked = 0;
  const ManualClock clock({1});
  PeerResolver peers(options(), clock, [&asked](std::uint32_t uid) -> Result<UserEntry> {
    ++asked;
    return UserEntry{"u" + std::to_string(uid), {}};
  });
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (std::uint32_t uid = 0; uid < 200; ++uid)
        if (peers.principalOf(uid)->name != "u" + std::to_string(uid)) ++wrong;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(asked, 200);
}

TEST(LookupUser, knowsThisUserAndNotOneThatIsNotThere) {
  const auto* self = ::getpwuid(::geteuid());
  if (self == nullptr) GTEST_SKIP() << "this uid has no name here";
  const auto entry = lookupUser(::geteuid());
  ASSERT_TRUE(entry) << entry.error().message;
  EXPECT_EQ(entry->name, self->pw_name);
  EXPECT_FALSE(entry->groups.empty());
  EXPECT_TRUE(std::is_sorted(entry->groups.begin(), entry->groups.end()));
  const auto nobody = lookupUser(3'999'999'999U);
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().kind(), ErrorKind::denied);
}

TEST(StandardPeerOptions, takeRootAndTheDaemonsUser) {
  const auto standard = standardPeerOptions();
  EXPECT_THAT(standard.siteAdminUids, Contains(0U));
  EXPECT_THAT(standard.siteAdminUids, Contains(::geteuid()));
  EXPECT_TRUE(standard.siteAdminGroups.empty());
}

TEST(Directory, answersForPeersAndTokens) {
  FakeUsers users;
  const ManualClock clock({1});
  const Directory directory(ProjectTable::standard("alice"), {},
                            std::make_shared<PeerResolver>(options(), clock, users.lookup()));
  const auto alice = directory.fromPeer(1000).value();
  EXPECT_TRUE(directory.may(alice, Action::workloadSubmit, "default"));
  EXPECT_EQ(directory.authorize(alice, Action::projectChange, "default").rule, "role admin of project default");
  EXPECT_FALSE(directory.fromPeer(4242));
  EXPECT_FALSE(directory.fromToken("x", {1}));
}

}  // namespace
}  // namespace fairlead::auth
