#include <fairlead/base/assert.hpp>
#include <fairlead/base/text.hpp>
#include <fairlead/obs/health.hpp>

#include <fmt/format.h>

namespace fairlead::obs {

std::string toText(const HealthReport& report) {
  std::string text;
  for (const auto& finding : report.findings) {
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
  const auto now = clock_.monotonic();
  const std::lock_guard lock(mutex_);
  const auto [position, added] =
      checks_.try_emplace(std::string(name), Check{kind, limit, false, "starting", now, now});
  FL_ASSERT(added, "health check added twice");
}

Health::Check& Health::find(std::string_view name) {
  const auto found = checks_.find(name);
  FL_ASSERT(found != checks_.end(), "health check that was not added");
  return found->second;
}

void Health::ok(std::string_view name) {
  const auto now = clock_.monotonic();
  const std::lock_guard lock(mutex_);
  auto& check = find(name);
  const bool missedBeat = check.limit.count > 0 && now - check.lastBeat > check.limit;
  if (!check.healthy || missedBeat) check.changed = now;
  check.lastBeat = now;
  check.healthy = true;
  check.reason.clear();
}

void Health::failing(std::string_view name, std::string reason) {
  const auto now = clock_.monotonic();
  const std::lock_guard lock(mutex_);
  auto& check = find(name);
  if (check.healthy) check.changed = now;
  check.healthy = false;
  check.reason = std::move(reason);
}

HealthFinding Health::judge(const std::string& name, const Check& check, Milliseconds now) {
  const auto silent = now - check.lastBeat;
  if (check.healthy && check.limit.count > 0 && silent > check.limit)
    return {name, false, fmt::format("no heartbeat, at least one every {} expected", fairlead::toText(check.limit)),
            silent};
  return {name, check.healthy, check.reason, now - check.changed};
}

HealthReport Health::report(HealthKind kind) const {
  const auto now = clock_.monotonic();
  const std::lock_guard lock(mutex_);
  HealthReport report;
  for (const auto& [name, check] : checks_) {
    if (kind == HealthKind::liveness && check.kind != HealthKind::liveness) continue;
    report.findings.push_back(judge(name, check, now));
    report.healthy = report.healthy && report.findings.back().healthy;
  }
  return report;
}

}  // namespace fairlead::obs
