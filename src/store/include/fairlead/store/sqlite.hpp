// The embedded durable store: one SQLite file in WAL mode, every commit on disk before it is answered.
#pragma once

#include <fairlead/control/ports/store_port.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace fairlead::store {

struct SqliteOptions {
  std::string path;           ///< the database file; its folder must be there. `-wal`, `-shm` and `.lock` lie beside it
  std::int64_t maxBytes = 0;  ///< the file never grows beyond; then commits fail with store/disk-full. 0: no limit
  std::int64_t checkUpToBytes = 64 << 20;  ///< files up to this size are checked page by page at open
};

/// Opens the file, or makes it with mode 0600, and brings its schema up to date. One daemon at a time: a lock is held
/// until the store is destroyed. Errors: store/folder-missing, folder-unsafe, read-only, in-use, not-a-database,
/// newer-schema, corrupt, disk-full, io; nothing is changed then.
[[nodiscard]] Result<std::unique_ptr<control::StorePort>> openSqlite(const SqliteOptions& options);

}  // namespace fairlead::store
