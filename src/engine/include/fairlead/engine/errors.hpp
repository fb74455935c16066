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

inline constexpr ErrorCode kSlurmUnreachable{"engine/slurm-unreachable", ErrorKind::unavailable,
                                             "Slurm cannot be reached or cannot answer now."};
inline constexpr ErrorCode kSlurmUncertain{"engine/slurm-uncertain", ErrorKind::timeout,
                                           "Slurm was asked and its answer is unknown."};
inline constexpr ErrorCode kSlurmRefused{"engine/slurm-refused", ErrorKind::invalid, "Slurm refuses the request."};
inline constexpr ErrorCode kSlurmDenied{"engine/slurm-denied", ErrorKind::denied,
                                        "Slurm does not let this user do that."};
inline constexpr ErrorCode kSlurmUnknownJob{"engine/slurm-unknown-job", ErrorKind::notFound,
                                            "Slurm does not know the job, or it has ended."};
inline constexpr ErrorCode kSlurmCredentials{"engine/slurm-credentials", ErrorKind::unavailable,
                                             "There is no token that Slurm takes."};
inline constexpr ErrorCode kSlurmMalformed{"engine/slurm-malformed", ErrorKind::unavailable,
                                           "An answer of Slurm cannot be read."};
inline constexpr ErrorCode kSlurmUnsupported{"engine/slurm-unsupported", ErrorKind::unsupported,
                                             "This way to Slurm cannot do that."};
inline constexpr ErrorCode kSlurmOptions{"engine/slurm-options", ErrorKind::invalid,
                                         "The connection to a Slurm cluster is not usable as configured."};

}  // namespace fairlead::engine
