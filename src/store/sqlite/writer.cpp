#include "sqlite/writer.hpp"

#include "sqlite/sql.hpp"

#include <algorithm>

namespace fairlead::store::sqlite {
namespace {

constexpr std::int64_t kSliceRows = 4'096;  // about 2 ms

Result<void> readHeads(Connection& connection, control::StoreHeads& heads) {
  auto statement = connection.prepare(sql::kHeads);
  if (!statement) return tl::unexpected(std::move(statement.error()));
  auto row = statement->step();
  if (!row) return tl::unexpected(std::move(row.error()));
  int column = 0;
  for (auto* head : {&heads.workload, &heads.attempt, &heads.event, &heads.audit, &heads.posting, &heads.oldestEvent})
    *head = static_cast<std::uint64_t>(statement->number(column++));
  const auto hash = statement->blob(column);
  if (hash.size() == heads.auditHash.size()) std::ranges::copy(hash, heads.auditHash.begin());
  return {};
}

Result<void> readSpecNumbers(Connection& connection, SpecNumbers& specs) {
  auto statement = connection.prepare(sql::kSpecDigests);
  if (!statement) return tl::unexpected(std::move(statement.error()));
  for (;;) {
    auto row = statement->step();
    if (!row) return tl::unexpected(std::move(row.error()));
    if (!*row) return {};
    model::Digest digest{};
    const auto bytes = statement->blob(1);
    if (bytes.size() != digest.size()) return tl::unexpected(unreadable("specs", statement->number(0), "no digest"));
    std::ranges::copy(bytes, digest.begin());
    specs.emplace(digest, statement->number(0));
  }
}

}  // namespace

Result<void> Writer::prepare(Connection& connection) {
  constexpr int kMany = RowStatements::kMany;
  const std::pair<RowStatements*, std::string (*)(int)> tables[] = {
      {&workloads_, sql::upsert<model::Workload>},
      {&attempts_, sql::upsert<model::Attempt>},
      {&intents_, sql::upsert<model::Intent>},
      {&events_, sql::insert<model::Event>},
      {&audits_, sql::insert<model::AuditRecord>},
      {&postings_, sql::insert<model::Posting>},
      {&versions_, sql::insert<model::ModelVersion>},
      {&idempotencyRows_, sql::insert<model::IdempotencyRecord>},
      {&checkpoints_, sql::insert<model::AuditCheckpoint>},
  };
  std::vector<std::pair<Statement*, std::string>> statements = {
      {&specInsert_, std::string(sql::kInsertSpec)},
      {&auditHeadReplace_, std::string(sql::kReplaceAuditHead)},
      {&eventsDrop_, std::string(sql::kDropEvents)},
      {&idempotencyDrop_, std::string(sql::kDropIdempotency)},
      {&idempotencyBounds_, std::string(sql::kIdempotencyBounds)},
  };
  for (const auto& [table, text] : tables) {
    statements.emplace_back(&table->one, text(1));
    statements.emplace_back(&table->many, text(kMany));
  }
  for (const auto& [statement, text] : statements) {
    auto prepared = connection.prepare(text);
    if (!prepared) return tl::unexpected(std::move(prepared.error()));
    *statement = std::move(*prepared);
  }
  return {};
}

Result<Writer> Writer::make(Connection& connection) {
  Writer writer;
  if (auto done = writer.prepare(connection); !done) return tl::unexpected(std::move(done.error()));
  if (auto done = readHeads(connection, writer.heads_); !done) return tl::unexpected(std::move(done.error()));
  if (auto done = readSpecNumbers(connection, writer.specs_); !done) return tl::unexpected(std::move(done.error()));
  writer.storedFrom_ = writer.heads_.oldestEvent;
  writer.forget();
  return writer;
}

template <class Row>
Result<void> Writer::writeAll(RowStatements& statements, const std::vector<Row>& rows) {
  constexpr std::size_t kMany = RowStatements::kMany;
  for (std::size_t next = 0; next < rows.size();) {
    const bool many = rows.size() - next >= kMany;
    auto& statement = many ? statements.many : statements.one;
    Binder binder(statement, specs_);
    for (std::size_t end = next + (many ? kMany : 1); next < end; ++next) binder.all(Table<Row>::fields(rows[next]));
    if (auto done = statement.run(); !done) return done;
  }
  return {};
}

Result<void> Writer::write(const control::ChangeSet& changes) {
  if (auto done = writeSpecs(changes.specs); !done) return done;
  if (auto done = writeAll(workloads_, changes.workloads); !done) return done;
  if (auto done = writeAll(attempts_, changes.attempts); !done) return done;
  if (auto done = writeAll(intents_, changes.intents); !done) return done;
  if (auto done = writeAll(events_, changes.events); !done) return done;
  if (auto done = writeAll(audits_, changes.audits); !done) return done;
  if (auto done = writeAll(postings_, changes.postings); !done) return done;
  if (auto done = writeAll(versions_, changes.versions); !done) return done;
  if (auto done = writeAll(checkpoints_, changes.checkpoints); !done) return done;
  if (auto done = writeAuditHead(changes); !done) return done;
  if (auto done = dropEvents(changes); !done) return done;
  if (auto done = dropIdempotency(changes.dropIdempotencyBefore); !done) return done;
  return writeAll(idempotencyRows_, changes.idempotency);
}

Result<void> Writer::writeSpecs(const std::vector<model::SpecPtr>& specs) {
  for (const auto& spec : specs) {
    const auto number = static_cast<std::int64_t>(specs_.size()) + 1;
    if (!specs_.emplace(spec->digest, number).second) continue;
    added_.push_back(spec->digest);
    specInsert_.bind(1, number);
    specInsert_.bind(2, std::span<const std::uint8_t>(spec->digest));
    specInsert_.bind(3, std::string_view(spec->json));
    if (auto done = specInsert_.run(); !done) return done;
  }
  return {};
}

Result<void> Writer::writeAuditHead(const control::ChangeSet& changes) {
  if (!changes.auditHead) return {};
  bindRow(auditHeadReplace_, *changes.auditHead, specs_);
  return auditHeadReplace_.run();
}

Result<void> Writer::dropEvents(const control::ChangeSet& changes) {
  const std::uint64_t first = changes.events.empty() ? 0 : changes.events.front().sequence;
  const std::uint64_t newest = changes.events.empty() ? heads_.event : changes.events.back().sequence;
  storedNext_ = storedFrom_ == 0 ? first : storedFrom_;
  // The newest stays, so that the head is known after a restart.
  oldestNext_ =
      std::max(heads_.oldestEvent == 0 ? first : heads_.oldestEvent, std::min(changes.dropEventsBefore, newest));
  if (storedNext_ >= oldestNext_) return {};
  storedNext_ = std::min(oldestNext_, storedNext_ + static_cast<std::uint64_t>(kSliceRows));
  eventsDrop_.bind(1, static_cast<std::int64_t>(storedNext_));
  return eventsDrop_.run();
}

Result<void> Writer::dropIdempotency(TimePoint before) {
  if (before) {  // a pass under way goes on from where it is
    auto row = idempotencyBounds_.step();
    if (!row) return tl::unexpected(std::move(row.error()));
    const bool underWay = idempotencyNext_.next < idempotencyNext_.end;
    idempotencyNext_ = {underWay ? idempotencyNext_.next : idempotencyBounds_.number(0),
                        idempotencyBounds_.number(1) + 1, std::max(before, idempotencyNext_.before)};
    idempotencyBounds_.reset();
  }
  if (idempotencyNext_.next >= idempotencyNext_.end) return {};
  const auto sliceEnd = std::min(idempotencyNext_.end, idempotencyNext_.next + kSliceRows);
  idempotencyDrop_.bind(1, idempotencyNext_.next);
  idempotencyDrop_.bind(2, sliceEnd);
  idempotencyDrop_.bind(3, idempotencyNext_.before.msSinceEpoch);
  idempotencyNext_.next = sliceEnd;
  return idempotencyDrop_.run();
}

void Writer::remember(const control::ChangeSet& changes) {
  advanceHeads(heads_, changes);
  heads_.oldestEvent = oldestNext_;
  storedFrom_ = storedNext_;
  idempotency_ = idempotencyNext_;
  added_.clear();
}

void Writer::forget() {
  for (const auto& digest : added_) specs_.erase(digest);
  added_.clear();
  oldestNext_ = heads_.oldestEvent;
  storedNext_ = storedFrom_;
  idempotencyNext_ = idempotency_;
}

}  // namespace fairlead::store::sqlite
