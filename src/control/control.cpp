#include "intake.hpp"
#include "writer.hpp"

#include <fairlead/audit/signer.hpp>
#include <fairlead/control/control.hpp>
#include <fairlead/control/dependency.hpp>
#include <fairlead/control/errors.hpp>

#include <algorithm>

namespace fairlead::control {

Control::Control(ControlOptions options, StorePort& store, std::vector<EnginePort*> engines, const ClockPort& clock,
                 const audit::Signer& signer, obs::Logger log)
    : options_(options),
      store_(store),
      clock_(clock),
      hub_(store, options.eventsInMemory),
      writer_(std::make_unique<Writer>(*this, signer, std::move(log))) {
  for (auto* engine : engines) {
    engines_.emplace(engine->cluster(), std::shared_ptr<EnginePort>(engine, [](EnginePort*) {}));
    state_.setStanding(engine->cluster(), {{.governsAll = true}, engine->abilities()});
  }
}

Control::~Control() { stop(); }

Result<void> Control::start() { return writer_->start(); }

void Control::stop() {
  std::vector<std::shared_ptr<EnginePort>> engines;
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [name, engine] : engines_) engines.push_back(engine);
  }
  for (const auto& engine : engines) engine->shutdown();
  writer_->stop();
}

std::shared_ptr<EnginePort> Control::engineOf(const std::string& cluster) const {
  const std::shared_lock lock(mutex_);
  const auto found = engines_.find(cluster);
  return found == engines_.end() ? nullptr : found->second;
}

namespace {

/// Gives a command to the writer, or answers at once that it cannot be taken.
template <class Item>
void handOver(Inbox& inbox, std::size_t limit, Item item) {
  if (inbox.size() >= limit) return item.reply(fail(kBusy, "too many commands are waiting", "try again in a moment"));
  auto refused = item.reply;
  if (!inbox.push(std::move(item))) refused(fail(kStopping, "the daemon is stopping", "try again when it is back"));
}

}  // namespace

void Control::submit(SubmitCommand command, ReplyTo<SubmitReply> reply) {
  handOver(writer_->inbox(), options_.inboxLimit, SubmitItem{std::move(command), std::move(reply)});
}

void Control::act(ActCommand command, ReplyTo<ActReply> reply) {
  handOver(writer_->inbox(), options_.inboxLimit, ActItem{std::move(command), std::move(reply)});
}

void Control::audit(model::AuditRecord record) { writer_->inbox().push(AuditItem{std::move(record)}); }

void Control::connect(std::shared_ptr<EnginePort> engine, model::ClusterTerms terms, ReplyTo<void> reply) {
  handOver(writer_->inbox(), options_.inboxLimit, ConnectItem{std::move(engine), std::move(terms), std::move(reply)});
}

void Control::setTerms(std::string cluster, model::ClusterTerms terms, ReplyTo<void> reply) {
  handOver(writer_->inbox(), options_.inboxLimit, TermsItem{std::move(cluster), std::move(terms), std::move(reply)});
}

void Control::disconnect(std::string cluster, ReplyTo<void> reply) {
  handOver(writer_->inbox(), options_.inboxLimit, DisconnectItem{std::move(cluster), std::move(reply)});
}

Result<void> Control::adjust(const Adjustment& adjustment) {
  std::string cluster;
  {
    const std::shared_lock lock(mutex_);
    if (const auto* attempt = state_.attempt(adjustment.attempt)) cluster = attempt->cluster;
  }
  const auto engine = engineOf(cluster);
  if (engine == nullptr)
    return fail(kNoEngine, "cluster " + cluster + " is not connected", "connect it, or use its own commands");
  auto done = engine->adjust(adjustment);
  writer_->inbox().push(AdjustedItem{adjustment, done ? std::string() : done.error().message});
  return done;
}

Result<void> Control::orderNode(const std::string& cluster, const NodeOrder& order) {
  const auto engine = engineOf(cluster);
  if (engine == nullptr)
    return fail(kNoEngine, "cluster " + cluster + " is not connected", "list them with: fairlead clusters get");
  return engine->orderNode(order);
}

std::map<std::string, EngineStatus> Control::engineStatus() const {
  std::map<std::string, std::shared_ptr<EnginePort>> engines;
  {
    const std::shared_lock lock(mutex_);
    engines = engines_;
  }
  std::map<std::string, EngineStatus> all;
  for (const auto& [name, engine] : engines) all.emplace(name, engine->status());
  return all;
}

Result<policy::Decision> Control::dryRun(const model::Submission& submission, const Actor& actor) const {
  // The entry stands where it would stand: behind everything of its priority, with an id no workload has.
  constexpr model::WorkloadId kProbe{(std::uint64_t{1} << 50) - 1};
  policy::Snapshot snapshot;
  {
    const std::shared_lock lock(mutex_);
    if (auto admitted = admit(state_, submission, actor); !admitted) return tl::unexpected(admitted.error());
    snapshot = state_.snapshot(options_.policy.depth);
  }
  const auto& spec = submission.spec->spec;
  const auto now = clock_.now();
  policy::QueueEntry entry{
      kProbe, submission.project, spec.priority, now, submission.spec, {}, model::elementCount(spec), 0};
  snapshot.queue.push_back(std::move(entry));
  auto config = options_.policy;
  ++config.depth;
  return policy::explain(snapshot, config, kProbe, now)->decision;
}

namespace {

/// For what does not stand in the queue: why not, in the same words.
policy::Explanation explainOutside(const State& state, const model::Workload& row, TimePoint now) {
  using model::ReasonCode;
  policy::Explanation explanation;
  auto& decision = explanation.decision;
  decision.workload = row.id;
  if (row.native) {
    if (row.state == model::WorkloadState::queued || row.state == model::WorkloadState::held)
      decision.reasons.push_back({ReasonCode::nativeWaits, {row.native->cluster, row.native->reason}});
    return explanation;
  }
  if (const auto* attempt = state.attempt(row.currentAttempt);
      row.state == model::WorkloadState::starting && attempt != nullptr && !attempt->nativeReason.empty())
    decision.reasons.push_back({ReasonCode::nativeWaits, {attempt->cluster, attempt->nativeReason}});
  if (row.state == model::WorkloadState::held) decision.reasons.push_back({ReasonCode::held, {}});
  if (row.state != model::WorkloadState::queued) return explanation;
  for (const auto& dependency : row.spec->spec.dependencies) {
    const auto standing = dependencyState(state, dependency);
    if (standing == DependencyState::fulfilled) continue;
    const auto code = standing == DependencyState::open ? ReasonCode::dependencyOpen : ReasonCode::dependencyNever;
    decision.reasons.push_back({code, {dependency.workload, std::string(toText(dependency.condition))}});
  }
  if (row.notBefore > now) {
    decision.estimatedStart = row.notBefore;
    if (row.attempts > 0)
      decision.reasons.push_back({ReasonCode::backoff, {row.notBefore.msSinceEpoch, std::int64_t{row.attempts}}});
    else
      decision.reasons.push_back({ReasonCode::beginTime, {row.notBefore.msSinceEpoch}});
  }
  return explanation;
}

}  // namespace

Result<policy::Explanation> Control::explain(model::WorkloadId workload) const {
  policy::Snapshot snapshot;
  std::size_t position = 0;
  const auto now = clock_.now();
  {
    const std::shared_lock lock(mutex_);
    const auto* row = state_.workload(workload);
    if (row == nullptr) return fail(kWorkloadUnknown, "there is no workload " + toText(workload));
    position = state_.queuePosition(*row);
    if (position == 0) return explainOutside(state_, *row, now);
    snapshot = state_.snapshot(options_.policy.depth);
  }
  auto explanation = policy::explain(snapshot, options_.policy, workload, now);
  if (!explanation) {
    explanation.emplace();
    explanation->decision.workload = workload;
    explanation->decision.reasons.push_back(
        {model::ReasonCode::beyondDepth,
         {static_cast<std::int64_t>(position), static_cast<std::int64_t>(options_.policy.depth)}});
  }
  explanation->decision.position = position;
  return *explanation;
}

Result<LogChunk> Control::readLog(const LogQuery& query) const {
  std::string cluster;
  {
    const std::shared_lock lock(mutex_);
    if (const auto* attempt = state_.attempt(query.attempt)) cluster = attempt->cluster;
  }
  std::vector<std::shared_ptr<EnginePort>> asked;  // of an attempt that only the store knows: whoever has its logs
  {
    const std::shared_lock lock(mutex_);
    for (const auto& [name, engine] : engines_)
      if (cluster.empty() || name == cluster) asked.push_back(engine);
  }
  Result<LogChunk> last = tl::unexpected(Error{});
  for (const auto& engine : asked)
    if (last = engine->readLog(query); last || engine == asked.back()) return last;
  return fail(kNoEngine, "cluster " + cluster + " is not connected", "connect it, or look for the logs there");
}

ControlStats Control::stats() const { return writer_->stats(); }
std::string Control::trouble() const { return writer_->trouble(); }

}  // namespace fairlead::control
