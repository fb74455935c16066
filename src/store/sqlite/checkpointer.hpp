// Moves what is committed from the write-ahead log into the database file, beside the commits and not inside them.
#pragma once

#include "sqlite/database.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace fairlead::store::sqlite {

/// A thread with a connection of its own copies pages while commits go on. The log can only start again from its
/// beginning when no commit came since the last copied page; under load that moment never comes by itself, so once the
/// log is long and the thread is nearly level with it, the writer copies the small rest (a few milliseconds, every 64
/// MiB of log).
///
/// A copy never begins while the whole log is in the database file already. SQLite before 3.51.3 (Debian 12 has 3.40)
/// can take a log that a commit begins anew in that very moment for copied, and lose pages
/// (sqlite.org/wal.html#walresetbug). A log with frames left to copy is never begun anew, and copies exclude each
/// other.
class Checkpointer {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Checkpointer>> start(const std::string& path, Connection& writer);
  explicit Checkpointer(Connection connection);
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  /// Writer's thread, after each commit.
  void committed(Connection& writer);

 private:
  void run();
  void copy();
  /// One passive checkpoint, where there is something to copy. Under `copying_`. The code of SQLite.
  int copyRest(Connection& connection);
  static int onCommit(void* self, sqlite3* db, const char* schema, int frames);

  Connection connection_;
  std::mutex copying_;
  std::atomic<int> frames_{0};  ///< in the log; set by the writer's thread
  std::atomic<int> copied_{0};  ///< of these, in the database file
  std::mutex mutex_;
  std::condition_variable wake_;
  bool asked_ = false;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace fairlead::store::sqlite
