#include "sqlite/database.hpp"

#include <fairlead/store/errors.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace fairlead::store::sqlite {
namespace {

constexpr int kBusyMs = 10'000;  // an operator's sqlite3 shell may hold the file for a moment

const ErrorCode& codeOf(int primary, int systemError) {
  if (systemError == ENOSPC || systemError == EDQUOT || systemError == EFBIG) return kDiskFull;
  if (systemError == EROFS) return kReadOnly;
  switch (primary) {
    case SQLITE_FULL:
      return kDiskFull;
    case SQLITE_READONLY:
      return kReadOnly;
    case SQLITE_CORRUPT:
      return kCorrupt;
    case SQLITE_NOTADB:
      return kNotADatabase;
    case SQLITE_CONSTRAINT:
      return kConflictingRow;
    default:
      return kIo;
  }
}

std::string remedyOf(const ErrorCode& code, const std::string& path) {
  if (&code == &kDiskFull) return fmt::format("free space on the disk that holds {}; nothing stored was lost", path);
  if (&code == &kReadOnly) return fmt::format("let the daemon's user write {} and its folder", path);
  if (&code == &kCorrupt)
    return fmt::format(
        "stop the daemon, keep a copy of {0}, {0}-wal and {0}-shm, and restore the last backup or run: sqlite3 {0} "
        ".recover "
        "| sqlite3 recovered.db",
        path);
  if (&code == &kNotADatabase) return "name another file, or move this one away";
  if (&code == &kIo) return fmt::format("check the disk that holds {} and the system's log", path);
  return {};
}

}  // namespace

Error errorOf(sqlite3* db, int code) {
  const char* name = db == nullptr ? nullptr : sqlite3_db_filename(db, "main");
  const std::string path = name == nullptr ? "the database" : name;
  const int primary = code & 0xff;
  // The last system error is only about this failure when the failure is one of input or output.
  const bool isSystem = primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN;
  const int systemError = db != nullptr && isSystem ? sqlite3_system_errno(db) : 0;
  const ErrorCode& known = codeOf(primary, systemError);
  std::string detail =
      db != nullptr && (sqlite3_errcode(db) & 0xff) == primary ? sqlite3_errmsg(db) : sqlite3_errstr(code);
  if (systemError != 0) detail += ": " + std::generic_category().message(systemError);
  return {&known, fmt::format("{}: {} (SQLite code {})", path, detail, code), {}, {}, remedyOf(known, path)};
}

void Statement::bind(int position, std::span<const std::uint8_t> bytes) {
  note(bytes.empty() ? sqlite3_bind_zeroblob(handle_.get(), position, 0)
                     : sqlite3_bind_blob64(handle_.get(), position, bytes.data(), bytes.size(), SQLITE_STATIC));
}

Result<bool> Statement::step() {
  int code = bindCode_;
  bindCode_ = SQLITE_OK;
  if (code == SQLITE_OK) code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    sqlite3_reset(handle_.get());
    return false;
  }
  auto error = errorOf(sqlite3_db_handle(handle_.get()), code);
  sqlite3_reset(handle_.get());
  return tl::unexpected(std::move(error));
}

Result<void> Statement::run() {
  for (;;) {
    auto row = step();
    if (!row) return tl::unexpected(std::move(row.error()));
    if (!*row) return {};
  }
}

std::string_view Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

std::span<const std::uint8_t> Statement::blob(int column) const {
  const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(handle_.get(), column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column))};
}

Result<Connection> Connection::open(const std::string& path, Mode mode) {
  // Serialising is ours: one thread at a time. The file is made by whoever checks its folder, never here.
  const int flags = SQLITE_OPEN_NOMUTEX | (mode == Mode::write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  Connection connection;
  connection.handle_.reset(handle);
  if (code != SQLITE_OK) return tl::unexpected(errorOf(handle, code));
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kBusyMs);
  return connection;
}

Result<void> Connection::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(errorOf(handle_.get(), code));
  return {};
}

Result<Statement> Connection::prepare(std::string_view sql) {
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(errorOf(handle_.get(), code));
  return Statement(handle);
}

Result<std::string> Connection::value(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return tl::unexpected(std::move(statement.error()));
  auto row = statement->step();
  if (!row) return tl::unexpected(std::move(row.error()));
  return *row ? std::string(statement->text(0)) : std::string();
}

}  // namespace fairlead::store::sqlite
