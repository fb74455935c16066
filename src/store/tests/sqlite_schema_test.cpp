// Every released schema opens and is brought to the newest. tests/schemas/N.sql: a dump of a database of schema N with
// one row in each table, made by the release that had it.
#include "sqlite/schema.hpp"
#include "sqlite_fixture.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <sstream>

namespace fairlead::store {
namespace {

class SqliteSchema : public SqliteTest {
 protected:
  void make(const std::string& sql) const {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
};

std::string dumpOf(int schema) {
  std::ifstream file(std::string(FAIRLEAD_SOURCE_DIR) + "/src/store/tests/schemas/" + std::to_string(schema) + ".sql");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_F(SqliteSchema, EveryReleasedSchemaHasADumpAndOpens) {
  for (int schema = 1; schema <= sqlite::newestSchema(); ++schema) {
    SCOPED_TRACE(schema);
    std::filesystem::remove(path());
    ASSERT_NE(dumpOf(schema), "") << "add src/store/tests/schemas/N.sql with each new step";
    make(dumpOf(schema));
    auto store = open();
    ASSERT_TRUE(store.has_value()) << toText(store.error());
    EXPECT_EQ((*store)->describe(), "sqlite " + path() + ", schema " + std::to_string(sqlite::newestSchema()));
    const auto loaded = testing::loadAll(**store);
    ASSERT_EQ(loaded.specs.size(), 1U);
    EXPECT_EQ(testing::dump(*loaded.specs[0]), testing::dump(*testing::sampleSpec(7)));
    EXPECT_EQ(testing::dumpAll(loaded.workloads),
              testing::dumpAll(std::vector{testing::sampleWorkload(7, loaded.specs[0])}));
    EXPECT_EQ(testing::dumpAll(loaded.attempts), testing::dumpAll(std::vector{testing::sampleAttempt(7, {7})}));
    EXPECT_EQ(testing::dumpAll(loaded.intents), testing::dumpAll(std::vector{testing::sampleIntent(7, {7})}));
    EXPECT_EQ(testing::dumpAll(loaded.versions), testing::dumpAll(std::vector{testing::sampleVersion(7)}));
    EXPECT_EQ(testing::dumpAll(loaded.idempotency), testing::dumpAll(std::vector{testing::sampleIdempotency(7)}));
    EXPECT_EQ(testing::allEvents(**store).size(), 1U);
    EXPECT_EQ(testing::allAudits(**store).size(), 1U);
    EXPECT_EQ(testing::allPostings(**store).size(), 1U);
    EXPECT_EQ((*store)->readCheckpoints().value().size(), 1U);
    EXPECT_TRUE((*store)->readAuditHead().value().has_value());
    EXPECT_TRUE((*store)->commit(submission(8)).has_value());
  }
}

TEST_F(SqliteSchema, AStepThatFailsLeavesTheDatabaseAsItWas) {
  auto connection = sqlite::Connection::open(path(), sqlite::Connection::Mode::write);
  make("CREATE TABLE audits(mine TEXT)");  // in the way of step 1
  connection = sqlite::Connection::open(path(), sqlite::Connection::Mode::write);
  ASSERT_TRUE(connection.has_value());
  EXPECT_FALSE(sqlite::migrate(*connection, 0, 1).has_value());
  EXPECT_EQ(connection->value("SELECT group_concat(name) FROM sqlite_schema").value(), "audits");
  EXPECT_EQ(connection->value("PRAGMA application_id").value(), "0");
}

TEST_F(SqliteSchema, TheStepsAreNoted) {
  fill(0);
  auto connection = sqlite::Connection::open(path(), sqlite::Connection::Mode::read);
  ASSERT_TRUE(connection.has_value());
  EXPECT_EQ(
      connection->value("SELECT group_concat(version) FROM schema_version WHERE applied_ms > 1600000000000").value(),
      "1,2");
  EXPECT_EQ(connection->value("PRAGMA journal_mode").value(), "wal");
}

}  // namespace
}  // namespace fairlead::store
