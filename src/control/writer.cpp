#include "writer.hpp"

#include "fold.hpp"
#include "intake.hpp"
#include "native.hpp"
#include "planning.hpp"

#include <fairlead/audit/signer.hpp>
#include <fairlead/control/errors.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::control {

namespace {

constexpr auto kIdle = std::chrono::seconds(1);         // wakes at least so often: begin times, back-offs
constexpr auto kCommitRetry = std::chrono::seconds(1);  // after a failed commit
constexpr std::uint64_t kEventSweep = 10'000;           // events over the limit before they are dropped together
constexpr Milliseconds kIdempotencySweep{60'000};

/// What the caller hears after the commit: its reply, unless the commit took an accepted one back.
template <class Reply>
auto answerWith(Result<Reply> reply, ReplyTo<Reply> to) {
  return [reply = std::move(reply), to = std::move(to)](const Error* problem) mutable {
    if (problem != nullptr && reply) reply = tl::unexpected(*problem);
    to(std::move(reply));
  };
}

std::int64_t microsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Control::Writer::Writer(Control& control, const audit::Signer& signer, obs::Logger log)
    : control_(control), signer_(signer), log_(std::move(log)) {}

Control::Writer::~Writer() { stop(); }

Result<void> Control::Writer::start() {
  auto heads = control_.store_.load(control_.state_.loadSink());
  if (!heads) return tl::unexpected(heads.error());
  sequences_ = {heads->workload, heads->attempt, heads->event, heads->audit, heads->posting, heads->auditHash};
  lastCheckpoint_ = heads->audit;
  eventsDropped_ = heads->oldestEvent;
  control_.hub_.reset(heads->event, heads->oldestEvent);
  control_.state_.promote(control_.clock_.now());

  for (const auto& [name, engine] : control_.engines_)
    if (auto started = engine->start(*this, knownOn(name)); !started) return tl::unexpected(started.error());
  thread_ = std::thread([this] { run(); });
  return {};
}

std::vector<KnownAttempt> Control::Writer::knownOn(const std::string& cluster) const {
  std::vector<KnownAttempt> known;
  for (const auto id : control_.state_.liveAttempts()) {
    const auto* attempt = control_.state_.attempt(id);
    const auto* owner = control_.state_.workload(attempt->workload);
    if (attempt->cluster != cluster || owner->native) continue;
    known.push_back({id, attempt->state, attempt->observed, attempt->nativeId, owner->name, owner->unixUser});
  }
  return known;
}

void Control::Writer::stop() {
  inbox_.close();
  if (thread_.joinable()) thread_.join();
}

void Control::Writer::observe(std::vector<model::Observation> observations) {
  inbox_.push(ObserveItem{std::move(observations)});
}
void Control::Writer::native(std::vector<model::NativeJob> jobs) { inbox_.push(NativeItem{std::move(jobs)}); }
void Control::Writer::inventory(std::string cluster, std::vector<model::Node> nodes) {
  inbox_.push(InventoryItem{std::move(cluster), std::move(nodes)});
}
void Control::Writer::dispatched(model::IntentId intent, DispatchOutcome outcome, std::string reason) {
  inbox_.push(DispatchedItem{intent, outcome, std::move(reason)});
}

void Control::Writer::run() {
  for (const auto& [id, intent] : control_.state_.openIntents())
    dispatch(intent);  // a crash may have come before they went out
  while (true) {
    auto items = inbox_.take(nextWake());
    const bool last = items.empty() && inbox_.closed();
    step(std::move(items));
    if (last) return;
  }
}

Control::Writer::Clock::time_point Control::Writer::nextWake() const {
  auto wake = Clock::now() + kIdle;
  if (planDirty_) wake = std::min(wake, planNotBefore_);
  if (!again_.empty()) wake = std::min(wake, again_.front().first);
  if (!held_.empty()) wake = std::min(wake, commitNotBefore_);
  if (const auto due = control_.state_.nextPromotion()) {
    const auto span = std::max<std::int64_t>(0, (due - control_.clock_.now()).count);
    wake = std::min(wake, Clock::now() + std::chrono::milliseconds(std::min<std::int64_t>(span, 1'000)));
  }
  return wake;
}

void Control::Writer::step(std::vector<InboxItem> items) {
  const auto now = control_.clock_.now();
  if (Clock::now() >= commitNotBefore_ &&
      !held_.empty()) {  // facts that a failed commit left come first, in their order
    auto both = std::exchange(held_, {});
    std::move(items.begin(), items.end(), std::back_inserter(both));
    items = std::move(both);
  }
  Transaction tx(control_.state_, sequences_, now);
  std::vector<Answer> answers;
  for (auto& item : items) handle(item, tx, answers);
  if (!commit(tx, answers)) {
    commitNotBefore_ = Clock::now() + kCommitRetry;
    for (auto& item : items)
      if (std::holds_alternative<ObserveItem>(item) || std::holds_alternative<DispatchedItem>(item) ||
          std::holds_alternative<AuditItem>(item) || std::holds_alternative<NativeItem>(item))
        held_.push_back(std::move(item));
    return;
  }
  if (const auto due = control_.state_.nextPromotion(); due && due <= now) {
    const std::unique_lock lock(control_.mutex_);
    planDirty_ |= control_.state_.promote(now);
  }
  dispatchAgain();
  planIfDue();
}

void Control::Writer::handle(InboxItem& item, Transaction& tx, std::vector<Answer>& answers) {
  std::visit([&](auto& one) { handle(one, tx, answers); }, item);
}

void Control::Writer::handle(SubmitItem& item, Transaction& tx, std::vector<Answer>& answers) {
  ++commands_;
  auto reply = control::submit(tx, item.command);
  for (std::uint32_t i = 0; reply && !reply->repeated && !planDirty_ && i < reply->count; ++i)
    planDirty_ = mattersNow(*tx.workload({reply->first.value + i}));
  answers.push_back(answerWith(std::move(reply), std::move(item.reply)));
}

void Control::Writer::handle(ActItem& item, Transaction& tx, std::vector<Answer>& answers) {
  ++commands_;
  auto reply = control::act(tx, item.command);
  planDirty_ |= reply.has_value() && reply->changed;
  answers.push_back(answerWith(std::move(reply), std::move(item.reply)));
}

void Control::Writer::handle(AuditItem& item, Transaction& tx, std::vector<Answer>& /*answers*/) {
  tx.audit(item.record);  // a copy: the item comes again when the commit fails
}

void Control::Writer::handle(ObserveItem& item, Transaction& tx, std::vector<Answer>& answers) {
  for (const auto& fact : item.observations) {
    if (!fold(tx, fact)) continue;
    planDirty_ = true;
    answers.push_back([this, attempt = fact.attempt](const Error* problem) {
      const auto* row = control_.state_.attempt(attempt);
      if (problem != nullptr || row == nullptr) return;
      if (auto* engine = engineOf(row->cluster)) engine->settled(attempt);
    });
  }
}

void Control::Writer::handle(NativeItem& item, Transaction& tx, std::vector<Answer>& /*answers*/) {
  for (const auto& job : item.jobs) planDirty_ |= foldNative(tx, job);
}

void Control::Writer::handle(InventoryItem& item, Transaction& /*tx*/, std::vector<Answer>& /*answers*/) {
  const std::unique_lock lock(control_.mutex_);
  control_.state_.setInventory(item.cluster, std::move(item.nodes));
  planDirty_ = true;
}

void Control::Writer::handle(DispatchedItem& item, Transaction& tx, std::vector<Answer>& /*answers*/) {
  const auto& open = control_.state_.openIntents();
  const auto found = open.find(item.intent);
  if (found == open.end()) return;
  if (item.outcome == DispatchOutcome::retry) {
    log_.warn("engine could not take an intent", {{"intent", toText(item.intent)}, {"reason", item.reason}});
    again_.emplace_back(Clock::now() + std::chrono::milliseconds(control_.options_.engineRetry.count), item.intent);
    return;
  }
  auto done = found->second;
  done.state = model::IntentState::done;
  tx.put(std::move(done));
}

bool Control::Writer::commit(Transaction& tx, std::vector<Answer>& answers) {
  std::vector<model::Intent> effects;
  std::shared_ptr<void> scope;
  if (!tx.empty()) {
    const auto start = Clock::now();
    const auto sequences = tx.sequences();
    auto changes = tx.take();
    sealAudit(changes, sequences, tx.now());
    retain(changes, tx.now());
    if (auto stored = control_.store_.commit(changes); !stored) {
      ++commitFailures_;
      setTrouble(toText(stored.error()));
      log_.error("a commit failed; nothing of it happened", {{"error", toText(stored.error())}});
      Error problem{&kNotStored,
                    "the change could not be made durable: " + stored.error().message,
                    {},
                    {},
                    stored.error().remedy};
      for (auto& answer : answers) answer(&problem);
      return false;
    }
    ++commits_;
    sequences_ = sequences;
    for (const auto& intent : changes.intents)
      if (intent.state == model::IntentState::open) effects.push_back(intent);
    const auto events = std::move(changes.events);
    {
      const std::unique_lock lock(control_.mutex_);
      control_.state_.apply(std::move(changes));
    }
    commitMicros_ = microsSince(start);
    setTrouble({});
    if (control_.options_.answerScope) scope = control_.options_.answerScope();
    control_.hub_.publish(events);
  }
  for (auto& answer : answers) answer(nullptr);
  scope.reset();
  for (const auto& intent : effects) dispatch(intent);
  return true;
}

void Control::Writer::sealAudit(ChangeSet& changes, const Sequences& sequences, TimePoint now) {
  if (changes.audits.empty()) return;
  changes.auditHead = signer_.sign(sequences.audit, now, sequences.auditHash);
  if (sequences.audit - lastCheckpoint_ < control_.options_.auditCheckpointEvery) return;
  changes.checkpoints.push_back(*changes.auditHead);
  lastCheckpoint_ = sequences.audit;
}

void Control::Writer::retain(ChangeSet& changes, TimePoint now) {
  const auto kept = control_.options_.eventsKept;
  if (sequences_.event > kept && sequences_.event - kept > eventsDropped_ + kEventSweep) {
    eventsDropped_ = sequences_.event - kept;
    changes.dropEventsBefore = eventsDropped_;
    control_.hub_.dropped(eventsDropped_);
  }
  if (now - idempotencySwept_ > kIdempotencySweep) {
    idempotencySwept_ = now;
    changes.dropIdempotencyBefore = now - control_.options_.idempotencyKept;
  }
}

/// A submission far behind the part of the queue that planning looks at changes no plan.
bool Control::Writer::mattersNow(const model::Workload& row) const {
  return !windowEnd_ || QueueKey{row.priority, row.queuedAt, row.id} < *windowEnd_;
}

void Control::Writer::planIfDue() {
  if (!planDirty_ || Clock::now() < planNotBefore_ || Clock::now() < commitNotBefore_) return;
  const auto start = Clock::now();
  planDirty_ = false;
  const auto& config = control_.options_.policy;
  const auto snapshot = control_.state_.snapshot(config.depth);
  windowEnd_ = snapshot.queueLength > config.depth ? control_.state_.queueKeyAt(config.depth - 1) : std::nullopt;
  const auto now = control_.clock_.now();
  const auto plan = policy::plan(snapshot, config, now);
  Transaction tx(control_.state_, sequences_, now);
  carryOut(tx, plan);
  ++plans_;
  const auto spent = microsSince(start);
  planMicros_ = spent;
  // Planning takes at most a fifth of the writer's time, however often something changes.
  planNotBefore_ = Clock::now() + std::max(std::chrono::microseconds(4 * spent),
                                           std::chrono::microseconds(1'000 * control_.options_.planInterval.count));
  const bool placed = !tx.empty();
  std::vector<Answer> none;
  if (!commit(tx, none)) {
    planDirty_ = true;
    commitNotBefore_ = Clock::now() + kCommitRetry;
  } else if (placed && snapshot.queueLength > 0) {
    planDirty_ = true;  // the window moved on: the next ones may fit too
  }
}

EnginePort* Control::Writer::engineOf(const std::string& cluster) const {
  const auto found = control_.engines_.find(cluster);
  return found == control_.engines_.end() ? nullptr : found->second.get();
}

void Control::Writer::dispatch(const model::Intent& intent) {
  auto* engine = engineOf(intent.cluster);
  if (engine == nullptr) {
    log_.warn("an intent waits for a cluster that is not connected",
              {{"intent", toText(intent.id)}, {"cluster", intent.cluster}});
    return;
  }
  // An end can be stored and the engine's word about the intent be lost: with the daemon, or as a try that failed.
  const auto* attempt = control_.state_.attempt(intent.id.attempt);
  if (attempt == nullptr || model::isFinal(attempt->state)) return dispatched(intent.id, DispatchOutcome::done, {});
  if (intent.id.kind == model::IntentKind::stop) return engine->dispatchStop(intent);
  if (intent.id.kind == model::IntentKind::signal) return engine->dispatchSignal(intent);
  const auto* workload = control_.state_.workload(intent.workload);
  FL_ASSERT(workload != nullptr, "an attempt that lives has its workload");
  StartOrder order{intent, *workload, *attempt, {}, {}};
  if (const auto& input = workload->spec->spec.model) {
    const auto* version = control_.state_.findVersion(workload->project, input->model, input->version);
    if (version != nullptr) {
      order.modelUri = version->uri;
      order.modelDigest = version->digest;
    }
  }
  engine->dispatchStart(std::move(order));
}

void Control::Writer::dispatchAgain() {
  while (!again_.empty() && again_.front().first <= Clock::now()) {
    const auto id = again_.front().second;
    again_.pop_front();
    const auto found = control_.state_.openIntents().find(id);
    if (found != control_.state_.openIntents().end()) dispatch(found->second);
  }
}

ControlStats Control::Writer::stats() const {
  return {commands_, commits_, commitFailures_, plans_, planMicros_, commitMicros_, inbox_.size()};
}

std::string Control::Writer::trouble() const {
  const std::lock_guard lock(troubleMutex_);
  return trouble_;
}

void Control::Writer::setTrouble(std::string text) {
  const std::lock_guard lock(troubleMutex_);
  trouble_ = std::move(text);
}

}  // namespace fairlead::control
