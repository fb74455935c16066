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

VersionKey keyOf(model::ModelVersion const& row) { return {row.project, row.model, row.version}; }

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

  Result<void> check(control::ChangeSet const& changes) const;
  void apply(control::ChangeSet const& changes);
  void drop(control::ChangeSet const& changes);
  void loadAttempts(control::LoadSink const& sink) const;
  template <class Row>
  void visit(std::map<std::uint64_t, Row> const& rows, std::uint64_t from, std::function<bool(Row const&)> const& match,
             control::Visitor<Row> const& visitor) const;
};

Result<void> MemoryStore::State::check(control::ChangeSet const& changes) const {
  auto ok = checkChanges(changes, heads, [this](model::Digest const& digest) { return specByDigest.contains(digest); });
  if (!ok) return ok;
  std::map<VersionKey, bool> added;
  for (auto const& row : changes.versions)
    if (versions.contains(keyOf(row)) || !added.emplace(keyOf(row), true).second)
      return fail(kConflictingRow, fmt::format("model {} has a version {} already", row.model, row.version));
  return {};
}

void MemoryStore::State::apply(control::ChangeSet const& changes) {
  for (auto const& spec : changes.specs)
    if (specByDigest.emplace(spec->digest, spec).second) specs.push_back(spec);
  for (auto const& row : changes.workloads) {
    auto& stored = workloads[row.id.value] = row;
    stored.spec = specByDigest.at(row.spec->digest);
  }
  for (auto const& row : changes.attempts) {
    attempts[row.id.value] = row;
    attemptsOf[{row.workload.value, row.number}] = row.id.value;
  }
  for (auto const& row : changes.intents) intents[row.id] = row;
  for (auto const& row : changes.events) events.emplace_hint(events.end(), row.sequence, row);
  for (auto const& row : changes.audits) audits.emplace_hint(audits.end(), row.sequence, row);
  for (auto const& row : changes.postings) postings.emplace_hint(postings.end(), row.sequence, row);
  for (auto const& row : changes.versions) versions.emplace(keyOf(row), row);
  checkpoints.insert(checkpoints.end(), changes.checkpoints.begin(), changes.checkpoints.end());
  if (changes.auditHead) auditHead = changes.auditHead;
  drop(changes);
  advanceHeads(heads, changes);
}

void MemoryStore::State::drop(control::ChangeSet const& changes) {
  if (!events.empty())  // the newest stays, so that the head is never forgotten
    events.erase(events.begin(), events.lower_bound(std::min(changes.dropEventsBefore, events.rbegin()->first)));
  heads.oldestEvent = events.empty() ? 0 : events.begin()->first;
  if (changes.dropIdempotencyBefore)
    std::erase_if(idempotency, [&](auto const& row) { return row.at < changes.dropIdempotencyBefore; });
  idempotency.insert(idempotency.end(), changes.idempotency.begin(), changes.idempotency.end());
}

void MemoryStore::State::loadAttempts(control::LoadSink const& sink) const {
  for (auto const& [id, row] : attempts) {
    auto const next = attemptsOf.upper_bound({row.workload.value, row.number});
    bool const newest = next == attemptsOf.end() || next->first.first != row.workload.value;
    if (newest || !isFinal(row.state)) sink.attempt(row);
  }
}

template <class Row>
void MemoryStore::State::visit(std::map<std::uint64_t, Row> const& rows, std::uint64_t from,
                               std::function<bool(Row const&)> const& match,
                               control::Visitor<Row> const& visitor) const {
  std::unique_lock lock(mutex);
  std::uint64_t const last = rows.empty() ? 0 : rows.rbegin()->first;  // what comes later belongs to the next reader
  std::vector<Row> page;
  for (;;) {
    page.clear();
    for (auto it = rows.lower_bound(from); it != rows.end() && it->first <= last && page.size() < kPageRows; ++it) {
      from = it->first + 1;
      if (match(it->second)) page.push_back(it->second);
    }
    if (page.empty()) return;
    lock.unlock();
    for (Row const& row : page)
      if (!visitor(row)) return;
    lock.lock();
  }
}

MemoryStore::MemoryStore() : state_(std::make_unique<State>()) {}
MemoryStore::~MemoryStore() = default;

Result<void> MemoryStore::commit(control::ChangeSet const& changes) {
  std::scoped_lock const lock(state_->mutex);
  if (state_->failures > 0) {
    --state_->failures;
    return tl::unexpected(*state_->failure);
  }
  if (auto ok = state_->check(changes); !ok) return ok;
  state_->apply(changes);
  ++state_->commits;
  return {};
}

Result<control::StoreHeads> MemoryStore::load(control::LoadSink const& sink) {
  std::scoped_lock const lock(state_->mutex);
  for (auto const& spec : state_->specs) sink.spec(spec);
  for (auto const& [id, row] : state_->workloads) sink.workload(row);
  state_->loadAttempts(sink);
  for (auto const& [id, row] : state_->intents)
    if (row.state == model::IntentState::open) sink.intent(row);
  for (auto const& [key, row] : state_->versions) sink.version(row);
  for (auto const& row : state_->idempotency) sink.idempotency(row);
  return state_->heads;
}

Result<void> MemoryStore::readEvents(std::uint64_t after, std::string const& project,
                                     control::Visitor<model::Event> const& visit) {
  if (after == UINT64_MAX) return {};
  auto const match = [&](model::Event const& row) { return project.empty() || row.project == project; };
  state_->visit<model::Event>(state_->events, after + 1, match, visit);
  return {};
}

Result<void> MemoryStore::readAudit(std::uint64_t from, control::Visitor<model::AuditRecord> const& visit) {
  state_->visit<model::AuditRecord>(state_->audits, from, [](auto const&) { return true; }, visit);
  return {};
}

Result<std::vector<model::AuditCheckpoint>> MemoryStore::readCheckpoints() {
  std::scoped_lock const lock(state_->mutex);
  return state_->checkpoints;
}

Result<std::optional<model::AuditCheckpoint>> MemoryStore::readAuditHead() {
  std::scoped_lock const lock(state_->mutex);
  return state_->auditHead;
}

Result<void> MemoryStore::readPostings(control::PostingQuery const& query,
                                       control::Visitor<model::Posting> const& visit) {
  state_->visit<model::Posting>(
      state_->postings, 0, [&](model::Posting const& row) { return matches(query, row); }, visit);
  return {};
}

Result<std::vector<model::Attempt>> MemoryStore::readAttempts(model::WorkloadId workload) {
  std::scoped_lock const lock(state_->mutex);
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
  std::scoped_lock const lock(state_->mutex);
  state_->failure = std::move(error);
  state_->failures = times;
}

std::uint64_t MemoryStore::commits() const {
  std::scoped_lock const lock(state_->mutex);
  return state_->commits;
}

std::unique_ptr<MemoryStore> makeMemoryStore() { return std::make_unique<MemoryStore>(); }

}  // namespace fairlead::store
