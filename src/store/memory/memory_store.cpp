#include "changes.hpp"

#include <fairlead/store/errors.hpp>
#include <fairlead/store/memory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <unordered_map>

namespace fairlead::store {
namespace {

/// Rows that a reader copies while it holds the lock; visitors run without it.
constexpr std::size_t kPageRows = 256;

using VersionKey = std::tuple<std::string, std::string, std::int32_t>;

VersionKey keyOf(const model::ModelVersion& row) { return {row.project, row.model, row.version}; }

}  // namespace

struct MemoryStore::State {
  mutable std::mutex mutex;
  std::unordered_map<model::Digest, model::SpecPtr, DigestHash> specByDigest;
  std::vector<model::SpecPtr> specs;  ///< in order of arrival
  std::map<std::uint64_t, model::Workload> workloads;
  std::map<std::uint64_t, model::Attempt> attempts;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> attemptsOf;  ///< (workload, number) to id
  std::map<model::IntentId, model::Intent> intents;
  std::map<std::uint64_t, model::Event> events;
  std::map<std::uint64_t, model::AuditRecord> audits;
  std::map<std::uint64_t, model::Posting> postings;
  std::map<VersionKey, model::ModelVersion> versions;
  std::vector<model::IdempotencyRecord> idempotency;
  std::vector<model::AuditCheckpoint> checkpoints;
  std::optional<model::AuditCheckpoint> auditHead;
  control::StoreHeads heads;
  std::optional<Error> failure;
  int failures = 0;
  std::uint64_t commits = 0;

  Result<void> check(const control::ChangeSet& changes) const;
  void apply(const control::ChangeSet& changes);
  void drop(const control::ChangeSet& changes);
  void loadAttempts(const control::LoadSink& sink) const;
  template <class Row>
  void visit(const std::map<std::uint64_t, Row>& rows, std::uint64_t from, const std::function<bool(const Row&)>& match,
             const control::Visitor<Row>& visitor) const;
};

Result<void> MemoryStore::State::check(const control::ChangeSet& changes) const {
  auto ok = checkChanges(changes, heads, [this](const model::Digest& digest) { return specByDigest.contains(digest); });
  if (!ok) return ok;
  std::map<VersionKey, bool> added;
  for (const auto& row : changes.versions)
    if (versions.contains(keyOf(row)) || !added.emplace(keyOf(row), true).second)
      return fail(kConflictingRow, fmt::format("model {} has a version {} already", row.model, row.version));
  return {};
}

void MemoryStore::State::apply(const control::ChangeSet& changes) {
  for (const auto& spec : changes.specs)
    if (specByDigest.emplace(spec->digest, spec).second) specs.push_back(spec);
  for (const auto& row : changes.workloads) {
    auto& stored = workloads[row.id.value] = row;
    stored.spec = specByDigest.at(row.spec->digest);
  }
  for (const auto& row : changes.attempts) {
    attempts[row.id.value] = row;
    attemptsOf[{row.workload.value, row.number}] = row.id.value;
  }
  for (const auto& row : changes.intents) intents[row.id] = row;
  for (const auto& row : changes.events) events.emplace_hint(events.end(), row.sequence, row);
  for (const auto& row : changes.audits) audits.emplace_hint(audits.end(), row.sequence, row);
  for (const auto& row : changes.postings) postings.emplace_hint(postings.end(), row.sequence, row);
  for (const auto& row : changes.versions) versions.emplace(keyOf(row), row);
  checkpoints.insert(checkpoints.end(), changes.checkpoints.begin(), changes.checkpoints.end());
  if (changes.auditHead) auditHead = changes.auditHead;
  drop(changes);
  advanceHeads(heads, changes);
}

void MemoryStore::State::drop(const control::ChangeSet& changes) {
  if (!events.empty())  // the newest stays, so that the head is never forgotten
    events.erase(events.begin(), events.lower_bound(std::min(changes.dropEventsBefore, events.rbegin()->first)));
  heads.oldestEvent = events.empty() ? 0 : events.begin()->first;
  if (changes.dropIdempotencyBefore)
    std::erase_if(idempotency, [&](const auto& row) { return row.at < changes.dropIdempotencyBefore; });
  idempotency.insert(idempotency.end(), changes.idempotency.begin(), changes.idempotency.end());
}

void MemoryStore::State::loadAttempts(const control::LoadSink& sink) const {
  for (const auto& [id, row] : attempts) {
    const auto next = attemptsOf.upper_bound({row.workload.value, row.number});
    const bool newest = next == attemptsOf.end() || next->first.first != row.workload.value;
    if (newest || !isFinal(row.state)) sink.attempt(row);
  }
}

template <class Row>
void MemoryStore::State::visit(const std::map<std::uint64_t, Row>& rows, std::uint64_t from,
                               const std::function<bool(const Row&)>& match,
                               const control::Visitor<Row>& visitor) const {
  std::unique_lock lock(mutex);
  const std::uint64_t last = rows.empty() ? 0 : rows.rbegin()->first;  // what comes later belongs to the next reader
  std::vector<Row> page;
  for (;;) {
    page.clear();
    for (auto it = rows.lower_bound(from); it != rows.end() && it->first <= last && page.size() < kPageRows; ++it) {
      from = it->first + 1;
      if (match(it->second)) page.push_back(it->second);
    }
    if (page.empty()) return;
    lock.unlock();
    for (const Row& row : page)
      if (!visitor(row)) return;
    lock.lock();
  }
}

MemoryStore::MemoryStore() : state_(std::make_unique<State>()) {}
MemoryStore::~MemoryStore() = default;

Result<void> MemoryStore::commit(const control::ChangeSet& changes) {
  const std::scoped_lock lock(state_->mutex);
  if (state_->failures > 0) {
    --state_->failures;
    return tl::unexpected(*state_->failure);
  }
  if (auto ok = state_->check(changes); !ok) return ok;
  state_->apply(changes);
  ++state_->commits;
  return {};
}

Result<control::StoreHeads> MemoryStore::load(const control::LoadSink& sink) {
  const std::scoped_lock lock(state_->mutex);
  for (const auto& spec : state_->specs) sink.spec(spec);
  for (const auto& [id, row] : state_->workloads) sink.workload(row);
  state_->loadAttempts(sink);
  for (const auto& [id, row] : state_->intents)
    if (row.state == model::IntentState::open) sink.intent(row);
  for (const auto& [key, row] : state_->versions) sink.version(row);
  for (const auto& row : state_->idempotency) sink.idempotency(row);
  return state_->heads;
}

Result<void> MemoryStore::readEvents(std::uint64_t after, const std::string& project,
                                     const control::Visitor<model::Event>& visit) {
  if (after == UINT64_MAX) return {};
  const auto match = [&](const model::Event& row) { return project.empty() || row.project == project; };
  state_->visit<model::Event>(state_->events, after + 1, match, visit);
  return {};
}

Result<void> MemoryStore::readAudit(std::uint64_t from, const control::Visitor<model::AuditRecord>& visit) {
  state_->visit<model::AuditRecord>(state_->audits, from, [](const auto&) { return true; }, visit);
  return {};
}

Result<std::vector<model::AuditCheckpoint>> MemoryStore::readCheckpoints() {
  const std::scoped_lock lock(state_->mutex);
  return state_->checkpoints;
}

Result<std::optional<model::AuditCheckpoint>> MemoryStore::readAuditHead() {
  const std::scoped_lock lock(state_->mutex);
  return state_->auditHead;
}

Result<void> MemoryStore::readPostings(const control::PostingQuery& query,
                                       const control::Visitor<model::Posting>& visit) {
  state_->visit<model::Posting>(
      state_->postings, 0, [&](const model::Posting& row) { return matches(query, row); }, visit);
  return {};
}

Result<std::vector<model::Attempt>> MemoryStore::readAttempts(model::WorkloadId workload) {
  const std::scoped_lock lock(state_->mutex);
  std::vector<model::Attempt> rows;
  for (auto it = state_->attemptsOf.lower_bound({workload.value, 0});
       it != state_->attemptsOf.end() && it->first.first == workload.value; ++it)
    rows.push_back(state_->attempts.at(it->second));
  return rows;
}

std::string MemoryStore::describe() const { return "memory, nothing is kept"; }

void MemoryStore::failNextCommit(int times) {
  failNextCommit(fail(kDiskFull, "no space left (asked for by a test)").value(), times);
}

void MemoryStore::failNextCommit(Error error, int times) {
  const std::scoped_lock lock(state_->mutex);
  state_->failure = std::move(error);
  state_->failures = times;
}

std::uint64_t MemoryStore::commits() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->commits;
}

std::unique_ptr<MemoryStore> makeMemoryStore() { return std::make_unique<MemoryStore>(); }

}  // namespace fairlead::store
