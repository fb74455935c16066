#include "sqlite/schema.hpp"
#include "sqlite/store.hpp"

#include <fairlead/base/clock.hpp>
#include <fairlead/store/errors.hpp>
#include <fairlead/store/sqlite.hpp>

#include <fmt/format.h>

namespace fairlead::store {
namespace {

using sqlite::Connection;

constexpr std::int64_t kPageBytes = 4'096;

Result<void> configure(Connection& connection, const SqliteOptions& options) {
  // Full: a commit is on disk when it returns. Checkpoints are the Checkpointer's.
  std::string sql =
      fmt::format("PRAGMA page_size = {}; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;", kPageBytes);
  if (options.maxBytes > 0) sql += fmt::format("PRAGMA max_page_count = {};", options.maxBytes / kPageBytes);
  if (auto set = connection.execute(sql); !set) return set;
  auto mode = connection.value("PRAGMA journal_mode = WAL");
  if (!mode) return tl::unexpected(std::move(mode.error()));
  if (*mode != "wal")
    return fail(
        kIo, fmt::format("{}: its file system allows no write-ahead log (journal mode stays {})", options.path, *mode),
        "put the database on a local file system");
  return connection.execute("PRAGMA wal_autocheckpoint = 0");
}

Result<void> checkPages(Connection& connection, const SqliteOptions& options, std::int64_t bytes) {
  if (bytes == 0 || bytes > options.checkUpToBytes) return {};
  auto verdict = connection.value("PRAGMA quick_check(1)");
  if (!verdict) return tl::unexpected(std::move(verdict.error()));
  if (*verdict == "ok") return {};
  auto error = sqlite::errorOf(connection.handle(), SQLITE_CORRUPT);
  error.message = fmt::format("{} is damaged: {}", options.path, *verdict);
  return tl::unexpected(std::move(error));
}

Result<std::unique_ptr<Connection>> openConnection(const SqliteOptions& options, std::int64_t bytes) {
  auto opened = Connection::open(options.path, Connection::Mode::write);
  if (!opened) return tl::unexpected(std::move(opened.error()));
  auto connection = std::make_unique<Connection>(std::move(*opened));
  auto schema = sqlite::readSchema(*connection);  // before the first change to the file
  if (!schema) return tl::unexpected(std::move(schema.error()));
  if (auto done = sqlite::restrictFile(options.path); !done) return tl::unexpected(std::move(done.error()));
  if (auto done = configure(*connection, options); !done) return tl::unexpected(std::move(done.error()));
  if (auto done = checkPages(*connection, options, bytes); !done) return tl::unexpected(std::move(done.error()));
  if (auto done = sqlite::migrate(*connection, *schema, SystemClock().now().msSinceEpoch); !done)
    return tl::unexpected(std::move(done.error()));
  return connection;
}

}  // namespace

Result<std::unique_ptr<control::StorePort>> openSqlite(const SqliteOptions& options) {
  if (auto ok = sqlite::checkFolder(options.path); !ok) return tl::unexpected(std::move(ok.error()));
  auto lock = sqlite::lockDatabase(options.path);
  if (!lock) return tl::unexpected(std::move(lock.error()));
  auto bytes = sqlite::prepareFile(options.path);
  if (!bytes) return tl::unexpected(std::move(bytes.error()));
  auto connection = openConnection(options, *bytes);
  if (!connection) return tl::unexpected(std::move(connection.error()));
  auto writer = sqlite::Writer::make(**connection);
  if (!writer) return tl::unexpected(std::move(writer.error()));
  auto checkpointer = sqlite::Checkpointer::start(options.path, **connection);
  if (!checkpointer) return tl::unexpected(std::move(checkpointer.error()));
  return std::make_unique<sqlite::SqliteStore>(options.path, std::move(*lock), std::move(*connection),
                                               std::move(*writer), std::move(*checkpointer));
}

}  // namespace fairlead::store
