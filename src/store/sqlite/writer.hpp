// Writes one change set inside a transaction that its owner began.
#pragma once

#include "sqlite/database.hpp"
#include "sqlite/fields.hpp"

#include <fairlead/control/ports/store_port.hpp>

#include <vector>

namespace fairlead::store::sqlite {

/// A delete that is done in slices, one a commit, so that no commit waits for a million rows.
struct SlicedDrop {
  std::int64_t next = 0;  ///< first number not looked at yet
  std::int64_t end = 0;   ///< behind the last to look at; next == end: nothing to do
  TimePoint before;
};

/// The statement that writes one row of a table, and one that writes many: a third of a statement's cost is its start
/// and end.
struct RowStatements {
  static constexpr int kMany = 16;
  Statement one;
  Statement many;
};

/// Control thread only.
class Writer {
 public:
  /// Reads where the sequences stand and prepares every statement.
  [[nodiscard]] static Result<Writer> make(Connection& connection);

  /// All rows of the set. On an error the owner rolls back and calls `forget`; after the commit `remember`.
  [[nodiscard]] Result<void> write(const control::ChangeSet& changes);
  void remember(const control::ChangeSet& changes);
  void forget();

  [[nodiscard]] const control::StoreHeads& heads() const { return heads_; }
  [[nodiscard]] const SpecNumbers& specs() const { return specs_; }

 private:
  [[nodiscard]] Result<void> prepare(Connection& connection);
  template <class Row>
  [[nodiscard]] Result<void> writeAll(RowStatements& statements, const std::vector<Row>& rows);
  [[nodiscard]] Result<void> writeSpecs(const std::vector<model::SpecPtr>& specs);
  [[nodiscard]] Result<void> writeAuditHead(const control::ChangeSet& changes);
  [[nodiscard]] Result<void> dropEvents(const control::ChangeSet& changes);
  [[nodiscard]] Result<void> dropIdempotency(TimePoint before);

  Statement specInsert_, auditHeadReplace_, eventsDrop_, idempotencyDrop_, idempotencyBounds_;
  RowStatements workloads_, attempts_, intents_, events_, audits_, postings_, versions_, idempotencyRows_, checkpoints_;
  control::StoreHeads heads_;  ///< oldestEvent: the oldest that readers are shown
  SpecNumbers specs_;
  std::vector<model::Digest> added_;  ///< in specs_, not committed yet
  std::uint64_t storedFrom_ = 0;      ///< events below are deleted; rises to heads_.oldestEvent in slices
  std::uint64_t storedNext_ = 0;      ///< storedFrom_ after the commit under way
  std::uint64_t oldestNext_ = 0;      ///< heads_.oldestEvent after it
  SlicedDrop idempotency_;
  SlicedDrop idempotencyNext_;
};

}  // namespace fairlead::store::sqlite
