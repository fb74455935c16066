// Rows for tests: every field set, every value different; and a text of every field, so that a forgotten one shows as a
// difference.
#pragma once

#include <fairlead/control/ports/store_port.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace fairlead::store::testing {

/// Row number `n`: equal for equal n, different in every field for different n. No field has its default value.
[[nodiscard]] model::SpecPtr sampleSpec(std::uint64_t n);
[[nodiscard]] model::Workload sampleWorkload(std::uint64_t n, const model::SpecPtr& spec);
[[nodiscard]] model::Attempt sampleAttempt(std::uint64_t n, model::WorkloadId workload);
[[nodiscard]] model::Intent sampleIntent(std::uint64_t n, model::AttemptId attempt);
[[nodiscard]] model::Event sampleEvent(std::uint64_t n);
[[nodiscard]] model::AuditRecord sampleAudit(std::uint64_t n);
[[nodiscard]] model::Posting samplePosting(std::uint64_t n);
[[nodiscard]] model::ModelVersion sampleVersion(std::uint64_t n);
[[nodiscard]] model::IdempotencyRecord sampleIdempotency(std::uint64_t n);
[[nodiscard]] model::AuditCheckpoint sampleCheckpoint(std::uint64_t n);
[[nodiscard]] model::Digest sampleDigest(std::uint64_t n);

/// Every field as text. Does not compile when a row has a field that is not in it.
[[nodiscard]] std::string dump(const model::SpecDocument& row);
[[nodiscard]] std::string dump(const model::Workload& row);
[[nodiscard]] std::string dump(const model::Attempt& row);
[[nodiscard]] std::string dump(const model::Intent& row);
[[nodiscard]] std::string dump(const model::Event& row);
[[nodiscard]] std::string dump(const model::AuditRecord& row);
[[nodiscard]] std::string dump(const model::Posting& row);
[[nodiscard]] std::string dump(const model::ModelVersion& row);
[[nodiscard]] std::string dump(const model::IdempotencyRecord& row);
[[nodiscard]] std::string dump(const model::AuditCheckpoint& row);
[[nodiscard]] std::string dump(const control::StoreHeads& heads);

template <class Row>
[[nodiscard]] std::vector<std::string> dumpAll(const std::vector<Row>& rows) {
  std::vector<std::string> texts;
  for (const Row& row : rows) texts.push_back(dump(row));
  return texts;
}

/// What `load` gave, in its order.
struct Loaded {
  std::vector<model::SpecPtr> specs;
  std::vector<model::Workload> workloads;
  std::vector<model::Attempt> attempts;
  std::vector<model::Intent> intents;
  std::vector<model::ModelVersion> versions;
  std::vector<model::IdempotencyRecord> idempotency;
  control::StoreHeads heads;
};

/// Ends the process with the error's text when the store cannot be loaded.
[[nodiscard]] Loaded loadAll(control::StorePort& store);
/// All of it as lines; equal for stores that hold the same.
[[nodiscard]] std::vector<std::string> dump(const Loaded& loaded);

[[nodiscard]] std::vector<model::Event> allEvents(control::StorePort& store, std::uint64_t after = 0,
                                                  const std::string& project = {});
[[nodiscard]] std::vector<model::AuditRecord> allAudits(control::StorePort& store, std::uint64_t from = 0);
[[nodiscard]] std::vector<model::Posting> allPostings(control::StorePort& store,
                                                      const control::PostingQuery& query = {});

}  // namespace fairlead::store::testing
