// What can be wrong with a call, as declared codes.
#pragma once

#include <fairlead/base/result.hpp>

namespace fairlead::api {

inline constexpr ErrorCode kNoSuchEndpoint{"api/no-such-endpoint", ErrorKind::notFound, "There is no such endpoint"};
inline constexpr ErrorCode kWrongMethod{"api/wrong-method", ErrorKind::unsupported,
                                        "The endpoint does not take this method"};
inline constexpr ErrorCode kNotAuthenticated{"api/not-authenticated", ErrorKind::denied, "Nobody is authenticated"};
inline constexpr ErrorCode kDenied{"api/denied", ErrorKind::denied, "Not allowed"};
inline constexpr ErrorCode kNotFound{"api/not-found", ErrorKind::notFound, "Not found"};
inline constexpr ErrorCode kAmbiguous{"api/ambiguous", ErrorKind::conflict, "The name or prefix fits more than one"};
inline constexpr ErrorCode kUnknownParameter{"api/unknown-parameter", ErrorKind::invalid, "There is no such parameter"};
inline constexpr ErrorCode kBadParameter{"api/bad-parameter", ErrorKind::invalid, "A parameter is not usable"};
inline constexpr ErrorCode kBadCursor{"api/bad-cursor", ErrorKind::invalid, "The cursor is not one of this list"};
inline constexpr ErrorCode kContentType{"api/content-type", ErrorKind::unsupported,
                                        "The content type is not taken here"};
inline constexpr ErrorCode kBodyTooLarge{"api/body-too-large", ErrorKind::tooLarge, "The body is over the limit"};
inline constexpr ErrorCode kUnexpectedBody{"api/unexpected-body", ErrorKind::invalid, "The endpoint takes no body"};
inline constexpr ErrorCode kNoProject{"api/no-project", ErrorKind::invalid, "No project is named"};
inline constexpr ErrorCode kTooManyItems{"api/too-many-items", ErrorKind::tooLarge, "The request holds too many items"};
inline constexpr ErrorCode kNoItems{"api/no-items", ErrorKind::invalid, "The request holds nothing"};
inline constexpr ErrorCode kBusy{"api/busy", ErrorKind::unavailable, "Too much is going on"};
inline constexpr ErrorCode kNoAttempt{"api/no-attempt", ErrorKind::notFound, "The workload has no such attempt"};
inline constexpr ErrorCode kNoSuchCluster{"api/no-such-cluster", ErrorKind::notFound, "There is no such cluster"};
inline constexpr ErrorCode kLookedAtOnly{"api/looked-at-only", ErrorKind::conflict, "The cluster is only looked at"};
inline constexpr ErrorCode kRefusedByServer{"api/refused", ErrorKind::invalid, "The request was refused"};

}  // namespace fairlead::api
