// The one thin layer over SQLite's C API: a connection and a prepared statement, each owned by one object.
#pragma once

#include <fairlead/base/result.hpp>

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace fairlead::store::sqlite {

/// What SQLite's result code means for the operator of the file that `db` has open.
[[nodiscard]] Error errorOf(sqlite3* db, int code);

/// A prepared statement, made once and used many times. Not thread-safe. Bound texts and blobs are not copied unless it
/// says so: they must live until the next reset. Binding errors show at the next step.
class Statement {
 public:
  Statement() = default;
  explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}
  [[nodiscard]] explicit operator bool() const { return handle_ != nullptr; }

  void bind(int position, std::int64_t number) { note(sqlite3_bind_int64(handle_.get(), position, number)); }
  void bind(int position, std::string_view text) {
    note(sqlite3_bind_text64(handle_.get(), position, text.data() == nullptr ? "" : text.data(), text.size(),
                             SQLITE_STATIC, SQLITE_UTF8));
  }
  void bindCopy(int position, const std::string& text) {
    note(sqlite3_bind_text64(handle_.get(), position, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  void bind(int position, std::span<const std::uint8_t> bytes);

  /// True: a row is there to be read. After an error or the end the statement is reset.
  [[nodiscard]] Result<bool> step();
  /// Steps to the end, ignoring rows, and resets.
  [[nodiscard]] Result<void> run();
  void reset() { sqlite3_reset(handle_.get()); }

  // Values of the current row; valid until the next step or reset.
  [[nodiscard]] std::int64_t number(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  [[nodiscard]] std::string_view text(int column) const;
  [[nodiscard]] std::span<const std::uint8_t> blob(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  void note(int code) {
    if (code != SQLITE_OK && bindCode_ == SQLITE_OK) bindCode_ = code;
  }

  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
  int bindCode_ = SQLITE_OK;
};

/// One open connection. Used by one thread at a time.
class Connection {
 public:
  enum class Mode { write, read };
  [[nodiscard]] static Result<Connection> open(const std::string& path, Mode mode);

  /// Runs one or more statements without parameters.
  [[nodiscard]] Result<void> execute(const std::string& sql);
  [[nodiscard]] Result<Statement> prepare(std::string_view sql);
  /// The first column of the first row as text; empty when there is none.
  [[nodiscard]] Result<std::string> value(std::string_view sql);
  [[nodiscard]] sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace fairlead::store::sqlite
