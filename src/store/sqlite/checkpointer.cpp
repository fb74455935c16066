#include "sqlite/checkpointer.hpp"

#include <chrono>

namespace fairlead::store::sqlite {
namespace {

constexpr int kCopyFrames = 1'000;      // 4 MiB: the thread begins to copy
constexpr int kRestartFrames = 16'384;  // 64 MiB: time to start the log again
constexpr int kRestFrames = 512;        // 2 MiB: as much as a commit may be kept waiting for
constexpr std::chrono::seconds kRetry{1};

}  // namespace

Result<std::unique_ptr<Checkpointer>> Checkpointer::start(const std::string& path, Connection& writer) {
  auto connection = Connection::open(path, Connection::Mode::write);
  if (!connection) return tl::unexpected(std::move(connection.error()));
  if (auto set = connection->execute("PRAGMA synchronous = FULL; PRAGMA cache_size = -256"); !set)
    return tl::unexpected(std::move(set.error()));
  auto checkpointer = std::make_unique<Checkpointer>(std::move(*connection));
  // The hook takes the place of SQLite's own checkpoint inside a commit.
  sqlite3_wal_hook(writer.handle(), &Checkpointer::onCommit, checkpointer.get());
  return checkpointer;
}

Checkpointer::Checkpointer(Connection connection) : connection_(std::move(connection)), thread_([this] { run(); }) {}

Checkpointer::~Checkpointer() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

int Checkpointer::onCommit(void* self, sqlite3* /*db*/, const char* /*schema*/, int frames) {
  static_cast<Checkpointer*>(self)->frames_ = frames;
  return SQLITE_OK;
}

int Checkpointer::copyRest(Connection& connection) {
  if (copied_ >= frames_) return SQLITE_OK;
  int log = 0;
  int done = 0;
  const int code = sqlite3_wal_checkpoint_v2(connection.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &log, &done);
  if (code == SQLITE_OK) copied_ = done;
  return code;
}

void Checkpointer::committed(Connection& writer) {
  const int rest = frames_ - copied_.load();
  if (rest < 0) copied_ = 0;  // the log began again
  if (frames_ >= kRestartFrames && rest > 0 && rest <= kRestFrames) {
    const std::unique_lock lock(copying_, std::try_to_lock);  // while the thread is at it, a later commit tries again
    if (lock) (void)copyRest(writer);
    return;
  }
  if (frames_ - copied_ < kCopyFrames && !(frames_ >= kRestartFrames && rest > 0)) return;
  {
    const std::scoped_lock lock(mutex_);
    asked_ = true;
  }
  wake_.notify_one();
}

void Checkpointer::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return asked_ || stop_; });
    if (stop_) return;
    asked_ = false;
    lock.unlock();
    copy();
    lock.lock();
  }
}

void Checkpointer::copy() {
  {
    const std::scoped_lock lock(copying_);
    if (copyRest(connection_) == SQLITE_OK) return;
  }
  // A full disk stands in the way; the log keeps everything, and a commit tells the operator.
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, kRetry, [this] { return stop_; });
}

}  // namespace fairlead::store::sqlite
