// Read-only connections for threads that read while the writer commits.
#pragma once

#include "sqlite/database.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <vector>

namespace fairlead::store::sqlite {

enum class Query : std::uint8_t {
  eventPage,
  eventPageOfProject,
  auditPage,
  postings,
  postingsSince,
  postingsOfWorkload,
  attemptsOfWorkload,
  checkpoints,
  auditHead,
};

/// One connection with its prepared statements.
class ReadConnection {
 public:
  explicit ReadConnection(Connection connection) : connection_(std::move(connection)) {}
  /// Prepared at first use, then kept.
  [[nodiscard]] Result<Statement*> statement(Query query);

 private:
  Connection connection_;
  std::array<Statement, 9> statements_;
};

/// Thread-safe. Never waits: a reader that finds no idle connection opens one; so many are kept for the next.
class ReaderPool {
 public:
  explicit ReaderPool(std::string path) : path_(std::move(path)) {}

  /// A connection for one thread until it is destroyed.
  class Lease {
   public:
    Lease(ReaderPool& pool, std::unique_ptr<ReadConnection> connection)
        : pool_(&pool), connection_(std::move(connection)) {}
    ~Lease() {
      if (connection_) pool_->giveBack(std::move(connection_));
    }
    Lease(Lease&&) = default;
    Lease& operator=(Lease&&) = delete;
    ReadConnection* operator->() const { return connection_.get(); }

   private:
    ReaderPool* pool_;
    std::unique_ptr<ReadConnection> connection_;
  };
  [[nodiscard]] Result<Lease> take();

 private:
  void giveBack(std::unique_ptr<ReadConnection> connection);

  std::string path_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<ReadConnection>> idle_;
};

}  // namespace fairlead::store::sqlite
