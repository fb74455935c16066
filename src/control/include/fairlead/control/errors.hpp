// Declared failures of control.
#pragma once

#include <fairlead/base/result.hpp>

namespace fairlead::control {

inline constexpr ErrorCode kWorkloadUnknown{"control/workload-unknown", ErrorKind::notFound, "no such workload"};
inline constexpr ErrorCode kAttemptUnknown{"control/attempt-unknown", ErrorKind::notFound, "no such attempt"};
inline constexpr ErrorCode kNotAllowedInState{"control/not-allowed-in-state", ErrorKind::conflict,
                                              "not possible in the workload's state"};
inline constexpr ErrorCode kNativeJob{"control/native-job", ErrorKind::conflict,
                                      "the job was not started here and is only observed"};
inline constexpr ErrorCode kRevisionMismatch{"control/revision-mismatch", ErrorKind::precondition,
                                             "the workload has changed since it was read"};
inline constexpr ErrorCode kIdempotencyMismatch{"control/idempotency-mismatch", ErrorKind::conflict,
                                                "the idempotency key was used with another request"};
inline constexpr ErrorCode kNotStored{"control/not-stored", ErrorKind::unavailable,
                                      "the change could not be made durable"};
inline constexpr ErrorCode kStopping{"control/stopping", ErrorKind::unavailable, "the daemon is stopping"};
inline constexpr ErrorCode kBusy{"control/busy", ErrorKind::unavailable, "too many commands are waiting"};
inline constexpr ErrorCode kDependency{"control/dependency", ErrorKind::invalid,
                                       "a dependency that can never be fulfilled"};
inline constexpr ErrorCode kModelUnknown{"control/model-unknown", ErrorKind::invalid, "no such model version"};
inline constexpr ErrorCode kNoUnixUser{"control/no-unix-user", ErrorKind::denied, "nobody to run as"};
inline constexpr ErrorCode kAttemptsLive{"control/attempts-live", ErrorKind::conflict,
                                         "work of ours holds capacity on the cluster"};
inline constexpr ErrorCode kClusterKnown{"control/cluster-known", ErrorKind::conflict,
                                         "a cluster of this name is connected"};
inline constexpr ErrorCode kNoEngine{"control/no-engine", ErrorKind::unavailable, "the cluster is not connected"};

}  // namespace fairlead::control
