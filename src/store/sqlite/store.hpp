// The StorePort over one SQLite file.
#pragma once

#include "sqlite/checkpointer.hpp"
#include "sqlite/file.hpp"
#include "sqlite/reader_pool.hpp"
#include "sqlite/writer.hpp"

#include <fairlead/control/ports/store_port.hpp>

#include <atomic>
#include <memory>
#include <string>

namespace fairlead::store::sqlite {

class SqliteStore final : public control::StorePort {
 public:
  SqliteStore(std::string path, FileLock lock, std::unique_ptr<Connection> connection, Writer writer,
              std::unique_ptr<Checkpointer> checkpointer);

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

 private:
  [[nodiscard]] Result<void> writeTransaction(const control::ChangeSet& changes);
  void publishHeads();

  std::string path_;
  FileLock lock_;
  std::unique_ptr<Connection> connection_;  ///< the writer's; its address is known to the statements' owner
  Statement begin_, commit_;
  Writer writer_;
  ReaderPool readers_;
  std::unique_ptr<Checkpointer> checkpointer_;
  // What readers may see, written after each commit: readers page through rows without holding a snapshot.
  std::atomic<std::uint64_t> oldestEvent_{0};
  std::atomic<std::uint64_t> lastEvent_{0};
  std::atomic<std::uint64_t> lastAudit_{0};
};

}  // namespace fairlead::store::sqlite
