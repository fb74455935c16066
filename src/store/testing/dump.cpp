#include <fairlead/base/text.hpp>
#include <fairlead/codec/json.hpp>
#include <fairlead/store/testing/rows.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <iostream>

namespace fairlead::store::testing {
namespace {

std::string text(const std::string& value) {
  if (value.size() > 1'000)  // large ones by what tells them apart
    return fmt::format("{} bytes, hash {:x}", value.size(), std::hash<std::string>{}(value));
  return fmt::format("\"{}\"", printable(value, 4'000));
}
std::string text(bool value) { return value ? "true" : "false"; }
std::string text(TimePoint value) { return fmt::format("@{}", value.msSinceEpoch); }
std::string text(const model::DeviceSlice& slice) { return fmt::format("{}/{}", slice.index, slice.milli.count); }

template <class Unit>
std::string text(Quantity<Unit> value) {
  return std::to_string(value.count);
}
template <class Tag>
std::string text(Id<Tag> value) {
  return fmt::format("{}:{}", Tag::prefix, value.value);
}
template <class T>
  requires std::is_integral_v<T>
std::string text(T value) {
  return std::to_string(value);
}
template <class E>
  requires std::is_enum_v<E>
std::string text(E value) {
  return std::string(toText(value));
}
template <class T, std::size_t N>
std::string text(const std::array<T, N>& values);
std::string text(const model::Digest& digest) {
  std::string hex;
  for (auto byte : digest) hex += fmt::format("{:02x}", byte);
  return hex;
}
std::string text(const model::SpecPtr& spec) { return spec ? text(spec->digest) : "no spec"; }
std::string text(const std::pair<std::string, std::string>& pair) { return text(pair.first) + ":" + text(pair.second); }
std::string text(const model::IntentId& id) {
  return fmt::format("{}.{}.{}", text(id.attempt), text(id.kind), id.ordinal);
}
std::string text(const model::MemberPlacement& row);
std::string text(const model::MemberEnd& row);

template <class T>
std::string text(const std::vector<T>& values) {
  std::string out = "[";
  for (const T& value : values) out += text(value) + ",";
  return out + "]";
}

template <class T, std::size_t N>
std::string text(const std::array<T, N>& values) {
  return text(std::vector<T>(values.begin(), values.end()));
}

template <class... Fields>
std::string all(const Fields&... fields) {
  std::string out = "{";
  ((out += text(fields) + " "), ...);
  return out + "}";
}

std::string text(const model::MemberPlacement& row) {
  const auto& [role, rank, node, vendor, model, devices, cpus, memory] = row;
  return all(role, rank, node, vendor, model, devices, cpus, memory);
}
std::string text(const model::MemberEnd& row) {
  const auto& [rank, exitCode, signal, outOfMemory, at] = row;
  return all(rank, exitCode, signal, outOfMemory, at);
}

}  // namespace

std::string dump(const model::SpecDocument& row) {
  // `spec` is what `json` says; two specs with equal members have equal canonical text.
  const auto& [digest, spec, json] = row;
  return all(digest, json, spec.taskClass, spec.priority, spec.roles.size(), spec.outputs.size(), spec.timeLimit);
}
std::string dump(const model::Workload& row) {
  const auto& [id, name, project, submitter, unixUser, spec, labels, state, stopPurpose, failure, priority, attempts,
               revision, currentAttempt, arrayParent, arrayIndex, elementsStarted, submittedAt, queuedAt, notBefore,
               startedAt, endedAt, avoidNodes, failures, message, native] = row;
  return all(id, name, project, submitter, unixUser, spec, labels, state, stopPurpose, failure, priority, attempts,
             revision, currentAttempt, arrayParent, arrayIndex, elementsStarted, submittedAt, queuedAt, notBefore,
             startedAt, endedAt, avoidNodes, failures, message, native ? codec::nativeToJson(native) : "");
}
std::string dump(const model::Attempt& row) {
  const auto& [id, workload, number, cluster, nativeId, state, failure, placement, ends, plannedAt, startedAt, stopAt,
               endedAt, stopIntents, signalIntents, nativeState, nativeReason, resumedFrom, checkpoint, checkpointAt,
               observed] = row;
  return all(id, workload, number, cluster, nativeId, state, failure, placement, ends, plannedAt, startedAt, stopAt,
             endedAt, stopIntents, signalIntents, nativeState, nativeReason, resumedFrom, checkpoint, checkpointAt,
             observed);
}
std::string dump(const model::Intent& row) {
  const auto& [id, workload, cluster, state, createdAt, signal, firstSignal, firstGrace, grace, reason] = row;
  return all(id, workload, cluster, state, createdAt, signal, firstSignal, firstGrace, grace, reason);
}
std::string dump(const model::Event& row) {
  const auto& [sequence, at, kind, project, workload, attempt, detail] = row;
  return all(sequence, at, kind, project, workload, attempt, detail);
}
std::string dump(const model::AuditRecord& row) {
  const auto& [sequence, at, principal, action, object, project, allowed, rule, detail, hash] = row;
  return all(sequence, at, principal, action, object, project, allowed, rule, detail, hash);
}
std::string dump(const model::Posting& row) {
  const auto& [sequence, workload, attempt, project, user, taskClass, cluster, node, vendor, deviceModel, devices, from,
               to, category] = row;
  return all(sequence, workload, attempt, project, user, taskClass, cluster, node, vendor, deviceModel, devices, from,
             to, category);
}
std::string dump(const model::ModelVersion& row) {
  const auto& [project, model, version, uri, digest, size, workload, attempt, createdBy, createdAt, metrics] = row;
  return all(project, model, version, uri, digest, size, workload, attempt, createdBy, createdAt, metrics);
}
std::string dump(const model::IdempotencyRecord& row) {
  const auto& [key, body, first, count, at] = row;
  return all(key, body, first, count, at);
}
std::string dump(const model::AuditCheckpoint& row) {
  const auto& [sequence, at, hash, keyId, signature] = row;
  return all(sequence, at, hash, keyId, signature);
}
std::string dump(const control::StoreHeads& heads) {
  const auto& [workload, attempt, event, audit, posting, oldestEvent, auditHash] = heads;
  return all(workload, attempt, event, audit, posting, oldestEvent, auditHash);
}

Loaded loadAll(control::StorePort& store) {
  Loaded loaded;
  control::LoadSink sink;
  sink.spec = [&](model::SpecPtr row) { loaded.specs.push_back(std::move(row)); };
  sink.workload = [&](model::Workload row) { loaded.workloads.push_back(std::move(row)); };
  sink.attempt = [&](model::Attempt row) { loaded.attempts.push_back(std::move(row)); };
  sink.intent = [&](model::Intent row) { loaded.intents.push_back(std::move(row)); };
  sink.version = [&](model::ModelVersion row) { loaded.versions.push_back(std::move(row)); };
  sink.idempotency = [&](model::IdempotencyRecord row) { loaded.idempotency.push_back(row); };
  auto heads = store.load(sink);
  if (!heads) {
    std::cerr << "load failed: " << toText(heads.error()) << '\n';
    std::abort();
  }
  loaded.heads = *heads;
  return loaded;
}

std::vector<std::string> dump(const Loaded& loaded) {
  std::vector<std::string> lines{dump(loaded.heads)};
  const auto append = [&](std::vector<std::string> more) { lines.insert(lines.end(), more.begin(), more.end()); };
  for (const auto& spec : loaded.specs) lines.push_back(dump(*spec));
  append(dumpAll(loaded.workloads));
  append(dumpAll(loaded.attempts));
  append(dumpAll(loaded.intents));
  append(dumpAll(loaded.versions));
  append(dumpAll(loaded.idempotency));
  return lines;
}

}  // namespace fairlead::store::testing
