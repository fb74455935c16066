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
[[nodiscard]] model::Workload sampleWorkload(std::uint64_t n, model::SpecPtr const& spec);
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
[[nodiscard]] std::string dump(model::SpecDocument const& row);
[[nodiscard]] std::string dump(model::Workload const& row);
[[nodiscard]] std::string dump(model::Attempt const& row);
[[nodiscard]] std::string dump(model::Intent const& row);
[[nodiscard]] std::string dump(model::Event const& row);
[[nodiscard]] std::string dump(model::AuditRecord const& row);
[[nodiscard]] std::string dump(model::Posting const& row);
[[nodiscard]] std::string dump(model::ModelVersion const& row);
[[nodiscard]] std::string dump(model::IdempotencyRecord const& row);
[[nodiscard]] std::string dump(model::AuditCheckpoint const& row);
[[nodiscard]] std::string dump(control::StoreHeads const& heads);

template <class Row>
[[nodiscard]] std::vector<std::string> dumpAll(std::vector<Row> const& rows) {
  std::vector<std::string> texts;
  for (Row const& row : rows) texts.push_back(dump(row));
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
[[nodiscard]] std::vector<std::string> dump(Loaded const& loaded);

[[nodiscard]] std::vector<model::Event> allEvents(control::StorePort& store, std::uint64_t after = 0,
                                                  std::string const& project = {});
[[nodiscard]] std::vector<model::AuditRecord> allAudits(control::StorePort& store, std::uint64_t from = 0);
[[nodiscard]] std::vector<model::Posting> allPostings(control::StorePort& store,
                                                      control::PostingQuery const& query = {});

}  // namespace fairlead::store::testing
