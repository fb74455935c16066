#include "sqlite/reader_pool.hpp"

#include "sqlite/sql.hpp"

#include <fairlead/base/assert.hpp>

namespace fairlead::store::sqlite {
namespace {

constexpr std::size_t kKept = 4;

std::string sqlOf(Query query) {
  switch (query) {
    case Query::eventPage:
      return sql::select<model::Event>(sql::kPage);
    case Query::eventPageOfProject:
      return sql::select<model::Event>(sql::kPageOfProject);
    case Query::auditPage:
      return sql::select<model::AuditRecord>(sql::kPage);
    case Query::postings:
      return sql::select<model::Posting>(sql::kPostings);
    case Query::postingsSince:
      return sql::select<model::Posting>(sql::kPostingsSince);
    case Query::postingsOfWorkload:
      return sql::select<model::Posting>(sql::kPostingsOfWorkload);
    case Query::attemptsOfWorkload:
      return sql::select<model::Attempt>(sql::kAttemptsOfWorkload);
    case Query::checkpoints:
      return sql::select<model::AuditCheckpoint>(sql::kCheckpoints);
    case Query::auditHead:
      return std::string(sql::kAuditHead);
  }
  FL_ASSERT(false, "unknown query");
  return {};
}

}  // namespace

Result<Statement*> ReadConnection::statement(Query query) {
  auto& statement = statements_.at(static_cast<std::size_t>(query));
  if (!statement) {
    auto prepared = connection_.prepare(sqlOf(query));
    if (!prepared) return tl::unexpected(std::move(prepared.error()));
    statement = std::move(*prepared);
  }
  return &statement;
}

Result<ReaderPool::Lease> ReaderPool::take() {
  {
    const std::scoped_lock lock(mutex_);
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return Lease(*this, std::move(connection));
    }
  }
  auto opened = Connection::open(path_, Connection::Mode::read);
  if (!opened) return tl::unexpected(std::move(opened.error()));
  return Lease(*this, std::make_unique<ReadConnection>(std::move(*opened)));
}

void ReaderPool::giveBack(std::unique_ptr<ReadConnection> connection) {
  const std::scoped_lock lock(mutex_);
  if (idle_.size() < kKept) idle_.push_back(std::move(connection));
}

}  // namespace fairlead::store::sqlite
