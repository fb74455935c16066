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
  static int onCommit(void* self, sqlite3* db, const char* schema, int frames);

  Connection connection_;
  int frames_ = 0;              ///< in the log; writer's thread
  std::atomic<int> copied_{0};  ///< of these, in the database file
  std::mutex mutex_;
  std::condition_variable wake_;
  bool asked_ = false;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace fairlead::store::sqlite
