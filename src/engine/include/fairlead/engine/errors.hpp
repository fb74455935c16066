// What can go wrong in the engine adapters.
#pragma once

#include <fairlead/base/result.hpp>

namespace fairlead::engine {

inline constexpr ErrorCode kFolderUnusable{"engine/folder-unusable", ErrorKind::unavailable,
                                           "The engine's state folder cannot be used."};
inline constexpr ErrorCode kFileFailed{"engine/file-failed", ErrorKind::unavailable, "A file operation failed."};
inline constexpr ErrorCode kFileTooLarge{"engine/file-too-large", ErrorKind::tooLarge, "A file is over its limit."};
inline constexpr ErrorCode kFileMalformed{"engine/file-malformed", ErrorKind::internal,
                                          "A file of the engine does not have its form."};
inline constexpr ErrorCode kNotFound{"engine/not-found", ErrorKind::notFound, "The engine does not know it."};
inline constexpr ErrorCode kOrderRefused{"engine/order-refused", ErrorKind::invalid,
                                         "The order can never be carried out on this host."};
inline constexpr ErrorCode kUnknownUser{"engine/unknown-user", ErrorKind::invalid, "The Unix user is not known here."};
inline constexpr ErrorCode kProcessFailed{"engine/process-failed", ErrorKind::unavailable,
                                          "A process could not be started or watched."};
inline constexpr ErrorCode kUnsafePath{"engine/unsafe-path", ErrorKind::denied,
                                       "A path leaves its folder or is not a plain file or folder."};
inline constexpr ErrorCode kDigestMismatch{"engine/digest-mismatch", ErrorKind::conflict,
                                           "The content is not what its digest says."};
inline constexpr ErrorCode kDevicesUnreadable{"engine/devices-unreadable", ErrorKind::unavailable,
                                              "The accelerators of this host cannot be read."};

}  // namespace fairlead::engine
