// What may be wrong with a file before it is opened, and what the operator is told.
#include "in_child.hpp"
#include "sqlite/schema.hpp"
#include "sqlite_fixture.hpp"

#include <fairlead/store/errors.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <array>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fairlead::store {
namespace {

using ::testing::HasSubstr;

class SqliteOpen : public SqliteTest {
 protected:
  /// Changes the closed database with SQLite itself, as an operator could.
  void alter(const std::string& sql) const {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
  [[nodiscard]] Error failure() const {
    auto store = open();
    if (!store) return store.error();
    ADD_FAILURE() << "the database opened";
    return {&kIo, {}, {}, {}, {}};
  }
  /// Overwrites `size` bytes from `offset`.
  void damage(std::size_t offset, std::size_t size) const {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    file << std::string(size, '\x5a');
  }
};

TEST_F(SqliteOpen, MakesThePrivateFileAndSaysWhatItIs) {
  ::umask(0);
  auto store = open();
  ASSERT_TRUE(store.has_value()) << toText(store.error());
  ASSERT_TRUE((*store)->commit(submission(1)).has_value());
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
    struct stat status{};
    ASSERT_EQ(::stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U) << entry.path();
  }
  EXPECT_EQ((*store)->describe(), "sqlite " + path() + ", schema " + std::to_string(sqlite::newestSchema()));
}

TEST_F(SqliteOpen, TakesTheRightsOfOthersAway) {
  fill(1);
  ASSERT_EQ(::chmod(path().c_str(), 0666), 0);
  fill(0);
  struct stat status{};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(SqliteOpen, NamesAMissingFolder) {
  auto store = open({.path = folder_ / "nowhere" / "fairlead.db"});
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().token(), kFolderMissing.token);
  EXPECT_THAT(store.error().message, HasSubstr((folder_ / "nowhere").string()));
  EXPECT_FALSE(store.error().remedy.empty());
  writeFile("file", "no folder");
  store = open({.path = folder_ / "file" / "fairlead.db"});
  ASSERT_FALSE(store.has_value());
  EXPECT_EQ(store.error().token(), kFolderMissing.token);
}

TEST_F(SqliteOpen, RefusesAFolderThatEverybodyMayWrite) {
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  const auto error = failure();
  EXPECT_EQ(error.token(), kFolderUnsafe.token);
  EXPECT_THAT(error.remedy, HasSubstr("chmod o-w"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(SqliteOpen, RefusesWhatIsNoDatabaseAndLeavesItAlone) {
  for (const std::string& content :
       {std::string("just a text that somebody keeps here"), std::string("x"), std::string(8192, '\0')}) {
    writeFile("fairlead.db", content);
    EXPECT_EQ(failure().token(), kNotADatabase.token);
    std::ifstream file(path(), std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), content);
  }
  std::filesystem::remove(path());
  std::filesystem::create_directory(path());
  EXPECT_EQ(failure().token(), kNotADatabase.token);
}

TEST_F(SqliteOpen, RefusesTheDatabaseOfAnotherProgram) {
  alter("CREATE TABLE bookmarks(url TEXT)");
  const auto error = failure();
  EXPECT_EQ(error.token(), kNotADatabase.token);
  EXPECT_THAT(error.message, HasSubstr("another program"));
}

TEST_F(SqliteOpen, OpensAnEmptyFile) {
  writeFile("fairlead.db", "");
  EXPECT_EQ(openError(), "");
}

TEST_F(SqliteOpen, RefusesANewerSchemaAndChangesNothing) {
  fill(1);
  alter("INSERT INTO schema_version VALUES(7, 0)");
  const auto error = failure();
  EXPECT_EQ(error.token(), kNewerSchema.token);
  EXPECT_THAT(error.message, HasSubstr("schema 7"));
  EXPECT_THAT(error.message, HasSubstr(path()));
  alter("DELETE FROM schema_version WHERE version = 7");
  auto store = open();
  ASSERT_TRUE(store.has_value());
  EXPECT_EQ(testing::loadAll(**store).workloads.size(), 1U);
}

TEST_F(SqliteOpen, NamesTheDaemonThatHasIt) {
  auto store = open();
  ASSERT_TRUE(store.has_value());
  const auto error = failure();  // of this process, too
  EXPECT_EQ(error.token(), kInUse.token);
  const auto told = inChild([this] { return failure().message; });
  EXPECT_THAT(told, HasSubstr("process " + std::to_string(::getpid())));
  store->reset();
  EXPECT_EQ(openError(), "");
}

TEST_F(SqliteOpen, FindsADamagedPage) {
  fill(40);
  const auto size = std::filesystem::file_size(path());
  ASSERT_GT(size, 100'000U);
  damage(size / 2 / 4096 * 4096, 4096);
  const auto error = failure();
  EXPECT_EQ(error.token(), kCorrupt.token);
  EXPECT_THAT(error.message, HasSubstr(path()));
  EXPECT_THAT(error.remedy, HasSubstr("backup"));
  EXPECT_EQ(std::filesystem::file_size(path()), size);
}

TEST_F(SqliteOpen, FindsADamagedPageWhileItReads) {
  fill(40);
  const auto size = std::filesystem::file_size(path());
  for (std::size_t page = 8; page * 4096 < size; ++page)
    damage(page * 4096, 64);  // the heads of all, as of a lost disk
  auto store = open({.path = path(), .maxBytes = 0, .checkUpToBytes = 0});
  if (store) {
    control::LoadSink sink;
    sink.spec = [](model::SpecPtr) {};
    sink.workload = [](model::Workload) {};
    sink.attempt = [](model::Attempt) {};
    sink.intent = [](model::Intent) {};
    sink.version = [](model::ModelVersion) {};
    sink.idempotency = [](model::IdempotencyRecord) {};
    const auto loaded = (*store)->load(sink);
    ASSERT_FALSE(loaded.has_value());
    EXPECT_EQ(loaded.error().token(), kCorrupt.token);
    EXPECT_THAT(loaded.error().remedy, HasSubstr(".recover"));
  } else {
    EXPECT_EQ(store.error().token(), kCorrupt.token);
  }
}

TEST_F(SqliteOpen, NamesARowThatWasEditedByHand) {
  fill(3);
  alter("UPDATE workloads SET state = 'flying' WHERE id = 2");
  auto store = open();
  ASSERT_TRUE(store.has_value());
  control::LoadSink sink;
  sink.spec = [](model::SpecPtr) {};
  sink.workload = [](model::Workload) {};
  const auto loaded = (*store)->load(sink);
  ASSERT_FALSE(loaded.has_value());
  EXPECT_EQ(loaded.error().token(), kUnreadableRow.token);
  EXPECT_THAT(loaded.error().message, HasSubstr("workloads, row 2"));
  EXPECT_THAT(loaded.error().message, HasSubstr("flying"));
}

/// As an ordinary user: the superuser may write everything.
std::string asNobody(const std::filesystem::path& folder, const std::function<std::string()>& work) {
  if (::geteuid() != 0) return inChild(work);
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (::chown(entry.path().c_str(), 65'534, 65'534) != 0) return "no chown";
  if (::chown(folder.c_str(), 65'534, 65'534) != 0) return "no chown";
  return inChild([&] { return ::setgid(65'534) == 0 && ::setuid(65'534) == 0 ? work() : std::string("no setuid"); });
}

TEST_F(SqliteOpen, NamesAReadOnlyFile) {
  fill(1);
  ASSERT_EQ(::chmod(path().c_str(), 0400), 0);
  EXPECT_EQ(asNobody(folder_, [this] { return openError(); }), kReadOnly.token);
}

TEST_F(SqliteOpen, NamesAReadOnlyFolder) {
  fill(1);
  ASSERT_EQ(::chmod(folder_.c_str(), 0500), 0);
  const auto told = asNobody(folder_, [this] {
    auto store = open();
    return store ? "opened" : toText(store.error());
  });
  ASSERT_EQ(::chmod(folder_.c_str(), 0700), 0);
  EXPECT_THAT(told, HasSubstr(folder_.string()));
  EXPECT_THAT(told, HasSubstr("let the daemon's user write"));
}

TEST_F(SqliteOpen, FollowsNoLinkInPlaceOfItsLock) {
  writeFile("precious", "keep me");
  std::filesystem::create_symlink(folder_ / "precious", path() + ".lock");
  EXPECT_NE(openError(), "");
  std::ifstream file(folder_ / "precious");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "keep me");
}

}  // namespace
}  // namespace fairlead::store
