#include "sqlite/store.hpp"

#include "changes.hpp"
#include "sqlite/loader.hpp"
#include "sqlite/schema.hpp"
#include "sqlite/sql.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace fairlead::store::sqlite {
namespace {

constexpr std::int64_t kPageRows = 512;

/// All rows of a statement that `bind` fills in.
template <class Row, class Bind>
Result<std::vector<Row>> readAll(ReaderPool& pool, Query query, Bind bind) {
  auto lease = pool.take();
  if (!lease) return tl::unexpected(std::move(lease.error()));
  auto statement = (*lease)->statement(query);
  if (!statement) return tl::unexpected(std::move(statement.error()));
  bind(**statement);
  std::vector<Row> rows;
  auto done = visitRows<Row>(**statement, {}, [&](Row&& row) {
    rows.push_back(std::move(row));
    return true;
  });
  if (!done) return tl::unexpected(std::move(done.error()));
  return rows;
}

/// Rows of one page; the reader's connection is given back before the visitor sees the first of them.
template <class Row>
Result<std::vector<Row>> readPage(ReaderPool& pool, Query query, std::uint64_t first, std::uint64_t last,
                                  const std::string& project) {
  return readAll<Row>(pool, query, [&](Statement& statement) {
    statement.bind(1, static_cast<std::int64_t>(first));
    statement.bind(2, static_cast<std::int64_t>(last));
    statement.bind(3, kPageRows);
    if (query == Query::eventPageOfProject) statement.bind(4, std::string_view(project));
  });
}

/// Rows first..last in pages, so that a slow visitor keeps neither a snapshot nor a connection. Rows are only ever
/// appended, and `last` ends a transaction: what is seen is whole.
template <class Row>
Result<void> visitPages(ReaderPool& pool, Query query, std::uint64_t first, std::uint64_t last,
                        const std::string& project, const control::Visitor<Row>& visit) {
  while (first <= last) {
    auto rows = readPage<Row>(pool, query, first, last, project);
    if (!rows) return tl::unexpected(std::move(rows.error()));
    for (const Row& row : *rows)
      if (!visit(row)) return {};
    if (rows->size() < static_cast<std::size_t>(kPageRows)) return {};
    first = rows->back().sequence + 1;
  }
  return {};
}

Query queryFor(const control::PostingQuery& query) {
  if (query.workload) return Query::postingsOfWorkload;
  return query.from.msSinceEpoch > 0 ? Query::postingsSince : Query::postings;
}

}  // namespace

SqliteStore::SqliteStore(std::string path, FileLock lock, std::unique_ptr<Connection> connection, Writer writer,
                         std::unique_ptr<Checkpointer> checkpointer)
    : path_(std::move(path)),
      lock_(std::move(lock)),
      connection_(std::move(connection)),
      writer_(std::move(writer)),
      readers_(path_),
      checkpointer_(std::move(checkpointer)) {
  publishHeads();
}

void SqliteStore::publishHeads() {
  oldestEvent_ = writer_.heads().oldestEvent;
  lastEvent_ = writer_.heads().event;
  lastAudit_ = writer_.heads().audit;
}

Result<void> SqliteStore::commit(const control::ChangeSet& changes) {
  if (changes.empty()) return {};
  const auto stored = [this](const model::Digest& digest) { return writer_.specs().contains(digest); };
  if (auto ok = checkChanges(changes, writer_.heads(), stored); !ok) return ok;
  auto done = writeTransaction(changes);
  if (!done) {
    writer_.forget();
    // SQLite has rolled back by itself after some errors, never after others.
    if (sqlite3_get_autocommit(connection_->handle()) == 0) (void)connection_->execute(std::string(sql::kRollback));
    return done;
  }
  writer_.remember(changes);
  publishHeads();
  checkpointer_->committed(*connection_);
  return {};
}

Result<void> SqliteStore::writeTransaction(const control::ChangeSet& changes) {
  for (auto* step : {&begin_, &commit_}) {
    if (*step) continue;
    auto prepared = connection_->prepare(step == &begin_ ? sql::kBegin : sql::kCommit);
    if (!prepared) return tl::unexpected(std::move(prepared.error()));
    *step = std::move(*prepared);
  }
  if (auto begun = begin_.run(); !begun) return begun;
  if (auto written = writer_.write(changes); !written) return written;
  return commit_.run();
}

Result<control::StoreHeads> SqliteStore::load(const control::LoadSink& sink) {
  if (auto done = loadRows(*connection_, sink); !done) return tl::unexpected(std::move(done.error()));
  auto heads = writer_.heads();
  auto oldest = connection_->prepare(sql::kOldestEvent);
  if (!oldest) return tl::unexpected(std::move(oldest.error()));
  oldest->bind(1, static_cast<std::int64_t>(heads.oldestEvent));
  if (auto row = oldest->step(); !row) return tl::unexpected(std::move(row.error()));
  heads.oldestEvent = static_cast<std::uint64_t>(oldest->number(0));
  return heads;
}

Result<void> SqliteStore::readEvents(std::uint64_t after, const std::string& project,
                                     const control::Visitor<model::Event>& visit) {
  const std::uint64_t last = lastEvent_;
  if (after >= last) return {};
  const auto query = project.empty() ? Query::eventPage : Query::eventPageOfProject;
  return visitPages<model::Event>(readers_, query, std::max(after + 1, oldestEvent_.load()), last, project, visit);
}

Result<void> SqliteStore::readAudit(std::uint64_t from, const control::Visitor<model::AuditRecord>& visit) {
  return visitPages<model::AuditRecord>(readers_, Query::auditPage, from, lastAudit_, {}, visit);
}

Result<std::vector<model::AuditCheckpoint>> SqliteStore::readCheckpoints() {
  return readAll<model::AuditCheckpoint>(readers_, Query::checkpoints, [](Statement&) {});
}

Result<std::optional<model::AuditCheckpoint>> SqliteStore::readAuditHead() {
  auto rows = readAll<model::AuditCheckpoint>(readers_, Query::auditHead, [](Statement&) {});
  if (!rows) return tl::unexpected(std::move(rows.error()));
  if (rows->empty()) return std::nullopt;
  return std::move(rows->front());
}

Result<void> SqliteStore::readPostings(const control::PostingQuery& query,
                                       const control::Visitor<model::Posting>& visit) {
  auto lease = readers_.take();
  if (!lease) return tl::unexpected(std::move(lease.error()));
  auto statement = (*lease)->statement(queryFor(query));
  if (!statement) return tl::unexpected(std::move(statement.error()));
  (*statement)->bind(1, query.from.msSinceEpoch);
  (*statement)->bind(2, query.to ? query.to.msSinceEpoch : std::numeric_limits<std::int64_t>::max());
  (*statement)->bind(3, std::string_view(query.project));
  (*statement)->bind(4, static_cast<std::int64_t>(query.workload.value));
  return visitRows<model::Posting>(**statement, {}, [&](model::Posting&& row) { return visit(row); });
}

Result<std::vector<model::Attempt>> SqliteStore::readAttempts(model::WorkloadId workload) {
  return readAll<model::Attempt>(readers_, Query::attemptsOfWorkload, [workload](Statement& statement) {
    statement.bind(1, static_cast<std::int64_t>(workload.value));
  });
}

std::string SqliteStore::describe() const { return fmt::format("sqlite {}, schema {}", path_, newestSchema()); }

}  // namespace fairlead::store::sqlite
