#include <fairlead/base/assert.hpp>
#include <fairlead/base/text.hpp>
#include <fairlead/obs/health.hpp>

#include <fmt/format.h>

namespace fairlead::obs {

std::string toText(HealthReport const& report) {
  std::string text;
  for (auto const& finding : report.findings) {
    if (finding.healthy)
      text += fmt::format("ok {}\n", finding.name);
    else
      text +=
          fmt::format("failing {}: {}, for {}\n", finding.name, printable(finding.reason), toShortText(finding.since));
  }
  return text;
}

void Health::add(std::string_view name, HealthKind kind) { addHeartbeat(name, kind, Milliseconds{0}); }

void Health::addHeartbeat(std::string_view name, HealthKind kind, Milliseconds limit) {
  auto const now = clock_.monotonic();
  std::lock_guard const lock(mutex_);
  auto const [position, added] =
      checks_.try_emplace(std::string(name), Check{kind, limit, false, "starting", now, now});
  FL_ASSERT(added, "health check added twice");
}

Health::Check& Health::find(std::string_view name) {
  auto const found = checks_.find(name);
  FL_ASSERT(found != checks_.end(), "health check that was not added");
  return found->second;
}

void Health::ok(std::string_view name) {
  auto const now = clock_.monotonic();
  std::lock_guard const lock(mutex_);
  auto& check = find(name);
  bool const missedBeat = check.limit.count > 0 && now - check.lastBeat > check.limit;
  if (!check.healthy || missedBeat) check.changed = now;
  check.lastBeat = now;
  check.healthy = true;
  check.reason.clear();
}

void Health::failing(std::string_view name, std::string reason) {
  auto const now = clock_.monotonic();
  std::lock_guard const lock(mutex_);
  auto& check = find(name);
  if (check.healthy) check.changed = now;
  check.healthy = false;
  check.reason = std::move(reason);
}

HealthFinding Health::judge(std::string const& name, Check const& check, Milliseconds now) {
  auto const silent = now - check.lastBeat;
  if (check.healthy && check.limit.count > 0 && silent > check.limit)
    return {name, false, fmt::format("no heartbeat, at least one every {} expected", fairlead::toText(check.limit)),
            silent};
  return {name, check.healthy, check.reason, now - check.changed};
}

HealthReport Health::report(HealthKind kind) const {
  auto const now = clock_.monotonic();
  std::lock_guard const lock(mutex_);
  HealthReport report;
  for (auto const& [name, check] : checks_) {
    if (kind == HealthKind::liveness && check.kind != HealthKind::liveness) continue;
    report.findings.push_back(judge(name, check, now));
    report.healthy = report.healthy && report.findings.back().healthy;
  }
  return report;
}

}  // namespace fairlead::obs
