#include "room.hpp"

#include <fairlead/model/accelerators.hpp>
#include <fairlead/policy/plan.hpp>

#include <algorithm>
#include <map>

namespace fairlead::policy {
namespace {

using model::Reason;
using model::ReasonCode;

bool before(const QueueEntry& a, const QueueEntry& b) {
  if (a.priority != b.priority) return a.priority > b.priority;
  return std::tie(a.queuedAt, a.workload) < std::tie(b.queuedAt, b.workload);
}

/// When the running work in the way ends and how the blocked head would be placed then.
struct Reservation {
  model::WorkloadId workload;
  TimePoint since;
  TimePoint start;  ///< 0: cannot be known
  Placement placement;
};

/// One planning. Rooms shrink as workloads are placed, so what did not fit once does not fit later in the same plan.
class Planner {
 public:
  Planner(const Snapshot& snapshot, const PolicyConfig& config, TimePoint now)
      : snapshot_(snapshot),
        config_(config),
        now_(now),
        rooms_(makeRooms(snapshot.nodes, false)),
        whole_(makeRooms(snapshot.nodes, true)) {
    for (const auto& cluster : snapshot.clusters) waiting_[cluster.name] = cluster.waiting;
  }

  Plan run() {
    std::vector<const QueueEntry*> order;
    for (const auto& entry : snapshot_.queue) order.push_back(&entry);
    std::sort(order.begin(), order.end(), [](const QueueEntry* a, const QueueEntry* b) { return before(*a, *b); });
    if (order.size() > config_.depth) order.resize(config_.depth);
    for (const auto* entry : order) {
      ++position_;
      decide(*entry);
    }
    if (reservation_) plan_.reservedFor = reservation_->workload;
    return std::move(plan_);
  }

 private:
  void decide(const QueueEntry& entry) {
    std::int32_t started = 0;
    while (started < entry.elementsWaiting) {
      if (placements_ >= config_.placementsPerPlan)
        return refuse(entry, started, {ReasonCode::beyondDepth, {position(), depth()}});
      if (const auto limit = parallelLimit(entry); limit > 0 && entry.elementsRunning + started >= limit)
        return refuse(entry, started,
                      {ReasonCode::arrayLimit, {std::int64_t{entry.elementsRunning} + started, std::int64_t{limit}}});
      if (!place(entry)) return;
      ++started;
    }
  }

  static std::int32_t parallelLimit(const QueueEntry& entry) {
    return entry.spec->spec.array ? entry.spec->spec.array->parallel : 0;
  }
  std::int64_t position() const { return static_cast<std::int64_t>(position_); }
  std::int64_t depth() const { return static_cast<std::int64_t>(config_.depth); }

  /// Adds a verdict "not now" unless elements of it were placed before.
  void refuse(const QueueEntry& entry, std::int32_t started, Reason reason) {
    if (started > 0) return;
    plan_.decisions.push_back({entry.workload, model::Verdict::notNow, position_, {}, {}, {std::move(reason)}, {}});
  }

  bool place(const QueueEntry& entry) {
    auto fit = tryFit(entry);
    if (!fit.placement) {
      if (handOver(entry)) return true;
      block(entry, std::move(fit.reasons));
      return false;
    }
    adjust(rooms_, fit.placement->cluster, fit.placement->members, -1);
    ++placements_;
    Decision decision{entry.workload,
                      model::Verdict::placed,
                      position_,
                      fit.placement->cluster,
                      std::move(fit.placement->members),
                      {},
                      now_};
    decision.reasons.push_back({ReasonCode::placed, {nodesText(decision.placement)}});
    plan_.decisions.push_back(std::move(decision));
    return true;
  }

  /// Nothing is free, but a cluster whose own queue may hold it could run it some day.
  bool handOver(const QueueEntry& entry) {
    for (const auto& cluster : snapshot_.clusters) {
      auto& waiting = waiting_[cluster.name];
      if (waiting >= cluster.terms.depth || !cluster.terms.governs(entry.project)) continue;
      const auto room = std::find_if(whole_.begin(), whole_.end(),
                                     [&](const ClusterRoom& candidate) { return candidate.cluster == cluster.name; });
      if (room == whole_.end()) continue;
      auto fit = fitGang({*room}, entry.spec->spec, effectiveAvoid(entry), {});
      if (!fit.placement) continue;
      hideNodes(fit.placement->members);
      ++waiting;
      ++placements_;
      plan_.decisions.push_back({entry.workload,
                                 model::Verdict::placed,
                                 position_,
                                 cluster.name,
                                 std::move(fit.placement->members),
                                 {{ReasonCode::handedOver, {cluster.name}}},
                                 {}});
      return true;
    }
    return false;
  }

  /// Which members share a node is kept, which node it is not.
  static void hideNodes(std::vector<model::MemberPlacement>& members) {
    std::map<std::string, std::string> names;
    for (auto& member : members) {
      const auto next = std::string(1, model::kUnknownNode) + std::to_string(names.size() + 1);
      member.node = names.emplace(member.node, next).first->second;
    }
  }

  static std::string nodesText(const std::vector<model::MemberPlacement>& members) {
    std::vector<std::string> names;
    for (const auto& member : members)
      if (std::find(names.begin(), names.end(), member.node) == names.end()) names.push_back(member.node);
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i == 8) return text + " and " + std::to_string(names.size() - i) + " more";
      text += (i == 0 ? "" : ", ") + names[i];
    }
    return text;
  }

  /// Rooms only shrink and the reservation, once made, stays: a shape that failed once fails to the end of the plan.
  FitResult tryFit(const QueueEntry& entry) {
    const bool reusable = entry.avoidNodes.empty();
    if (reusable) {
      if (const auto known = failedShapes_.find(shapeOf(entry)); known != failedShapes_.end())
        return {{}, known->second};
    }
    auto fit = fitGang(rooms_, entry.spec->spec, effectiveAvoid(entry), closedFor(entry.project));
    if (fit.placement && reservation_ && !endsBeforeReservation(entry)) fit = fitBesideReservation(entry);
    if (!fit.placement && reusable) failedShapes_.emplace(shapeOf(entry), fit.reasons);
    return fit;
  }

  /// Clusters on which nothing of the project may be started.
  const Closed& closedFor(const std::string& project) {
    const auto known = closed_.find(project);
    if (known != closed_.end()) return known->second;
    Closed closed{project, {}};
    for (const auto& cluster : snapshot_.clusters)
      if (!cluster.terms.governs(project)) closed.clusters.push_back(cluster.name);
    std::sort(closed.clusters.begin(), closed.clusters.end());
    return closed_.emplace(project, std::move(closed)).first->second;
  }

  /// Equal ones get the same answer in one plan. The project counts only where it may not go everywhere.
  using Shape = std::pair<std::string, model::Digest>;
  Shape shapeOf(const QueueEntry& entry) {
    return {closedFor(entry.project).clusters.empty() ? std::string() : entry.project, entry.spec->digest};
  }

  /// Nodes to avoid are a wish: where the workload can live on no other node, it may come back to them.
  std::vector<std::string> effectiveAvoid(const QueueEntry& entry) {
    if (entry.avoidNodes.empty() ||
        fitGang(whole_, entry.spec->spec, entry.avoidNodes, closedFor(entry.project)).placement)
      return entry.avoidNodes;
    return {};
  }

  bool endsBeforeReservation(const QueueEntry& entry) const {
    return reservation_->start && entry.spec->spec.timeLimit.count > 0 &&
           now_ + entry.spec->spec.timeLimit <= reservation_->start;
  }

  FitResult fitBesideReservation(const QueueEntry& entry) {
    auto rest = rooms_;
    adjust(rest, reservation_->placement.cluster, reservation_->placement.members, -1);
    auto fit = fitGang(rest, entry.spec->spec, effectiveAvoid(entry), closedFor(entry.project));
    if (!fit.placement)
      fit.reasons.insert(fit.reasons.begin(), {ReasonCode::behindReservation,
                                               {toText(reservation_->workload), reservation_->since.msSinceEpoch}});
    return fit;
  }

  void block(const QueueEntry& entry, std::vector<Reason> reasons) {
    Decision decision{entry.workload, model::Verdict::notNow, position_, {}, {}, std::move(reasons), {}};
    if (const auto never = neverReasons(entry); !never.empty()) {
      const bool denied = never.front().code == ReasonCode::notGoverned;
      decision.verdict = denied ? model::Verdict::denied : model::Verdict::never;
      decision.reasons = never;
    } else if (auto reservation = reserve(entry)) {
      decision.estimatedStart = reservation->start;
      if (!reservation_ && now_ - entry.queuedAt >= config_.reserveAfter) reservation_ = std::move(reservation);
    }
    plan_.decisions.push_back(std::move(decision));
  }

  /// Only the first blocked entry is looked at closely: its start is when enough of the running work has ended.
  std::optional<Reservation> reserve(const QueueEntry& entry) {
    if (reservation_ || headSeen_) return {};
    headSeen_ = true;
    std::vector<const RunningEntry*> ending;
    for (const auto& running : snapshot_.running)
      if (running.endsBy) ending.push_back(&running);
    std::sort(ending.begin(), ending.end(), [](const auto* a, const auto* b) {
      return std::tie(a->endsBy, a->workload) < std::tie(b->endsBy, b->workload);
    });
    auto later = rooms_;
    for (const auto* running : ending) {
      adjust(later, running->cluster, running->placement, +1);
      if (auto fit = fitGang(later, entry.spec->spec, effectiveAvoid(entry), closedFor(entry.project)); fit.placement)
        return Reservation{entry.workload, entry.queuedAt + config_.reserveAfter, std::max(running->endsBy, now_),
                           std::move(*fit.placement)};
    }
    auto fit = fitGang(whole_, entry.spec->spec, {}, closedFor(entry.project));
    if (!fit.placement) return {};
    return Reservation{entry.workload, entry.queuedAt + config_.reserveAfter, {}, std::move(*fit.placement)};
  }

  std::vector<Reason> neverReasons(const QueueEntry& entry) {
    const auto known = never_.find(shapeOf(entry));
    if (known != never_.end()) return known->second;
    return never_.emplace(shapeOf(entry), findNever(entry.spec->spec, closedFor(entry.project))).first->second;
  }

  std::vector<Reason> findNever(const model::Spec& spec, const Closed& closed) const {
    if (whole_.empty()) return {};  // no cluster yet is "not now"
    if (!spec.topology.require.empty() && spec.topology.require != "node")
      return {{ReasonCode::neverTopology, {spec.topology.require}}};
    auto fit = fitGang(whole_, spec, {}, closed);
    if (fit.placement) return {};
    std::vector<Reason> reasons;
    if (auto elsewhere = fitGang(whole_, spec, {}, {}); elsewhere.placement)  // the nearest that would do
      return {{ReasonCode::notGoverned, {closed.project, elsewhere.placement->cluster}}};
    for (auto& reason : fit.reasons) {
      switch (reason.code) {
        case ReasonCode::devicesShort:
        case ReasonCode::devicesFragmented:
          if (std::get<std::int64_t>(reason.operands[1]) == 0)
            reasons.push_back({ReasonCode::neverModel, {reason.operands[2]}});
          else
            reasons.push_back({ReasonCode::neverDevices, reason.operands});
          break;
        case ReasonCode::cpusShort:
          reasons.push_back({ReasonCode::neverCpus, reason.operands});
          break;
        case ReasonCode::memoryShort:
          reasons.push_back({ReasonCode::neverMemory, reason.operands});
          break;
        default:
          reasons.push_back(std::move(reason));
          break;
      }
    }
    return reasons;
  }

  const Snapshot& snapshot_;
  const PolicyConfig& config_;
  const TimePoint now_;
  std::vector<ClusterRoom> rooms_;               ///< free now
  std::vector<ClusterRoom> whole_;               ///< as if nothing ran
  std::map<std::string, std::int32_t> waiting_;  ///< in the clusters' own queues
  std::map<std::string, Closed> closed_;         ///< by project
  std::map<Shape, std::vector<Reason>> failedShapes_;
  std::map<Shape, std::vector<Reason>> never_;
  std::optional<Reservation> reservation_;
  bool headSeen_ = false;
  std::size_t position_ = 0;
  std::size_t placements_ = 0;
  Plan plan_;
};

}  // namespace

Plan plan(const Snapshot& snapshot, const PolicyConfig& config, TimePoint now) {
  return Planner(snapshot, config, now).run();
}

std::optional<Explanation> explain(const Snapshot& snapshot, const PolicyConfig& config, model::WorkloadId workload,
                                   TimePoint now) {
  const auto entry = std::find_if(snapshot.queue.begin(), snapshot.queue.end(),
                                  [&](const QueueEntry& e) { return e.workload == workload; });
  if (entry == snapshot.queue.end()) return {};
  auto made = plan(snapshot, config, now);
  const auto found = std::find_if(made.decisions.begin(), made.decisions.end(),
                                  [&](const Decision& d) { return d.workload == workload; });
  Explanation explanation;
  explanation.reservedFor = made.reservedFor;
  if (found != made.decisions.end()) {
    explanation.decision = *found;
  } else {
    explanation.decision.workload = workload;
    explanation.decision.reasons.push_back(
        {ReasonCode::beyondDepth,
         {static_cast<std::int64_t>(config.depth) + 1, static_cast<std::int64_t>(config.depth)}});
  }
  for (const auto& running : snapshot.running) {
    MilliDevices held;
    for (const auto& member : running.placement) {
      const model::Device probe{0, {}, member.vendor, member.model, Bytes{1LL << 60}, {}, {}, true, {}, false};
      for (const auto& role : entry->spec->spec.roles) {
        const bool wanted = std::any_of(role.devices.begin(), role.devices.end(),
                                        [&](const auto& r) { return model::deviceMatches(r, probe); });
        if (!wanted || member.devices.empty()) continue;
        for (const auto& slice : member.devices) held += slice.milli;
        break;
      }
    }
    if (held.count > 0) explanation.holders.push_back({running.workload, running.project, held, running.endsBy});
  }
  std::sort(explanation.holders.begin(), explanation.holders.end(), [](const Holder& a, const Holder& b) {
    return std::make_tuple(!a.endsBy, a.endsBy, a.workload) < std::make_tuple(!b.endsBy, b.endsBy, b.workload);
  });
  return explanation;
}

}  // namespace fairlead::policy
