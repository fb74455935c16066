#include <fairlead/audit/verify.hpp>
#include <fairlead/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::audit {

ChainVerifier::ChainVerifier(const Verifier& keys, std::vector<AuditCheckpoint> checkpoints) : keys_(keys) {
  for (auto& checkpoint : checkpoints) {
    if (!checkSignature(checkpoint)) continue;
    const auto sequence = checkpoint.sequence;
    checkpoints_.emplace(sequence, std::move(checkpoint));
  }
}

bool ChainVerifier::checkSignature(const AuditCheckpoint& checkpoint) {
  const auto when = toText(checkpoint.at);
  switch (keys_.check(checkpoint)) {
    case SignatureCheck::valid:
      return true;
    case SignatureCheck::badSignature:
      note(AuditProblemKind::badSignature, checkpoint.sequence,
           fmt::format("the checkpoint of {} on record {} was edited: its signature does not fit", when,
                       checkpoint.sequence));
      return false;
    case SignatureCheck::unknownKey:
      note(AuditProblemKind::unknownKey, checkpoint.sequence,
           fmt::format("the checkpoint of {} on record {} is signed with key {}, whose public half was not given", when,
                       checkpoint.sequence, printable(checkpoint.keyId, 64)));
      return false;
  }
  return false;
}

void ChainVerifier::add(const AuditRecord& record) {
  ++report_.records;
  highest_ = std::max(highest_, record.sequence);
  if (broken_) return reviseBreak(record);
  if (record.sequence != last_ + 1 || chainHash(hash_, record) != record.hash) return breakAt(record);
  hash_ = record.hash;
  last_ = record.sequence;
  compareCheckpoints(record);
}

void ChainVerifier::breakAt(const AuditRecord& record) {
  broken_ = true;
  const auto expected = last_ + 1;
  auto renumbered = record;
  renumbered.sequence = expected;
  if (record.sequence == expected || chainHash(hash_, renumbered) == record.hash)
    return note(AuditProblemKind::edited, expected,
                fmt::format("record {} is not the one that was written: its hash does not follow from record {}",
                            expected, last_));
  if (record.sequence < expected)
    return note(AuditProblemKind::reordered, record.sequence,
                fmt::format("record {} stands behind record {}", record.sequence, last_));
  note(AuditProblemKind::deleted, expected,
       fmt::format("record {} is missing: record {} is followed by {}", expected, last_, record.sequence));
}

/// A record behind the break that fits where the chain broke was moved, not edited or deleted.
void ChainVerifier::reviseBreak(const AuditRecord& record) {
  auto& problem = report_.firstProblem;
  const auto expected = last_ + 1;
  if (!problem || problem->sequence != expected) return;
  if (problem->kind != AuditProblemKind::edited && problem->kind != AuditProblemKind::deleted) return;
  auto renumbered = record;
  renumbered.sequence = expected;
  if (chainHash(hash_, renumbered) != record.hash) return;
  problem->kind = AuditProblemKind::reordered;
  problem->text = fmt::format("record {} was moved: it stands further back, and another is in its place", expected);
}

void ChainVerifier::compareCheckpoints(const AuditRecord& record) {
  const auto [first, end] = checkpoints_.equal_range(record.sequence);
  for (auto it = first; it != end; ++it) {
    if (it->second.hash == record.hash) {
      ++report_.checkpointsChecked;
      agreed_ = record.sequence;
      continue;
    }
    note(AuditProblemKind::checkpointMismatch, record.sequence,
         fmt::format(
             "record {} is not the one that was signed at {}: records {} to {} were rewritten, one or all of them",
             record.sequence, toText(it->second.at), agreed_ + 1, record.sequence));
  }
}

void ChainVerifier::checkHead(const AuditCheckpoint& head) {
  if (!checkSignature(head)) return;
  if (head.sequence > last_)
    return note(AuditProblemKind::truncated, last_ + 1,
                fmt::format("records {} to {} are missing: the head signed at {} is record {}", last_ + 1,
                            head.sequence, toText(head.at), head.sequence));
  if (head.sequence < last_)
    return note(AuditProblemKind::unsignedTail, head.sequence + 1,
                fmt::format("records {} to {} stand behind the signed head and were not written by the daemon",
                            head.sequence + 1, last_));
  if (head.hash == hash_)
    ++report_.checkpointsChecked;
  else
    note(AuditProblemKind::checkpointMismatch, head.sequence,
         fmt::format("record {} is not the one that was signed as head at {}: records {} to {} were rewritten, one or "
                     "all of them",
                     head.sequence, toText(head.at), agreed_ + 1, head.sequence));
}

AuditReport ChainVerifier::finish(const std::optional<AuditCheckpoint>& head) {
  if (!broken_) {
    if (head)
      checkHead(*head);
    else if (report_.records > 0)
      note(AuditProblemKind::truncated, last_ + 1,
           fmt::format("the signed head is missing: nothing tells whether records "
                       "behind {} existed",
                       last_));
    if (const auto beyond = checkpoints_.rbegin(); beyond != checkpoints_.rend() && beyond->first > last_)
      note(AuditProblemKind::truncated, last_ + 1,
           fmt::format("records {} to {} are missing: record {} was signed at {}", last_ + 1, beyond->first,
                       beyond->first, toText(beyond->second.at)));
  } else if (head) {
    checkSignature(*head);
  }
  report_.ok = !report_.firstProblem;
  return report_;
}

void ChainVerifier::note(AuditProblemKind kind, std::uint64_t sequence, std::string text) {
  auto& first = report_.firstProblem;
  if (first && first->sequence <= sequence) return;
  first = AuditProblem{kind, sequence, std::move(text)};
}

}  // namespace fairlead::audit
