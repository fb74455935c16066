// A few threads for what may be slow, with a bounded queue.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fairlead::api {

/// Thread-safe. `stop` from one thread, not a worker.
class WorkerPool {
 public:
  WorkerPool(std::size_t threads, std::size_t queueLimit);
  ~WorkerPool() { stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// False: the queue is full, or the pool has stopped; the job was not taken.
  [[nodiscard]] bool post(std::function<void()> job);
  /// Runs what is queued, then ends the threads. Idempotent.
  void stop();

 private:
  void run();

  const std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace fairlead::api
