// Declared failures of clusters.
#pragma once

#include <fairlead/base/result.hpp>

namespace fairlead::clusters {

inline constexpr ErrorCode kNoCluster{"clusters/unknown", ErrorKind::notFound, "no such cluster"};
inline constexpr ErrorCode kDocumentFile{"clusters/document-file", ErrorKind::unavailable,
                                         "the file of a cluster's document"};
inline constexpr ErrorCode kProgramsRefused{"clusters/programs-refused", ErrorKind::denied,
                                            "programs to run may be named on the daemon's host only"};

}  // namespace fairlead::clusters
