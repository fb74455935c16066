// What can fail in net, as declared codes.
#pragma once

#include <fairlead/base/result.hpp>

namespace fairlead::net {

inline constexpr ErrorCode kBadListener{"net/bad-listener", ErrorKind::invalid, "a listener is not usable"};
inline constexpr ErrorCode kAddressInUse{"net/address-in-use", ErrorKind::conflict, "the address is already served"};
inline constexpr ErrorCode kTlsFiles{"net/tls-files", ErrorKind::invalid, "certificate or key cannot be used"};
inline constexpr ErrorCode kBadEndpoint{"net/bad-endpoint", ErrorKind::invalid, "the endpoint is not usable"};
inline constexpr ErrorCode kUnreachable{"net/unreachable", ErrorKind::unavailable, "the server cannot be reached"};
inline constexpr ErrorCode kTlsFailed{"net/tls-failed", ErrorKind::unavailable, "no trusted connection to the server"};
inline constexpr ErrorCode kBroken{"net/broken", ErrorKind::unavailable, "the connection broke"};
inline constexpr ErrorCode kTimeout{"net/timeout", ErrorKind::timeout, "no answer in time"};
inline constexpr ErrorCode kCancelled{"net/cancelled", ErrorKind::unavailable, "cancelled"};
inline constexpr ErrorCode kAnswerTooLarge{"net/answer-too-large", ErrorKind::tooLarge, "the answer is over the limit"};
inline constexpr ErrorCode kBadTarget{"net/bad-target", ErrorKind::invalid, "the request target is malformed"};
inline constexpr ErrorCode kEventTooLarge{"net/event-too-large", ErrorKind::tooLarge, "an event is over the limit"};
inline constexpr ErrorCode kSpawnFailed{"net/spawn-failed", ErrorKind::unavailable, "the program cannot be started"};

}  // namespace fairlead::net
