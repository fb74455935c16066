#include "intake.hpp"

#include "fold.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/control/dependency.hpp>
#include <fairlead/control/errors.hpp>

#include <fmt/format.h>

namespace fairlead::control {

using model::StopPurpose;
using model::Workload;
using model::WorkloadEvent;
using model::WorkloadState;

namespace {

model::AuditRecord auditOf(const Actor& actor, std::string action, std::string object, std::string project) {
  model::AuditRecord record;
  record.principal = actor.principal;
  record.action = std::move(action);
  record.object = std::move(object);
  record.project = std::move(project);
  record.rule = actor.rule;
  record.detail = actor.requestId.empty() ? std::string() : "request " + actor.requestId;
  return record;
}

Workload rowOf(const model::Submission& submission, const Actor& actor, model::SpecPtr spec, TimePoint now) {
  Workload row;
  row.name = submission.name;
  row.project = submission.project;
  row.submitter = actor.principal;
  row.unixUser = actor.unixUser;
  row.labels = submission.labels;
  row.spec = std::move(spec);
  row.state = row.spec->spec.startHeld ? WorkloadState::held : WorkloadState::queued;
  row.priority = row.spec->spec.priority;
  row.submittedAt = now;
  row.queuedAt = now;
  row.notBefore = row.spec->spec.notBefore;
  return row;
}

std::string objectText(const SubmitReply& reply) {
  if (reply.count == 1) return toText(reply.first);
  return fmt::format("{}..{} ({})", toText(reply.first), toText(model::WorkloadId{reply.first.value + reply.count - 1}),
                     reply.count);
}

}  // namespace

Result<void> admit(const State& state, const model::Submission& submission, const Actor& actor) {
  if (actor.unixUser.empty())
    return fail(kNoUnixUser, fmt::format("{} is mapped to no Unix user, so there is nobody to run as", actor.principal),
                "an administrator maps the principal to a Unix user (unixUser in the token file)");
  for (std::size_t i = 0; i < submission.spec->spec.dependencies.size(); ++i) {
    const auto& dependency = submission.spec->spec.dependencies[i];
    if (dependencyState(state, dependency) != DependencyState::never) continue;
    auto error = fail(kDependency,
                      fmt::format("{} is unknown or can no longer become {}", printable(dependency.workload),
                                  toText(dependency.condition)),
                      "name a workload that is queued or runs, by its id");
    error.value().field = fmt::format("spec.dependencies[{}]", i);
    error.value().value = printable(dependency.workload);
    return error;
  }
  const auto& input = submission.spec->spec.model;
  if (input && state.findVersion(submission.project, input->model, input->version) == nullptr) {
    const std::string version = input->version == 0 ? std::string() : fmt::format(" v{}", input->version);
    auto error =
        fail(kModelUnknown, fmt::format("project {} has no model {}{}", submission.project, input->model, version),
             "list them with: fairlead get models");
    error.value().field = "spec.model";
    error.value().value = input->model;
    return error;
  }
  return {};
}

Result<SubmitReply> submit(Transaction& tx, const SubmitCommand& command) {
  if (command.idempotency) {
    if (const auto* known = tx.idempotency(command.idempotency->key)) {
      if (known->body != command.idempotency->body)
        return fail(kIdempotencyMismatch, "this idempotency key was used with another request",
                    "use a new key for a new request");
      return SubmitReply{known->first, known->count, true};
    }
  }
  for (std::size_t i = 0; i < command.submissions.size(); ++i) {
    auto admitted = admit(tx.state(), command.submissions[i], command.actor);
    if (admitted) continue;
    if (command.submissions.size() > 1)
      admitted.error().message = fmt::format("item {}: {}", i, admitted.error().message);
    return tl::unexpected(std::move(admitted.error()));
  }
  SubmitReply reply;
  for (const auto& submission : command.submissions) {
    const auto& row = tx.add(rowOf(submission, command.actor, tx.intern(submission.spec), tx.now()));
    if (reply.count++ == 0) reply.first = row.id;
    tx.event(row.state == WorkloadState::held ? "workload.held" : "workload.queued", row);
  }
  if (reply.count == 0) return reply;
  tx.audit(auditOf(command.actor, "workload.submit", objectText(reply), command.submissions.front().project));
  if (command.idempotency)
    tx.put(model::IdempotencyRecord{command.idempotency->key, command.idempotency->body, reply.first, reply.count,
                                    tx.now()});
  return reply;
}

namespace {

Result<ActReply> refuse(const Workload& row, std::string_view verb, std::string remedy = {}) {
  return fail(kNotAllowedInState, fmt::format("{} is {} and cannot be {}", toText(row.id), toText(row.state), verb),
              std::move(remedy));
}

void stopAttempt(Transaction& tx, Workload& row, const ActCommand& command) {
  auto& attempt = tx.editAttempt(row.currentAttempt);
  if (const auto after = next(attempt.state, model::AttemptEvent::stop)) attempt.state = *after;
  if (!attempt.stopAt) attempt.stopAt = tx.now();
  const auto& spec = row.spec->spec;
  auto intent = tx.intentFor(attempt, model::IntentKind::stop, attempt.stopIntents++);
  intent.signal = spec.stopSignal;
  intent.grace = spec.stopGrace;
  if (row.stopPurpose != StopPurpose::cancel && spec.checkpoint) {
    intent.firstSignal = spec.checkpoint->signal;
    intent.firstGrace = spec.checkpoint->grace;
  }
  intent.reason = fmt::format("{} by {}", toText(command.kind), command.actor.principal);
  tx.put(std::move(intent));
}

/// A record of an array that has started some elements: they are told one by one.
void cancelElements(Transaction& tx, const ActCommand& command) {
  for (const auto element : std::set<model::WorkloadId>(tx.state().elementsAlive(command.workload))) {
    ActCommand one = command;
    one.workload = element;
    one.ifMatch.reset();
    (void)act(tx, one);  // an element that has just ended refuses, which is as good
  }
}

Result<ActReply> cancel(Transaction& tx, const ActCommand& command) {
  const auto* row = tx.workload(command.workload);
  if (row->state == WorkloadState::cancelled) return ActReply{row->state, row->revision, false};
  if (row->state == WorkloadState::stopping && row->stopPurpose == StopPurpose::cancel)
    return ActReply{row->state, row->revision, false};
  if (model::isFinal(row->state)) return refuse(*row, "cancelled");
  const bool queuedOnly = row->state == WorkloadState::held || row->state == WorkloadState::queued;
  auto& edited = tx.edit(command.workload);
  edited.stopPurpose = StopPurpose::cancel;
  edited.message = command.message;
  const bool hasElements = edited.elementsStarted > 0 && !edited.arrayParent;
  if (hasElements && tx.elementsAlive(edited.id) > 0) {
    edited.elementsStarted = model::elementCount(edited.spec->spec);  // the rest never starts
    edited.state = WorkloadState::stopping;
    tx.event("workload.stopping", edited, {}, command.message);
    cancelElements(tx, command);  // elements that only wait end at once, and with the last of them the array
    return ActReply{edited.state, edited.revision, true};
  }
  const bool alreadyStopping = edited.state == WorkloadState::stopping;
  const bool moved = tx.move(edited, WorkloadEvent::cancel, edited.currentAttempt, command.message);
  FL_ASSERT(moved, "a workload that is not final can be cancelled");
  if (queuedOnly) {
    edited.stopPurpose = StopPurpose::none;
    edited.failure = model::FailureCategory::cancelled;
    edited.endedAt = tx.now();
    failDependents(tx, edited.id);
    if (edited.arrayParent) foldElement(tx, edited);
  } else if (!alreadyStopping) {
    stopAttempt(tx, edited, command);
  }
  return ActReply{edited.state, edited.revision, true};
}

Result<ActReply> requeue(Transaction& tx, const ActCommand& command) {
  const auto* row = tx.workload(command.workload);
  if (row->state == WorkloadState::queued) return ActReply{row->state, row->revision, false};
  const bool wasFinal = model::isFinal(row->state);
  if (!next(row->state, WorkloadEvent::requeue) || (row->spec->spec.array && !row->arrayParent))
    return refuse(*row, "requeued",
                  row->state == WorkloadState::held ? "release it: fairlead release " + toText(row->id) : "");
  auto& edited = tx.edit(command.workload);
  tx.move(edited, WorkloadEvent::requeue, edited.currentAttempt, command.message);
  if (wasFinal) {
    edited.queuedAt = tx.now();
    edited.notBefore = {};
    edited.endedAt = {};
    edited.failures = {};
    edited.message.clear();
  } else {
    edited.stopPurpose = StopPurpose::requeue;
    stopAttempt(tx, edited, command);
  }
  return ActReply{edited.state, edited.revision, true};
}

/// What the engine that holds the newest attempt can do; nothing where there is none.
EngineAbilities abilitiesFor(const Transaction& tx, const Workload& row) {
  const auto* attempt = tx.attempt(row.currentAttempt);
  const auto* standing = attempt == nullptr ? nullptr : tx.state().standing(attempt->cluster);
  return standing == nullptr ? EngineAbilities{} : standing->abilities;
}

Result<ActReply> askEngine(const Workload& row, AdjustKind kind, std::int64_t value = 0) {
  ActReply reply{row.state, row.revision, true};
  reply.adjustment = Adjustment{row.currentAttempt, kind, value};
  return reply;
}

/// Handed over, but it waits in its engine's own queue.
bool waitsInEngine(const Transaction& tx, const Workload& row) {
  const auto* attempt = tx.attempt(row.currentAttempt);
  return row.state == WorkloadState::starting && attempt != nullptr && attempt->state == model::AttemptState::accepted;
}

Result<ActReply> suspendOrResume(Transaction& tx, const ActCommand& command) {
  const bool suspend = command.kind == ActionKind::suspend;
  const auto* row = tx.workload(command.workload);
  const auto verb = suspend ? "suspended" : "resumed";
  if (row->state != WorkloadState::running)
    return refuse(*row, verb,
                  suspend && row->state == WorkloadState::queued ? "hold it: fairlead hold " + toText(row->id) : "");
  if (!abilitiesFor(tx, *row).suspend)
    return fail(
        kEngineCannot,
        fmt::format("{} runs on {}, which cannot suspend", toText(row->id), tx.attempt(row->currentAttempt)->cluster),
        "requeue it instead: fairlead requeue " + toText(row->id));
  return askEngine(*row, suspend ? AdjustKind::suspend : AdjustKind::resume);
}

Result<ActReply> setTimeLimit(Transaction& tx, const ActCommand& command) {
  const auto* row = tx.workload(command.workload);
  if (row->state != WorkloadState::running && !waitsInEngine(tx, *row))
    return refuse(
        *row, "given another time limit",
        row->state == WorkloadState::queued ? "cancel it and submit it anew with the limit that it needs" : "");
  if (!abilitiesFor(tx, *row).timeLimit)
    return fail(kEngineCannot, fmt::format("{} is on {}, which cannot change a time limit", toText(row->id),
                                           tx.attempt(row->currentAttempt)->cluster));
  return askEngine(*row, AdjustKind::timeLimit, command.value);
}

Result<ActReply> holdOrRelease(Transaction& tx, const ActCommand& command) {
  const bool hold = command.kind == ActionKind::hold;
  const auto* row = tx.workload(command.workload);
  if (waitsInEngine(tx, *row) && abilitiesFor(tx, *row).hold)
    return askEngine(*row, hold ? AdjustKind::hold : AdjustKind::release);
  if (row->state == (hold ? WorkloadState::held : WorkloadState::queued))
    return ActReply{row->state, row->revision, false};
  if (!next(row->state, hold ? WorkloadEvent::hold : WorkloadEvent::release))
    return refuse(*row, hold ? "held" : "released",
                  hold && !model::isFinal(row->state) ? "send it back first: fairlead requeue " + toText(row->id) : "");
  auto& edited = tx.edit(command.workload);
  tx.move(edited, hold ? WorkloadEvent::hold : WorkloadEvent::release, edited.currentAttempt, command.message);
  if (!hold) edited.queuedAt = tx.now();  // time spent held is not waiting
  return ActReply{edited.state, edited.revision, true};
}

Result<ActReply> setPriority(Transaction& tx, const ActCommand& command) {
  const auto* row = tx.workload(command.workload);
  if (model::isFinal(row->state)) return refuse(*row, "given another priority");
  if (row->priority == command.value) return ActReply{row->state, row->revision, false};
  auto& edited = tx.edit(command.workload);
  edited.priority = static_cast<std::int32_t>(command.value);
  tx.event("workload.priority", edited, {}, std::to_string(command.value));
  if (waitsInEngine(tx, edited) && abilitiesFor(tx, edited).priority)
    return askEngine(edited, AdjustKind::priority, command.value);
  return ActReply{edited.state, edited.revision, true};
}

Result<ActReply> signal(Transaction& tx, const ActCommand& command) {
  const auto* row = tx.workload(command.workload);
  if (row->state != WorkloadState::running) return refuse(*row, "sent a signal");
  auto& edited = tx.edit(command.workload);
  auto& attempt = tx.editAttempt(edited.currentAttempt);
  auto intent = tx.intentFor(attempt, model::IntentKind::signal, attempt.signalIntents++);
  intent.signal = static_cast<int>(command.value);
  intent.reason = "by " + command.actor.principal;
  tx.put(std::move(intent));
  tx.event("workload.signalled", edited, attempt.id, std::to_string(command.value));
  return ActReply{edited.state, edited.revision, true};
}

Result<ActReply> dispatchAction(Transaction& tx, const ActCommand& command) {
  switch (command.kind) {
    case ActionKind::hold:
    case ActionKind::release:
      return holdOrRelease(tx, command);
    case ActionKind::cancel:
      return cancel(tx, command);
    case ActionKind::requeue:
      return requeue(tx, command);
    case ActionKind::setPriority:
      return setPriority(tx, command);
    case ActionKind::signal:
      return signal(tx, command);
    case ActionKind::suspend:
    case ActionKind::resume:
      return suspendOrResume(tx, command);
    case ActionKind::setTimeLimit:
      return setTimeLimit(tx, command);
  }
  FL_ASSERT(false, "an action without code");
}

}  // namespace

Result<ActReply> act(Transaction& tx, const ActCommand& command) {
  const auto* row = tx.workload(command.workload);
  if (row == nullptr) return fail(kWorkloadUnknown, fmt::format("there is no workload {}", toText(command.workload)));
  if (row->native)
    return fail(kNativeJob,
                fmt::format("{} is job {} that {} started on {}: it is seen here, not governed", toText(row->id),
                            row->native->id, row->submitter, row->native->cluster),
                "use that cluster's own commands");
  if (command.ifMatch && *command.ifMatch != row->revision)
    return fail(kRevisionMismatch,
                fmt::format("{} is at revision {}, not {}", toText(row->id), row->revision, *command.ifMatch),
                "read it again and decide anew");
  auto reply = dispatchAction(tx, command);
  if (reply && reply->changed)
    tx.audit(auditOf(command.actor, fmt::format("workload.{}", toText(command.kind)), toText(command.workload),
                     tx.workload(command.workload)->project));
  return reply;
}

}  // namespace fairlead::control
