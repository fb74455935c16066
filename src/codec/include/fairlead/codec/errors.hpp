// What can be wrong with a text. Every error carries line, column, field path, value and remedy where it has them.
#pragma once

#include <fairlead/base/result.hpp>

namespace fairlead::codec {

inline constexpr ErrorCode kSyntax{"codec/syntax", ErrorKind::invalid, "The text is not well-formed"};
inline constexpr ErrorCode kEncoding{"codec/encoding", ErrorKind::invalid, "The text is not plain UTF-8"};
inline constexpr ErrorCode kTextTooLarge{"codec/text-too-large", ErrorKind::tooLarge, "The text is too large"};
inline constexpr ErrorCode kTooManyValues{"codec/too-many-values", ErrorKind::tooLarge,
                                          "The document holds too many values"};
inline constexpr ErrorCode kTooDeep{"codec/too-deep", ErrorKind::tooLarge, "The document is nested too deeply"};
inline constexpr ErrorCode kDuplicateKey{"codec/duplicate-key", ErrorKind::invalid, "A key stands twice in one map"};
inline constexpr ErrorCode kUnknownField{"codec/unknown-field", ErrorKind::invalid, "The field does not exist"};
inline constexpr ErrorCode kMissingField{"codec/missing-field", ErrorKind::invalid, "A required field is missing"};
inline constexpr ErrorCode kWrongType{"codec/wrong-type", ErrorKind::invalid, "The value has the wrong type"};
inline constexpr ErrorCode kOutOfRange{"codec/out-of-range", ErrorKind::invalid, "The value is out of range"};
inline constexpr ErrorCode kBadValue{"codec/bad-value", ErrorKind::invalid, "The value is not allowed"};
inline constexpr ErrorCode kConflict{"codec/conflicting-fields", ErrorKind::invalid, "Fields exclude each other"};
inline constexpr ErrorCode kNotOffered{"codec/not-offered", ErrorKind::unsupported, "Understood, and not offered"};
inline constexpr ErrorCode kUnknownDirective{"codec/unknown-directive", ErrorKind::invalid,
                                             "sbatch has no such directive"};
inline constexpr ErrorCode kBadRow{"codec/bad-row", ErrorKind::internal, "A stored row cannot be read"};

inline constexpr ErrorCode kPatternUnknown{"codec/slurm-pattern-unknown", ErrorKind::unavailable,
                                           "A file name depends on what is not known"};
inline constexpr ErrorCode kSlurmUnreadable{"codec/slurm-unreadable", ErrorKind::internal,
                                            "An answer of Slurm cannot be read"};

}  // namespace fairlead::codec
