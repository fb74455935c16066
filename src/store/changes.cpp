#include "changes.hpp"

#include <fairlead/store/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>

namespace fairlead::store {
namespace {

constexpr std::uint64_t kHighest = std::numeric_limits<std::int64_t>::max();

template <class Row>
Result<void> checkRising(const std::vector<Row>& rows, std::uint64_t head, std::string_view what) {
  for (const Row& row : rows) {
    if (row.sequence <= head || row.sequence > kHighest)
      return fail(kConflictingRow, fmt::format("{} {} does not follow {}", what, row.sequence, head));
    head = row.sequence;
  }
  return {};
}

template <class Row>
Result<void> checkIds(const std::vector<Row>& rows, std::string_view what) {
  for (const Row& row : rows)
    if (row.id.value == 0 || row.id.value > kHighest)
      return fail(kConflictingRow, fmt::format("{} has the number {}, which cannot be stored", what, row.id.value));
  return {};
}

Result<void> checkSpecs(const control::ChangeSet& changes,
                        const std::function<bool(const model::Digest&)>& specStored) {
  for (const auto& spec : changes.specs)
    if (!spec) return fail(kUnknownSpec, "the change set holds an empty spec");
  const auto isNew = [&](const model::Digest& digest) {
    return std::ranges::any_of(changes.specs, [&](const auto& spec) { return spec->digest == digest; });
  };
  const model::SpecDocument* checked = nullptr;  // neighbours mostly share one spec
  for (const auto& workload : changes.workloads) {
    if (workload.spec && workload.spec.get() == checked) continue;
    if (!workload.spec || (!specStored(workload.spec->digest) && !isNew(workload.spec->digest)))
      return fail(kUnknownSpec, fmt::format("workload {} has a spec that was not stored", toText(workload.id)));
    checked = workload.spec.get();
  }
  return {};
}

Result<void> checkIntents(const std::vector<model::Intent>& intents) {
  for (const auto& intent : intents)
    if (!intent.id.attempt || intent.id.attempt.value > kHighest)
      return fail(kConflictingRow, "an intent names no attempt");
  return {};
}

}  // namespace

Result<void> checkChanges(const control::ChangeSet& changes, const control::StoreHeads& heads,
                          const std::function<bool(const model::Digest&)>& specStored) {
  if (auto ok = checkIds(changes.workloads, "a workload"); !ok) return ok;
  if (auto ok = checkIds(changes.attempts, "an attempt"); !ok) return ok;
  if (auto ok = checkIntents(changes.intents); !ok) return ok;
  if (auto ok = checkRising(changes.events, heads.event, "event"); !ok) return ok;
  if (auto ok = checkRising(changes.audits, heads.audit, "audit record"); !ok) return ok;
  if (auto ok = checkRising(changes.postings, heads.posting, "posting"); !ok) return ok;
  return checkSpecs(changes, specStored);
}

void advanceHeads(control::StoreHeads& heads, const control::ChangeSet& changes) {
  for (const auto& row : changes.workloads) heads.workload = std::max(heads.workload, row.id.value);
  for (const auto& row : changes.attempts) heads.attempt = std::max(heads.attempt, row.id.value);
  if (!changes.events.empty()) heads.event = changes.events.back().sequence;
  if (!changes.postings.empty()) heads.posting = changes.postings.back().sequence;
  if (changes.audits.empty()) return;
  heads.audit = changes.audits.back().sequence;
  heads.auditHash = changes.audits.back().hash;
}

bool matches(const control::PostingQuery& query, const model::Posting& posting) {
  return posting.to > query.from && (!query.to || posting.from < query.to) &&
         (query.project.empty() || query.project == posting.project) &&
         (!query.workload || query.workload == posting.workload);
}

}  // namespace fairlead::store
