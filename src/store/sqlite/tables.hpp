// Which column holds which field: one list of columns and one list of fields per row type, in the same order. A field
// that is added to a row does not compile until it stands here.
#pragma once

#include <fairlead/model/records.hpp>
#include <fairlead/model/workload.hpp>

#include <string>
#include <string_view>
#include <tuple>

namespace fairlead::store::sqlite {

template <class Row>
struct Table;

template <>
struct Table<model::Workload> {
  static constexpr std::string_view name = "workloads";
  static constexpr std::string_view columns =
      "id, name, project, submitter, unix_user, spec, labels, state, stop_purpose, failure, priority, attempts, "
      "revision, "
      "current_attempt, array_parent, array_index, elements_started, submitted_ms, queued_ms, not_before_ms, "
      "started_ms, "
      "ended_ms, avoid_nodes, failures, message, native";
  static auto fields(auto& row) {
    auto& [id, name, project, submitter, unixUser, spec, labels, state, stopPurpose, failure, priority, attempts,
           revision, currentAttempt, arrayParent, arrayIndex, elementsStarted, submittedAt, queuedAt, notBefore,
           startedAt, endedAt, avoidNodes, failures, message, native] = row;
    return std::tie(id, name, project, submitter, unixUser, spec, labels, state, stopPurpose, failure, priority,
                    attempts, revision, currentAttempt, arrayParent, arrayIndex, elementsStarted, submittedAt, queuedAt,
                    notBefore, startedAt, endedAt, avoidNodes, failures, message, native);
  }
};

template <>
struct Table<model::Attempt> {
  static constexpr std::string_view name = "attempts";
  static constexpr std::string_view columns =
      "id, workload, number, cluster, native_id, state, failure, placement, ends, planned_ms, started_ms, stop_ms, "
      "ended_ms, stop_intents, signal_intents, native_state, native_reason, resumed_from, checkpoint, checkpoint_ms, "
      "observed";
  static auto fields(auto& row) {
    auto& [id, workload, number, cluster, nativeId, state, failure, placement, ends, plannedAt, startedAt, stopAt,
           endedAt, stopIntents, signalIntents, nativeState, nativeReason, resumedFrom, checkpoint, checkpointAt,
           observed] = row;
    return std::tie(id, workload, number, cluster, nativeId, state, failure, placement, ends, plannedAt, startedAt,
                    stopAt, endedAt, stopIntents, signalIntents, nativeState, nativeReason, resumedFrom, checkpoint,
                    checkpointAt, observed);
  }
};

template <>
struct Table<model::Intent> {
  static constexpr std::string_view name = "intents";
  static constexpr std::string_view columns =
      "attempt, kind, ordinal, workload, cluster, state, created_ms, signal, first_signal, first_grace_ms, grace_ms, "
      "reason";
  static auto fields(auto& row) {
    auto& [id, workload, cluster, state, createdAt, signal, firstSignal, firstGrace, grace, reason] = row;
    return std::tie(id.attempt, id.kind, id.ordinal, workload, cluster, state, createdAt, signal, firstSignal,
                    firstGrace, grace, reason);
  }
};

template <>
struct Table<model::Event> {
  static constexpr std::string_view name = "events";
  static constexpr std::string_view columns = "sequence, at_ms, kind, project, workload, attempt, detail";
  static auto fields(auto& row) {
    auto& [sequence, at, kind, project, workload, attempt, detail] = row;
    return std::tie(sequence, at, kind, project, workload, attempt, detail);
  }
};

template <>
struct Table<model::AuditRecord> {
  static constexpr std::string_view name = "audits";
  static constexpr std::string_view columns =
      "sequence, at_ms, principal, action, object, project, allowed, rule, detail, hash";
  static auto fields(auto& row) {
    auto& [sequence, at, principal, action, object, project, allowed, rule, detail, hash] = row;
    return std::tie(sequence, at, principal, action, object, project, allowed, rule, detail, hash);
  }
};

template <>
struct Table<model::Posting> {
  static constexpr std::string_view name = "postings";
  static constexpr std::string_view columns =
      "sequence, workload, attempt, project, user, class, cluster, node, vendor, device_model, milli_devices, from_ms, "
      "to_ms, category";
  static auto fields(auto& row) {
    auto& [sequence, workload, attempt, project, user, taskClass, cluster, node, vendor, deviceModel, devices, from, to,
           category] = row;
    return std::tie(sequence, workload, attempt, project, user, taskClass, cluster, node, vendor, deviceModel, devices,
                    from, to, category);
  }
};

template <>
struct Table<model::ModelVersion> {
  static constexpr std::string_view name = "model_versions";
  static constexpr std::string_view columns =
      "project, model, version, uri, digest, size_bytes, workload, attempt, created_by, created_ms, metrics";
  static auto fields(auto& row) {
    auto& [project, model, version, uri, digest, size, workload, attempt, createdBy, createdAt, metrics] = row;
    return std::tie(project, model, version, uri, digest, size, workload, attempt, createdBy, createdAt, metrics);
  }
};

template <>
struct Table<model::IdempotencyRecord> {
  static constexpr std::string_view name = "idempotency";
  static constexpr std::string_view columns = "key, body, first, count, at_ms";
  static auto fields(auto& row) {
    auto& [key, body, first, count, at] = row;
    return std::tie(key, body, first, count, at);
  }
};

template <>
struct Table<model::AuditCheckpoint> {
  static constexpr std::string_view name = "audit_checkpoints";
  static constexpr std::string_view columns = "sequence, at_ms, hash, key_id, signature";
  static auto fields(auto& row) {
    auto& [sequence, at, hash, keyId, signature] = row;
    return std::tie(sequence, at, hash, keyId, signature);
  }
};

}  // namespace fairlead::store::sqlite
