// The database's file, folder and lock, looked at before SQLite is let near them.
#pragma once

#include <fairlead/base/result.hpp>

#include <cstdint>
#include <string>
#include <utility>

namespace fairlead::store::sqlite {

/// A descriptor that is closed with its owner, which also gives up its lock.
class FileLock {
 public:
  FileLock() = default;
  explicit FileLock(int descriptor) : descriptor_(descriptor) {}
  ~FileLock();
  FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileLock& operator=(FileLock&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }

 private:
  int descriptor_ = -1;
};

/// The folder is there, ours to write, and nobody else can put another file in the database's place.
[[nodiscard]] Result<void> checkFolder(const std::string& path);
/// Takes `path.lock` for this process; store/in-use names the process that has it.
[[nodiscard]] Result<FileLock> lockDatabase(const std::string& path);
/// Makes an empty file of mode 0600, or looks at the one there: regular, writable, of SQLite's format. The answer is
/// its size in bytes.
[[nodiscard]] Result<std::int64_t> prepareFile(const std::string& path);
/// Takes the rights of group and others away.
[[nodiscard]] Result<void> restrictFile(const std::string& path);

}  // namespace fairlead::store::sqlite
