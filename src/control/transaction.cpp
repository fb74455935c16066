#include "transaction.hpp"

#include <fairlead/audit/chain.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace fairlead::control {

const model::Workload* Transaction::workload(model::WorkloadId id) const {
  const auto found = workloadAt_.find(id);
  return found != workloadAt_.end() ? &workloads_[found->second] : state_.workload(id);
}

const model::Attempt* Transaction::attempt(model::AttemptId id) const {
  const auto found = attemptAt_.find(id);
  return found != attemptAt_.end() ? &attempts_[found->second] : state_.attempt(id);
}

const model::IdempotencyRecord* Transaction::idempotency(const model::Digest& key) const {
  for (const auto& record : changes_.idempotency)
    if (record.key == key) return &record;
  return state_.idempotency(key);
}

model::Workload& Transaction::edit(model::WorkloadId id) {
  const auto found = workloadAt_.find(id);
  if (found != workloadAt_.end()) return workloads_[found->second];
  const auto* row = state_.workload(id);
  FL_ASSERT(row != nullptr, "edit of an unknown workload");
  workloadAt_.emplace(id, workloads_.size());
  auto& copy = workloads_.emplace_back(*row);
  ++copy.revision;
  return copy;
}

model::Attempt& Transaction::editAttempt(model::AttemptId id) {
  const auto found = attemptAt_.find(id);
  if (found != attemptAt_.end()) return attempts_[found->second];
  const auto* row = state_.attempt(id);
  FL_ASSERT(row != nullptr, "edit of an unknown attempt");
  attemptAt_.emplace(id, attempts_.size());
  return attempts_.emplace_back(*row);
}

model::Workload& Transaction::add(model::Workload row) {
  row.id = {++sequences_.workload};
  if (row.native) natives_[{row.native->cluster, row.native->id}] = row.id;
  workloadAt_.emplace(row.id, workloads_.size());
  return workloads_.emplace_back(std::move(row));
}

model::Attempt& Transaction::add(model::Attempt row) {
  row.id = {++sequences_.attempt};
  attemptAt_.emplace(row.id, attempts_.size());
  return attempts_.emplace_back(std::move(row));
}

model::SpecPtr Transaction::intern(model::SpecPtr spec) {
  if (auto known = state_.spec(spec->digest)) return known;
  for (const auto& own : changes_.specs)
    if (own->digest == spec->digest) return own;
  changes_.specs.push_back(spec);
  return spec;
}

void Transaction::event(std::string kind, const model::Workload& about, model::AttemptId attempt, std::string detail) {
  changes_.events.push_back(
      {++sequences_.event, now_, std::move(kind), about.project, about.id, attempt, std::move(detail)});
}

bool Transaction::move(model::Workload& row, model::WorkloadEvent event_, model::AttemptId attempt,
                       std::string detail) {
  const auto after = next(row.state, event_);
  if (!after) return false;
  row.state = *after;
  event(fmt::format("workload.{}", toText(row.state)), row, attempt, std::move(detail));
  return true;
}

model::Intent Transaction::intentFor(const model::Attempt& attempt, model::IntentKind kind,
                                     std::uint32_t ordinal) const {
  model::Intent intent;
  intent.id = {attempt.id, kind, ordinal};
  intent.workload = attempt.workload;
  intent.cluster = attempt.cluster;
  intent.createdAt = now_;
  return intent;
}

void Transaction::audit(model::AuditRecord record) {
  record.sequence = ++sequences_.audit;
  record.at = now_;
  audit::appendToChain(record, sequences_.auditHash);
  sequences_.auditHash = record.hash;
  changes_.audits.push_back(std::move(record));
}

void Transaction::post(std::vector<model::Posting> postings) {
  for (auto& posting : postings) {
    posting.sequence = ++sequences_.posting;
    changes_.postings.push_back(std::move(posting));
  }
}

std::size_t Transaction::elementsAlive(model::WorkloadId array) const {
  std::set<model::WorkloadId> alive = state_.elementsAlive(array);
  for (const auto& row : workloads_) {
    if (row.arrayParent != array) continue;
    if (model::isFinal(row.state))
      alive.erase(row.id);
    else
      alive.insert(row.id);
  }
  return alive.size();
}

model::WorkloadId Transaction::nativeWorkload(const std::string& cluster, const std::string& id) const {
  const auto own = natives_.find({cluster, id});
  return own != natives_.end() ? own->second : state_.nativeWorkload(cluster, id);
}

const model::ModelVersion* Transaction::newestVersion(const std::string& project, const std::string& name) const {
  const model::ModelVersion* newest = state_.findVersion(project, name, 0);
  for (const auto& own : changes_.versions)
    if (own.project == project && own.model == name && (newest == nullptr || own.version > newest->version))
      newest = &own;
  return newest;
}

bool Transaction::empty() const { return changes_.empty() && workloads_.empty() && attempts_.empty(); }

ChangeSet Transaction::take() {
  std::move(workloads_.begin(), workloads_.end(), std::back_inserter(changes_.workloads));
  std::move(attempts_.begin(), attempts_.end(), std::back_inserter(changes_.attempts));
  return std::move(changes_);
}

}  // namespace fairlead::control
