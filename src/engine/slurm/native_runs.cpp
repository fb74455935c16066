#include "slurm/native_runs.hpp"

#include "slurm/fate.hpp"
#include "slurm/native_form.hpp"

#include <algorithm>
#include <tuple>

namespace fairlead::engine::slurm {
namespace {

/// slurmctld submits what it requeues anew when the run's last process is gone: at most so long after its end.
constexpr Milliseconds kRequeuedWithin{3'600'000};
constexpr Milliseconds kSameSecond{2'000};

auto orderOf(const wire::SlurmAccountedJob& row) {
  return std::make_tuple(row.submitTime.value_or(TimePoint{}), row.startTime.value_or(TimePoint{}), row.restarts);
}

bool continues(const wire::SlurmAccountedJob& before, const wire::SlurmAccountedJob& row, bool restartsTold) {
  if (before.user != row.user) return false;
  if (restartsTold || row.restarts > 0) return row.restarts > before.restarts;
  if (!before.endTime) return false;
  const auto gap = *row.submitTime - *before.endTime;
  return gap >= Milliseconds{} - kSameSecond && gap <= kRequeuedWithin;
}

}  // namespace

std::map<std::string, std::vector<Runs>> runsOf(const std::vector<wire::SlurmAccountedJob>& rows,
                                                const RunReading& reading) {
  std::map<std::string, Runs> byName;
  for (const auto& row : rows) {
    const bool elsewhere = !reading.cluster.empty() && !row.cluster.empty() && row.cluster != reading.cluster;
    if (row.submitTime && !elsewhere) byName[nativeName(row)].push_back(&row);
  }
  std::map<std::string, std::vector<Runs>> jobs;
  for (auto& [name, all] : byName) {
    std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return orderOf(*a) < orderOf(*b); });
    const auto twice =
        std::unique(all.begin(), all.end(), [](const auto* a, const auto* b) { return orderOf(*a) == orderOf(*b); });
    all.erase(twice, all.end());
    auto& found = jobs[name];
    for (const auto* row : all) {
      if (found.empty() || !continues(*found.back().back(), *row, reading.restartsTold)) found.emplace_back();
      found.back().push_back(row);
    }
  }
  return jobs;
}

bool hasEnded(const Runs& runs) {
  return !runs.empty() && runs.back()->endTime && factsOf(*runs.back()).phase == JobPhase::ended;
}

bool isOurs(const wire::SlurmAccountedJob& row, const OwnerOf& ownerOf) {
  const auto intent = intentOf(row.name);
  return intent && ownerOf(intent->attempt, row.user) != Owner::another;
}

}  // namespace fairlead::engine::slurm
