// Every failure that the store adapters answer with.
#pragma once

#include <fairlead/base/result.hpp>

namespace fairlead::store {

inline constexpr ErrorCode kConflictingRow{"store/conflicting-row", ErrorKind::internal,
                                           "a row is there already or out of order"};
inline constexpr ErrorCode kUnknownSpec{"store/unknown-spec", ErrorKind::internal,
                                        "a workload's spec was never stored"};
inline constexpr ErrorCode kUnreadableRow{"store/unreadable-row", ErrorKind::internal,
                                          "a stored row cannot be understood"};
inline constexpr ErrorCode kFolderMissing{"store/folder-missing", ErrorKind::invalid,
                                          "the database's folder is not there"};
inline constexpr ErrorCode kFolderUnsafe{"store/folder-unsafe", ErrorKind::invalid, "others can replace the database"};
inline constexpr ErrorCode kReadOnly{"store/read-only", ErrorKind::unavailable, "the database cannot be written"};
inline constexpr ErrorCode kNotADatabase{"store/not-a-database", ErrorKind::invalid,
                                         "the file is not a Fairlead database"};
inline constexpr ErrorCode kNewerSchema{"store/newer-schema", ErrorKind::unsupported,
                                        "the database belongs to a newer version"};
inline constexpr ErrorCode kInUse{"store/in-use", ErrorKind::conflict, "another daemon has the database open"};
inline constexpr ErrorCode kCorrupt{"store/corrupt", ErrorKind::internal, "the database is damaged"};
inline constexpr ErrorCode kDiskFull{"store/disk-full", ErrorKind::unavailable, "no space left for the database"};
inline constexpr ErrorCode kIo{"store/io", ErrorKind::unavailable, "the database cannot be read or written"};

}  // namespace fairlead::store
