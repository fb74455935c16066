// What can go wrong in handoff.
#pragma once

#include <fairlead/base/result.hpp>

namespace fairlead::handoff {

inline constexpr ErrorCode kNotSuccessful{"handoff/not-successful", ErrorKind::conflict,
                                          "Only a successful attempt makes a model version."};
inline constexpr ErrorCode kNotAModel{"handoff/not-a-model", ErrorKind::invalid,
                                      "This output is not declared as a model."};
inline constexpr ErrorCode kOutputUnusable{"handoff/output-unusable", ErrorKind::unavailable,
                                           "The output could not be taken as a model version."};
inline constexpr ErrorCode kVersionsExhausted{"handoff/versions-exhausted", ErrorKind::conflict,
                                              "The model has no version number left."};
inline constexpr ErrorCode kModelNotFound{"handoff/model-not-found", ErrorKind::notFound,
                                          "There is no such model in this project."};
inline constexpr ErrorCode kVersionNotFound{"handoff/version-not-found", ErrorKind::notFound,
                                            "There is no such version of this model."};

}  // namespace fairlead::handoff
