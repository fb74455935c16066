#include "sqlite/schema.hpp"

#include <fairlead/store/errors.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace fairlead::store::sqlite {
namespace {

// A released step is never changed again: a new one follows it. Step n is entry n-1.
// Rows of the submit path (workloads, events, audits) have no key besides the number they are appended by.
constexpr auto kSteps = std::to_array<std::string_view>({
    R"sql(
CREATE TABLE specs(
  id INTEGER PRIMARY KEY, digest BLOB NOT NULL, json TEXT NOT NULL) STRICT;
CREATE TABLE workloads(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, project TEXT NOT NULL, submitter TEXT NOT NULL, unix_user TEXT NOT NULL,
  spec INTEGER NOT NULL, labels TEXT NOT NULL, state TEXT NOT NULL, stop_purpose TEXT NOT NULL, failure TEXT NOT NULL,
  priority INTEGER NOT NULL, attempts INTEGER NOT NULL, revision INTEGER NOT NULL, current_attempt INTEGER NOT NULL,
  array_parent INTEGER NOT NULL, array_index INTEGER NOT NULL, elements_started INTEGER NOT NULL,
  submitted_ms INTEGER NOT NULL, queued_ms INTEGER NOT NULL, not_before_ms INTEGER NOT NULL, started_ms INTEGER NOT NULL,
  ended_ms INTEGER NOT NULL, avoid_nodes TEXT NOT NULL, failures TEXT NOT NULL, message TEXT NOT NULL) STRICT;
CREATE TABLE attempts(
  id INTEGER PRIMARY KEY, workload INTEGER NOT NULL, number INTEGER NOT NULL, cluster TEXT NOT NULL,
  native_id TEXT NOT NULL, state TEXT NOT NULL, failure TEXT NOT NULL, placement TEXT NOT NULL, ends TEXT NOT NULL,
  planned_ms INTEGER NOT NULL, started_ms INTEGER NOT NULL, stop_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL,
  stop_intents INTEGER NOT NULL, signal_intents INTEGER NOT NULL, native_state TEXT NOT NULL, native_reason TEXT NOT NULL,
  resumed_from TEXT NOT NULL, checkpoint TEXT NOT NULL, checkpoint_ms INTEGER NOT NULL, observed INTEGER NOT NULL) STRICT;
CREATE INDEX attempts_by_workload ON attempts(workload, number);
CREATE TABLE intents(
  attempt INTEGER NOT NULL, kind TEXT NOT NULL, ordinal INTEGER NOT NULL, workload INTEGER NOT NULL, cluster TEXT NOT NULL,
  state TEXT NOT NULL, created_ms INTEGER NOT NULL, signal INTEGER NOT NULL, first_signal INTEGER NOT NULL,
  first_grace_ms INTEGER NOT NULL, grace_ms INTEGER NOT NULL, reason TEXT NOT NULL,
  PRIMARY KEY(attempt, kind, ordinal)) STRICT, WITHOUT ROWID;
CREATE INDEX intents_open ON intents(attempt) WHERE state = 'open';
CREATE TABLE events(
  sequence INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, kind TEXT NOT NULL, project TEXT NOT NULL,
  workload INTEGER NOT NULL, attempt INTEGER NOT NULL, detail TEXT NOT NULL) STRICT;
CREATE TABLE audits(
  sequence INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, principal TEXT NOT NULL, action TEXT NOT NULL,
  object TEXT NOT NULL, project TEXT NOT NULL, allowed INTEGER NOT NULL, rule TEXT NOT NULL, detail TEXT NOT NULL,
  hash BLOB NOT NULL) STRICT;
CREATE TABLE postings(
  sequence INTEGER PRIMARY KEY, workload INTEGER NOT NULL, attempt INTEGER NOT NULL, project TEXT NOT NULL,
  user TEXT NOT NULL, class TEXT NOT NULL, cluster TEXT NOT NULL, node TEXT NOT NULL, vendor TEXT NOT NULL,
  device_model TEXT NOT NULL, milli_devices INTEGER NOT NULL, from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL,
  category TEXT NOT NULL) STRICT;
CREATE INDEX postings_by_end ON postings(to_ms);
CREATE INDEX postings_by_workload ON postings(workload);
CREATE TABLE model_versions(
  project TEXT NOT NULL, model TEXT NOT NULL, version INTEGER NOT NULL, uri TEXT NOT NULL, digest BLOB NOT NULL,
  size_bytes INTEGER NOT NULL, workload INTEGER NOT NULL, attempt INTEGER NOT NULL, created_by TEXT NOT NULL,
  created_ms INTEGER NOT NULL, metrics TEXT NOT NULL, PRIMARY KEY(project, model, version)) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency(
  id INTEGER PRIMARY KEY, key BLOB NOT NULL, body BLOB NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL,
  at_ms INTEGER NOT NULL) STRICT;
CREATE TABLE audit_checkpoints(
  id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, at_ms INTEGER NOT NULL, hash BLOB NOT NULL, key_id TEXT NOT NULL,
  signature BLOB NOT NULL) STRICT;
CREATE TABLE audit_head(
  one INTEGER PRIMARY KEY CHECK(one = 1), sequence INTEGER NOT NULL, at_ms INTEGER NOT NULL, hash BLOB NOT NULL,
  key_id TEXT NOT NULL, signature BLOB NOT NULL) STRICT;
)sql",
    // Jobs that people started on a cluster themselves.
    R"sql(
ALTER TABLE workloads ADD COLUMN native TEXT NOT NULL DEFAULT '';
)sql",
});

constexpr int kApplicationId = 0x464c4431;  // "FLD1": tells our databases from those of other programs

Result<int> number(Connection& connection, std::string_view sql) {
  auto text = connection.value(sql);
  if (!text) return tl::unexpected(std::move(text.error()));
  int value = 0;
  std::from_chars(text->data(), text->data() + text->size(), value);
  return value;
}

std::string nameOf(Connection& connection) { return sqlite3_db_filename(connection.handle(), "main"); }

Result<void> inTransaction(Connection& connection, const std::string& sql) {
  auto done = connection.execute("BEGIN IMMEDIATE;" + sql + "COMMIT;");
  if (!done && sqlite3_get_autocommit(connection.handle()) == 0) (void)connection.execute("ROLLBACK");
  return done;
}

Result<void> apply(Connection& connection, int step, std::int64_t nowMs) {
  std::string sql;
  if (step == 1)
    sql = fmt::format(
        "PRAGMA application_id = {};"
        "CREATE TABLE schema_version(version INTEGER NOT NULL, applied_ms INTEGER NOT NULL) STRICT;",
        kApplicationId);
  sql += kSteps[static_cast<std::size_t>(step - 1)];
  return inTransaction(connection, sql + fmt::format("INSERT INTO schema_version VALUES({}, {});", step, nowMs));
}

}  // namespace

int newestSchema() { return static_cast<int>(kSteps.size()); }

Result<int> readSchema(Connection& connection) {
  auto tables = number(connection, "SELECT count(*) FROM sqlite_schema");
  if (!tables || *tables == 0) return tables;
  auto application = number(connection, "PRAGMA application_id");
  if (!application) return application;
  if (*application != kApplicationId)
    return fail(kNotADatabase, fmt::format("{} is the SQLite database of another program", nameOf(connection)),
                "name another file, or move this one away");
  auto version = number(connection, "SELECT ifnull(max(version), 0) FROM schema_version");
  if (version && *version > newestSchema())
    return fail(kNewerSchema,
                fmt::format("{} has schema {}, this version knows schemas up to {}", nameOf(connection), *version,
                            newestSchema()),
                "start the version that wrote it, or a newer one, or restore a backup from before the upgrade");
  return version;
}

Result<void> migrate(Connection& connection, int from, std::int64_t nowMs) {
  for (int step = from + 1; step <= newestSchema(); ++step)
    if (auto done = apply(connection, step, nowMs); !done) return done;
  return {};
}

}  // namespace fairlead::store::sqlite
