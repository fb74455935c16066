// What control needs of a store: one durable transaction at a time, and reads that never disturb it.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/model/records.hpp>
#include <fairlead/model/workload.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fairlead::control {

/// All that one transaction writes. Rows of workloads, attempts and intents are upserts (whole rows); the others are
/// inserts.
struct ChangeSet {
  std::vector<model::SpecPtr> specs;  ///< inserted when the digest is new
  std::vector<model::Workload> workloads;
  std::vector<model::Attempt> attempts;
  std::vector<model::Intent> intents;
  std::vector<model::Event> events;
  std::vector<model::AuditRecord> audits;
  std::vector<model::Posting> postings;
  std::vector<model::ModelVersion> versions;
  std::vector<model::IdempotencyRecord> idempotency;
  std::vector<model::AuditCheckpoint> checkpoints;  ///< kept for ever
  std::optional<model::AuditCheckpoint> auditHead;  ///< replaces the one before
  std::uint64_t dropEventsBefore = 0;               ///< retention: events with a smaller sequence may go; 0: none
  TimePoint dropIdempotencyBefore;                  ///< 0: none

  [[nodiscard]] bool empty() const;
};

/// Receives every row that live state needs, in this order: specs, workloads (rising id), attempts (rising id), intents
/// (open only), versions, idempotency. Rows are moved in one by one so that a million of them never exist twice.
struct LoadSink {
  std::function<void(model::SpecPtr)> spec;
  std::function<void(model::Workload)> workload;  ///< its `spec` is set to the SpecPtr given before
  std::function<void(model::Attempt)> attempt;  ///< of every attempt that is not final, and the newest of each workload
  std::function<void(model::Intent)> intent;
  std::function<void(model::ModelVersion)> version;
  std::function<void(model::IdempotencyRecord)> idempotency;
};

/// Where the sequences stand: the highest value ever stored (0: none).
struct StoreHeads {
  std::uint64_t workload = 0;
  std::uint64_t attempt = 0;
  std::uint64_t event = 0;
  std::uint64_t audit = 0;
  std::uint64_t posting = 0;
  std::uint64_t oldestEvent = 0;  ///< smallest event sequence still kept (0: none)
  model::Digest auditHash{};      ///< hash of the newest audit record (zero: none)
};

struct PostingQuery {
  TimePoint from;  ///< postings that overlap [from, to)
  TimePoint to;
  std::string project;         ///< empty: all
  model::WorkloadId workload;  ///< 0: all
};

/// Visits rows in order; return false to stop.
template <class Row>
using Visitor = std::function<bool(const Row&)>;

class StorePort {
 public:
  virtual ~StorePort() = default;
  /// Control thread only. All or nothing, durable when it returns. A failure (disk full, I/O error) leaves the store as
  /// it was.
  virtual Result<void> commit(const ChangeSet& changes) = 0;
  /// Control thread only, once, before the first commit.
  virtual Result<StoreHeads> load(const LoadSink& sink) = 0;

  // Reads: any thread, at once with a commit; they see whole transactions only.
  /// Events with sequence > after, rising. `project` empty: all.
  virtual Result<void> readEvents(std::uint64_t after, const std::string& project,
                                  const Visitor<model::Event>& visit) = 0;
  /// Audit records with sequence >= from, rising.
  virtual Result<void> readAudit(std::uint64_t from, const Visitor<model::AuditRecord>& visit) = 0;
  virtual Result<std::vector<model::AuditCheckpoint>> readCheckpoints() = 0;
  virtual Result<std::optional<model::AuditCheckpoint>> readAuditHead() = 0;
  virtual Result<void> readPostings(const PostingQuery& query, const Visitor<model::Posting>& visit) = 0;
  /// All attempts of a workload, rising number (also those that live state has dropped).
  virtual Result<std::vector<model::Attempt>> readAttempts(model::WorkloadId workload) = 0;
  /// One line for people: `sqlite /var/lib/fairlead/fairlead.db, schema 3`.
  [[nodiscard]] virtual std::string describe() const = 0;
};

}  // namespace fairlead::control
