// Every statement of the adapter outside its schema.
#pragma once

#include "sqlite/tables.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace fairlead::store::sqlite::sql {

/// `verb INTO table(columns) VALUES(?,?,...),...`
[[nodiscard]] inline std::string write(std::string_view verb, std::string_view table, std::string_view columns,
                                       int rows) {
  std::string marks = "(?";
  for (auto commas = std::ranges::count(columns, ','); commas > 0; --commas) marks += ",?";
  marks += ")";
  std::string text =
      std::string(verb) + " INTO " + std::string(table) + "(" + std::string(columns) + ") VALUES" + marks;
  for (int row = 1; row < rows; ++row) text += "," + marks;
  return text;
}
template <class Row>
[[nodiscard]] std::string insert(int rows) {
  return write("INSERT", Table<Row>::name, Table<Row>::columns, rows);
}
/// Replaces the row of the same primary key. No table that is written so has another unique key.
template <class Row>
[[nodiscard]] std::string upsert(int rows) {
  return write("INSERT OR REPLACE", Table<Row>::name, Table<Row>::columns, rows);
}
template <class Row>
[[nodiscard]] std::string select(std::string_view rest) {
  return "SELECT " + std::string(Table<Row>::columns) + " FROM " + std::string(Table<Row>::name) + " " +
         std::string(rest);
}

inline constexpr std::string_view kBegin = "BEGIN IMMEDIATE";
inline constexpr std::string_view kCommit = "COMMIT";
inline constexpr std::string_view kRollback = "ROLLBACK";
inline constexpr std::string_view kInsertSpec = "INSERT INTO specs(id, digest, json) VALUES(?,?,?)";
inline constexpr std::string_view kReplaceAuditHead =
    "INSERT OR REPLACE INTO audit_head(sequence, at_ms, hash, key_id, signature, one) VALUES(?,?,?,?,?,1)";
inline constexpr std::string_view kDropEvents = "DELETE FROM events WHERE sequence < ?";
inline constexpr std::string_view kDropIdempotency = "DELETE FROM idempotency WHERE id >= ? AND id < ? AND at_ms < ?";
inline constexpr std::string_view kIdempotencyBounds = "SELECT ifnull(min(id), 0), ifnull(max(id), 0) FROM idempotency";

inline constexpr std::string_view kHeads =
    "SELECT ifnull((SELECT max(id) FROM workloads), 0), ifnull((SELECT max(id) FROM attempts), 0),"
    " ifnull((SELECT max(sequence) FROM events), 0), ifnull((SELECT max(sequence) FROM audits), 0),"
    " ifnull((SELECT max(sequence) FROM postings), 0), ifnull((SELECT min(sequence) FROM events), 0),"
    " (SELECT hash FROM audits ORDER BY sequence DESC LIMIT 1)";
inline constexpr std::string_view kOldestEvent = "SELECT ifnull(min(sequence), 0) FROM events WHERE sequence >= ?";
inline constexpr std::string_view kSpecDigests = "SELECT id, digest FROM specs ORDER BY id";
inline constexpr std::string_view kSpecs = "SELECT id, digest, json FROM specs ORDER BY id";

// What follows select<Row>().
inline constexpr std::string_view kById = "ORDER BY id";
inline constexpr std::string_view kOpenOrNewestAttempts =
    "AS a WHERE state NOT IN ('succeeded', 'failed', 'cancelled') OR NOT EXISTS"
    " (SELECT 1 FROM attempts AS b WHERE b.workload = a.workload AND b.number > a.number) ORDER BY id";
inline constexpr std::string_view kOpenIntents =
    "WHERE state = 'open' ORDER BY attempt, CASE kind WHEN 'start' THEN 0 WHEN 'stop' THEN 1 ELSE 2 END, ordinal";
inline constexpr std::string_view kByVersion = "ORDER BY project, model, version";
/// Parameters: first, last, how many.
inline constexpr std::string_view kPage = "WHERE sequence BETWEEN ? AND ? ORDER BY sequence LIMIT ?";
/// Parameters: first, last, how many, project.
inline constexpr std::string_view kPageOfProject =
    "WHERE sequence BETWEEN ?1 AND ?2 AND project = ?4 ORDER BY sequence LIMIT ?3";
/// Parameters of all three: from, to, project or empty, workload.
inline constexpr std::string_view kPostings =
    "WHERE +to_ms > ?1 AND from_ms < ?2 AND (?3 = '' OR project = ?3) AND ?4 = 0 ORDER BY sequence";
inline constexpr std::string_view kPostingsSince =
    "INDEXED BY postings_by_end WHERE to_ms > ?1 AND from_ms < ?2 AND (?3 = '' OR project = ?3) AND ?4 = 0"
    " ORDER BY sequence";
inline constexpr std::string_view kPostingsOfWorkload =
    "INDEXED BY postings_by_workload WHERE workload = ?4 AND to_ms > ?1 AND from_ms < ?2 AND (?3 = '' OR project = ?3)"
    " ORDER BY sequence";
inline constexpr std::string_view kAttemptsOfWorkload = "WHERE workload = ? ORDER BY number, id";
inline constexpr std::string_view kCheckpoints = "ORDER BY id";
inline constexpr std::string_view kAuditHead = "SELECT sequence, at_ms, hash, key_id, signature FROM audit_head";

}  // namespace fairlead::store::sqlite::sql
