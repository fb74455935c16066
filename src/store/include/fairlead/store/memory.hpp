// The store of tests and simulation: same rules as the durable ones, nothing outlives the object.
#pragma once

#include <fairlead/control/ports/store_port.hpp>

#include <cstdint>
#include <memory>

namespace fairlead::store {

/// Thread-safe in every member function. `load` may be called again at any time, so a test can restart control on the
/// same rows.
class MemoryStore final : public control::StorePort {
 public:
  MemoryStore();
  ~MemoryStore() override;

  Result<void> commit(const control::ChangeSet& changes) override;
  Result<control::StoreHeads> load(const control::LoadSink& sink) override;
  Result<void> readEvents(std::uint64_t after, const std::string& project,
                          const control::Visitor<model::Event>& visit) override;
  Result<void> readAudit(std::uint64_t from, const control::Visitor<model::AuditRecord>& visit) override;
  Result<std::vector<model::AuditCheckpoint>> readCheckpoints() override;
  Result<std::optional<model::AuditCheckpoint>> readAuditHead() override;
  Result<void> readPostings(const control::PostingQuery& query, const control::Visitor<model::Posting>& visit) override;
  Result<std::vector<model::Attempt>> readAttempts(model::WorkloadId workload) override;
  [[nodiscard]] std::string describe() const override;

  /// The next `times` commits fail and change nothing: with store/disk-full, or with `error`.
  void failNextCommit(int times = 1);
  void failNextCommit(Error error, int times = 1);
  /// Commits that succeeded.
  [[nodiscard]] std::uint64_t commits() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

[[nodiscard]] std::unique_ptr<MemoryStore> makeMemoryStore();

}  // namespace fairlead::store
