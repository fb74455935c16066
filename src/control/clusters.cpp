// Clusters come and go while the daemon runs.
#include "writer.hpp"

#include <fairlead/control/errors.hpp>

#include <fmt/format.h>

namespace fairlead::control {

namespace {

/// What native jobs become whose cluster nobody looks at any more.
std::vector<model::AttemptId> nativesOn(const State& state, const std::string& cluster) {
  std::vector<model::AttemptId> ids;
  for (const auto id : state.liveAttempts()) {
    const auto* attempt = state.attempt(id);
    if (attempt->cluster == cluster && state.workload(attempt->workload)->native) ids.push_back(id);
  }
  return ids;
}

}  // namespace

void Control::Writer::setStanding(const std::string& cluster, model::ClusterTerms terms,
                                  const EngineAbilities& abilities) {
  const std::unique_lock lock(control_.mutex_);
  control_.state_.setStanding(cluster, {std::move(terms), abilities});
  planDirty_ = true;
}

void Control::Writer::handle(ConnectItem& item, Transaction& /*tx*/, std::vector<Answer>& /*answers*/) {
  const auto name = item.engine->cluster();
  if (control_.engines_.contains(name))
    return item.reply(fail(kClusterKnown, fmt::format("cluster {} is connected already", name),
                           "give this one another name, or remove that one first"));
  setStanding(name, item.terms, item.engine->abilities());
  {
    const std::unique_lock lock(control_.mutex_);
    control_.engines_.emplace(name, item.engine);
  }
  if (auto started = item.engine->start(*this, knownOn(name)); !started) {
    const std::unique_lock lock(control_.mutex_);
    control_.engines_.erase(name);
    control_.state_.dropCluster(name);
    return item.reply(tl::unexpected(started.error()));
  }
  // What was decided before it went away, or before the last daemon ended.
  for (const auto& [id, intent] : control_.state_.openIntents())
    if (intent.cluster == name) dispatch(intent);
  item.reply({});
}

void Control::Writer::handle(TermsItem& item, Transaction& /*tx*/, std::vector<Answer>& /*answers*/) {
  const auto* standing = control_.state_.standing(item.cluster);
  if (standing == nullptr) return item.reply(fail(kNoEngine, fmt::format("cluster {} is not connected", item.cluster)));
  const auto abilities = standing->abilities;
  setStanding(item.cluster, std::move(item.terms), abilities);
  item.reply({});
}

void Control::Writer::handle(DisconnectItem& item, Transaction& tx, std::vector<Answer>& answers) {
  if (!control_.engines_.contains(item.cluster))
    return item.reply(fail(kNoEngine, fmt::format("cluster {} is not connected", item.cluster)));
  const auto ours = knownOn(item.cluster).size();
  if (ours > 0)
    return item.reply(fail(kAttemptsLive, fmt::format("{} attempts of ours hold capacity on {}", ours, item.cluster),
                           "cancel them or let them end; switch governing off so that no others follow"));
  for (const auto id : nativesOn(control_.state_, item.cluster)) {
    auto& attempt = tx.editAttempt(id);
    auto& row = tx.edit(attempt.workload);
    attempt.state = next(attempt.state, model::AttemptEvent::loseContact).value_or(attempt.state);
    row.message = fmt::format("cluster {} is not connected any more", item.cluster);
    tx.move(row, model::WorkloadEvent::loseContact, id, row.message);
  }
  answers.push_back([this, name = item.cluster, reply = item.reply](const Error* problem) {
    if (problem != nullptr) return reply(tl::unexpected(*problem));
    {
      const std::unique_lock lock(control_.mutex_);
      control_.engines_.erase(name);
      control_.state_.dropCluster(name);
    }
    planDirty_ = true;
    reply({});
  });
}

void Control::Writer::handle(AdjustedItem& item, Transaction& tx, std::vector<Answer>& /*answers*/) {
  const auto* attempt = tx.attempt(item.adjustment.attempt);
  const auto* row = attempt == nullptr ? nullptr : tx.workload(attempt->workload);
  if (row == nullptr) return;
  const auto what = std::string(toText(item.adjustment.kind));
  if (item.refusal.empty())
    tx.event("workload.adjusted", *row, attempt->id, what);
  else
    tx.event("workload.adjust-refused", *row, attempt->id, what + ": " + item.refusal);
}

}  // namespace fairlead::control
