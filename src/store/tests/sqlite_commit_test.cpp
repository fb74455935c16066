// What may go wrong while the store is used: no space, sudden death, a log that grows.
#include "in_child.hpp"
#include "sqlite_fixture.hpp"

#include <fairlead/store/errors.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <random>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fairlead::store {
namespace {

using ::testing::HasSubstr;

class SqliteCommit : public SqliteTest {
 protected:
  /// Commits until one fails; the number of those that succeeded. `error`: of the one that failed.
  static std::uint64_t commitUntilFull(control::StorePort& store, std::uint64_t first, Error& error) {
    for (std::uint64_t n = first; n < first + 10'000; ++n) {
      auto done = store.commit(submission(n, 20'000));
      if (done) continue;
      error = done.error();
      return n - 1;
    }
    return 0;
  }
};

TEST_F(SqliteCommit, ALimitOnTheFileFailsCommitsAndLosesNothing) {
  std::uint64_t committed = 0;
  Error error;
  {
    auto store = open({.path = path(), .maxBytes = 1 << 20});
    ASSERT_TRUE(store.has_value()) << toText(store.error());
    committed = commitUntilFull(**store, 1, error);
    ASSERT_GT(committed, 5U);
    EXPECT_EQ(error.token(), kDiskFull.token);
    EXPECT_THAT(error.message, HasSubstr(path()));
    EXPECT_THAT(error.remedy, HasSubstr("free space"));
    EXPECT_EQ(testing::loadAll(**store).workloads.size(), committed);
    EXPECT_EQ(testing::allAudits(**store).size(), committed);
    control::ChangeSet small;  // what needs no new page still goes
    small.dropEventsBefore = committed;
    EXPECT_TRUE((*store)->commit(small).has_value());
  }
  auto store = open();  // without the limit
  ASSERT_TRUE(store.has_value()) << toText(store.error());
  EXPECT_EQ(testing::loadAll(**store).workloads.size(), committed);
  EXPECT_TRUE((*store)->commit(submission(committed + 1, 20'000)).has_value());
}

/// A disk of 2 MiB, mounted where only the child sees it. Empty: this user may not.
bool mountSmallDisk(const std::filesystem::path& folder) {
  const int spaces = ::geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;
  return ::unshare(spaces) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("small", folder.c_str(), "tmpfs", 0, "size=2m,mode=0700") == 0;
}

TEST_F(SqliteCommit, AFullDiskFailsCommitsUntilThereIsSpaceAgain) {
  const auto told = inChild([this]() -> std::string {
    if (!mountSmallDisk(folder_)) return "no mount";
    auto store = open();
    if (!store) return toText(store.error());
    Error error;
    const auto committed = commitUntilFull(**store, 1, error);
    if (error.token() != kDiskFull.token) return toText(error);
    if (testing::loadAll(**store).workloads.size() != committed) return "rows were lost";
    if (::mount("small", folder_.c_str(), nullptr, MS_REMOUNT, "size=16m") != 0) return "no remount";
    for (std::uint64_t n = committed + 1; n <= committed + 50; ++n)
      if (auto done = (*store)->commit(submission(n, 20'000)); !done) return toText(done.error());
    store->reset();
    store = open();
    if (!store) return toText(store.error());
    return testing::loadAll(**store).workloads.size() == committed + 50 ? "all there" : "rows were lost at the end";
  });
  if (told == "no mount") GTEST_SKIP() << "this user may not mount";
  EXPECT_EQ(told, "all there");
}

TEST_F(SqliteCommit, ADiskTooSmallForTheSchemaStartsNothing) {
  const auto told = inChild([this]() -> std::string {
    if (!mountSmallDisk(folder_)) return "no mount";
    if (::mount("small", folder_.c_str(), nullptr, MS_REMOUNT, "size=48k") != 0) return "no remount";
    if (auto token = openError(); token != kDiskFull.token) return "opened: " + token;
    if (::mount("small", folder_.c_str(), nullptr, MS_REMOUNT, "size=2m") != 0) return "no remount";
    return openError();
  });
  if (told == "no mount") GTEST_SKIP() << "this user may not mount";
  EXPECT_EQ(told, "");
}

TEST_F(SqliteCommit, TheLogBeginsAgainUnderLoad) {
  auto store = open();
  ASSERT_TRUE(store.has_value());
  constexpr std::uintmax_t kMebibyte = 1 << 20;
  constexpr std::uint64_t kLimit =
      600;  // how soon depends on how busy the machine is; the log alone would never shrink
  std::uintmax_t before = 0;
  std::uint64_t commits = 0;
  bool began = false;
  while (!began && commits < kLimit) {
    ASSERT_TRUE((*store)->commit(submission(++commits, kMebibyte)).has_value());
    const auto log = std::filesystem::file_size(path() + "-wal");
    began = log == before;  // this commit went to the beginning of the file
    before = log;
  }
  EXPECT_TRUE(began) << before / kMebibyte << " MiB of log after " << commits << " MiB of commits";
  EXPECT_GT(commits, 60U) << "a short log is not worth a copy inside a commit";
  EXPECT_EQ(testing::loadAll(**store).workloads.size(), commits);
}

TEST_F(SqliteCommit, AReaderInTheMiddleOfAPageStopsNoCommit) {
  auto store = open();
  ASSERT_TRUE(store.has_value());
  for (std::uint64_t n = 1; n <= 20; ++n) {
    auto set = submission(n);
    set.postings = {testing::samplePosting(n)};
    ASSERT_TRUE((*store)->commit(set).has_value());
  }
  std::uint64_t next = 20;
  const auto done = (*store)->readPostings(
      {}, [&](const model::Posting&) { return (*store)->commit(submission(++next)).has_value(); });
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(next, 40U);
}

/// Commits as fast as it can and writes each number to `out` after its commit, until it is killed.
[[noreturn]] void commitForEver(const std::string& path, int out) {
  auto store = openSqlite({.path = path});
  if (!store) ::_exit(1);
  auto n = testing::loadAll(**store).heads.event;
  for (;;) {
    control::ChangeSet set;
    set.specs = {testing::sampleSpec(n / 50)};
    for (int i = 0; i < 5; ++i) {
      ++n;
      set.workloads.push_back(testing::sampleWorkload(n, set.specs[0]));
      set.events.push_back(testing::sampleEvent(n));
      set.audits.push_back(testing::sampleAudit(n));
      set.attempts.push_back(testing::sampleAttempt(n, {n}));
    }
    if (n > 200) set.dropEventsBefore = n - 200;
    if (!(*store)->commit(set)) ::_exit(2);
    if (::write(out, &n, sizeof n) != sizeof n) ::_exit(3);
  }
}

/// Starts such a child, kills it after it reported `reports` commits and a moment more; the last number it reported.
std::uint64_t killWriter(const std::string& path, int reports, std::chrono::microseconds more) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return 0;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    commitForEver(path, ends[1]);
  }
  ::close(ends[1]);
  std::uint64_t last = 0;
  std::uint64_t number = 0;
  const auto next = [&] { return ::read(ends[0], &number, sizeof number) == sizeof number; };
  for (int i = 0; i < reports && next(); ++i) last = number;
  std::this_thread::sleep_for(more);  // tidy: allow sleep: hits the child at any instruction of a commit
  ::kill(child, SIGKILL);
  while (next()) last = number;
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the writer failed by itself: " << status;
  return last;
}

TEST_F(SqliteCommit, SuddenDeathLosesNothingThatWasCommitted) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 12; ++round) {
    const auto reported =
        killWriter(path(), static_cast<int>(random() % 20), std::chrono::microseconds(random() % 4'000));
    auto store = open();
    ASSERT_TRUE(store.has_value()) << toText(store.error());
    const auto loaded = testing::loadAll(**store);
    EXPECT_GE(loaded.heads.event, reported) << "a commit that was answered is gone";
    EXPECT_EQ(loaded.heads.event % 5, 0U) << "half a transaction";
    EXPECT_EQ(loaded.workloads.size(), loaded.heads.event);
    EXPECT_EQ(loaded.heads.audit, loaded.heads.event);
    EXPECT_EQ(loaded.heads.attempt, loaded.heads.event);
    EXPECT_EQ(testing::allAudits(**store).size(), loaded.heads.event);
    for (const auto& row : loaded.workloads) ASSERT_TRUE(row.spec != nullptr);
  }
}

}  // namespace
}  // namespace fairlead::store
