// The hash chain of audit records: each record's hash covers all its fields and the hash before it.
#pragma once

#include <fairlead/model/records.hpp>

namespace fairlead::audit {

using model::AuditCheckpoint;
using model::AuditRecord;
using model::Digest;

/// SHA-256 over `previous` and all fields of `record` but `hash`, in an encoding in which no two records look alike
/// (a version byte, fixed-width little-endian numbers, texts with their length before them). The first record's
/// `previous` is all zero. Any thread.
[[nodiscard]] Digest chainHash(const Digest& previous, const AuditRecord& record);

/// Fills `record.hash`; sequence and all other fields must stand already. `previous` is the hash of record sequence-1.
void appendToChain(AuditRecord& record, const Digest& previous);

}  // namespace fairlead::audit
