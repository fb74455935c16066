// Is the audit trail what was written? Finds the first edit, deletion, reorder and truncation and names the record.
#pragma once

#include <fairlead/audit/chain.hpp>
#include <fairlead/audit/signer.hpp>
#include <fairlead/base/enum_text.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fairlead::audit {

enum class AuditProblemKind : std::uint8_t {
  edited,              ///< the record is not the one whose hash is in the chain
  deleted,             ///< the record is missing, later ones exist
  reordered,           ///< the record stands at another place than it was written
  truncated,           ///< the record and all behind it are missing, or the signed head is
  checkpointMismatch,  ///< the chain is consistent, and not the one that was signed: rewritten up to this record
  badSignature,        ///< a checkpoint's signature does not fit its content
  unknownKey,          ///< a checkpoint is signed with a key that was not given
  unsignedTail,        ///< the record and those behind it are not covered by the signed head: added by somebody else
};

struct AuditProblem {
  AuditProblemKind kind = AuditProblemKind::edited;
  std::uint64_t sequence = 0;  ///< of the record; for checkpoints: of the record they cover
  std::string text;            ///< one sentence for people
};

struct AuditReport {
  bool ok = false;
  std::uint64_t records = 0;                 ///< looked at
  std::uint64_t checkpointsChecked = 0;      ///< signatures verified and found in the chain, the head included
  std::optional<AuditProblem> firstProblem;  ///< the one with the lowest sequence
};

/// Fed with records as they are stored, in constant memory. Also give checkpoints that were kept elsewhere: only they
/// show that somebody put an older, complete database (with its older head) in place of a newer one. Not thread-safe.
class ChainVerifier {
 public:
  /// `keys` must outlive it. Checkpoints in any order.
  ChainVerifier(const Verifier& keys, std::vector<AuditCheckpoint> checkpoints);

  /// The next record as stored; call for all, from the first on.
  void add(const AuditRecord& record);
  /// Where reading goes on: 1 + the highest sequence seen. Against a live daemon: feed all records, then read the head,
  /// then feed from here to head.sequence, so that records committed meanwhile are neither missing nor unsigned.
  [[nodiscard]] std::uint64_t nextSequence() const { return highest_ + 1; }
  /// Once, after the last record. `head` empty: only right for a trail without records.
  [[nodiscard]] AuditReport finish(const std::optional<AuditCheckpoint>& head);

 private:
  void breakAt(const AuditRecord& record);
  void reviseBreak(const AuditRecord& record);
  void compareCheckpoints(const AuditRecord& record);
  bool checkSignature(const AuditCheckpoint& checkpoint);
  void checkHead(const AuditCheckpoint& head);
  void note(AuditProblemKind kind, std::uint64_t sequence, std::string text);

  const Verifier& keys_;
  std::multimap<std::uint64_t, AuditCheckpoint> checkpoints_;  ///< valid signatures only
  AuditReport report_;
  Digest hash_{};              ///< of the last record that follows
  std::uint64_t last_ = 0;     ///< its sequence
  std::uint64_t highest_ = 0;  ///< of all seen, right or wrong
  std::uint64_t agreed_ = 0;   ///< last record that a signed checkpoint confirms
  bool broken_ = false;        ///< record last_ + 1 is not what follows
};

}  // namespace fairlead::audit

template <>
inline constexpr auto fairlead::kEnumNames<fairlead::audit::AuditProblemKind> =
    std::to_array<std::pair<fairlead::audit::AuditProblemKind, std::string_view>>({
        {fairlead::audit::AuditProblemKind::edited, "edited"},
        {fairlead::audit::AuditProblemKind::deleted, "deleted"},
        {fairlead::audit::AuditProblemKind::reordered, "reordered"},
        {fairlead::audit::AuditProblemKind::truncated, "truncated"},
        {fairlead::audit::AuditProblemKind::checkpointMismatch, "checkpoint-mismatch"},
        {fairlead::audit::AuditProblemKind::badSignature, "bad-signature"},
        {fairlead::audit::AuditProblemKind::unknownKey, "unknown-key"},
        {fairlead::audit::AuditProblemKind::unsignedTail, "unsigned-tail"},
    });
