// GET /metrics, /healthz and /readyz: for machines that watch; nobody is asked who they are, and nothing in them is
// secret.
#include "../service.hpp"
#include "tables.hpp"

#include <fairlead/api/metrics.hpp>

#include <map>

namespace fairlead::api {
namespace {

void metrics(Service& service, CallPtr call) {
  service.refreshMetrics();
  net::Response response;
  response.contentType = obs::kMetricsContentType;
  response.body = service.deps().metrics.render();
  call->reply(std::move(response));
}

void probe(Service& service, Call& call, obs::HealthKind kind) {
  auto report = service.deps().health.report(kind);
  if (kind == obs::HealthKind::readiness)
    if (auto trouble = service.control().trouble(); !trouble.empty()) {
      report.healthy = false;
      report.findings.push_back({"control", false, std::move(trouble), {}});
    }
  net::Response response;
  response.status = report.healthy ? 200 : 503;
  response.contentType = "text/plain; charset=utf-8";
  response.body = obs::toText(report);
  response.headers.emplace_back("Cache-Control", "no-store");
  call.reply(std::move(response));
}

void healthz(Service& service, CallPtr call) { probe(service, *call, obs::HealthKind::liveness); }
void readyz(Service& service, CallPtr call) { probe(service, *call, obs::HealthKind::readiness); }

Route probeRoute(std::string_view path, std::string_view operation, std::string_view summary, RunsOn runsOn,
                 RouteHandler handler) {
  return {.method = "GET",
          .path = path,
          .operation = operation,
          .tag = "probes",
          .summary = summary,
          .access = CallerCheck::open,
          .runsOn = runsOn,
          .contentType = "text/plain",
          .handler = handler};
}

}  // namespace

void addProbeRoutes(std::vector<Route>& table) {
  table.push_back(probeRoute("/metrics", "getMetrics", "Figures for Prometheus", RunsOn::worker, metrics));
  table.push_back(probeRoute("/healthz", "getHealth", "Is the process worth keeping?", RunsOn::io, healthz));
  table.push_back(probeRoute("/readyz", "getReadiness", "Should it get requests? 503 with the reason when not.",
                             RunsOn::io, readyz));
}

namespace {

void setDevices(obs::Metrics& metrics, const policy::Snapshot& snapshot) {
  std::map<std::pair<std::string, std::string>, std::pair<std::int64_t, std::int64_t>>
      sums;  // cluster, model: capacity, free
  for (const auto& view : snapshot.nodes)
    for (std::size_t i = 0; i < view.node.devices.size(); ++i) {
      auto& sum = sums[{view.node.cluster, view.node.devices[i].model}];
      sum.first += view.node.devices[i].capacity.count;
      sum.second += view.deviceFree[i].count;
    }
  for (const auto& [key, sum] : sums) {
    metrics.gauge(kDevices, {key.first, key.second, "free"}).set(sum.second);
    metrics.gauge(kDevices, {key.first, key.second, "other"}).set(sum.first - sum.second);
  }
}

}  // namespace

void Service::refreshMetrics() {
  auto& metrics = deps_.metrics;
  const auto snapshot = deps_.control.read([&](const control::State& state) {
    for (const auto& [value, name] : kEnumNames<model::WorkloadState>)
      metrics.gauge(kWorkloads, {name}).set(static_cast<std::int64_t>(state.countIn(value)));
    metrics.gauge(kQueueLength).set(static_cast<std::int64_t>(state.queueLength()));
    return state.snapshot(0);
  });
  setDevices(metrics, snapshot);
  const auto stats = deps_.control.stats();
  metrics.gauge(kPlanTime).set(stats.lastPlanMicros);
  metrics.gauge(kCommitTime).set(stats.lastCommitMicros);
  metrics.gauge(kInbox).set(static_cast<std::int64_t>(stats.inbox));
  const std::lock_guard lock(metricsMutex_);
  const auto take = [&](const MetricDef& def, std::uint64_t now, std::uint64_t& before) {
    metrics.counter(def).add(static_cast<std::int64_t>(now - std::min(before, now)));
    before = now;
  };
  take(kCommands, stats.commands, counted_.commands);
  take(kCommits, stats.commits, counted_.commits);
  take(kCommitFailures, stats.commitFailures, counted_.commitFailures);
  take(kPlans, stats.plans, counted_.plans);
}

}  // namespace fairlead::api
