// A long queue: what it holds in memory, and how long a restart over it takes.
#include "benches.hpp"
#include "daemon.hpp"
#include "documents.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::bench {
namespace {

constexpr std::size_t kSpecs = 1'000;
constexpr std::size_t kConnections = 2;
constexpr std::uint64_t kLong = 1'000'000;
constexpr std::uint64_t kShort = 100'000;
constexpr double kMiB = 1 << 20;

/// Queues `count` workloads of 1,000 distinct specs. The rate.
double fill(const Daemon& daemon, std::uint64_t count) {
  std::vector<std::string> documents;
  for (std::size_t i = 0; i < kSpecs; ++i) documents.push_back(workloadDocument(0, static_cast<std::uint32_t>(i)));
  std::vector<NumberedRequest> requests(kConnections,
                                        NumberedRequest(daemon.unixSocket(), "/api/v1/workloads:batch", documents));
  std::uint64_t sent = 0;
  LoadPlan plan;
  plan.connections = kConnections;
  plan.next = [&](std::size_t i) -> std::string_view {
    if (sent >= count) return {};
    sent += kSpecs;
    return requests[i].number(sent - kSpecs + 1);
  };
  return runLoad(daemon.unixSocket(), plan).perSecond() * static_cast<double>(kSpecs);
}

struct QueueFigures {
  double perSecond = 0, rssMiB = 0, rssAfterRestartMiB = 0, restartSeconds = 0;
};

QueueFigures measure(const Setting& setting, std::uint64_t count) {
  Daemon daemon({.binary = setting.binary});
  (void)daemon.start();
  QueueFigures figures;
  {
    const Blocker blocker(daemon.unixSocket(), 1);
    figures.perSecond = fill(daemon, count);
    figures.rssMiB = static_cast<double>(daemon.process().memory("VmRSS")) / kMiB;
    daemon.stop();
    figures.restartSeconds = daemon.start(std::chrono::seconds(120)).count();
    figures.rssAfterRestartMiB = static_cast<double>(daemon.process().memory("VmRSS")) / kMiB;
  }
  daemon.stop();
  return figures;
}

}  // namespace

void benchQueue(const Setting& setting, Report& report) {
  const auto scaled = [&](std::uint64_t count) {
    return std::max<std::uint64_t>(
        kSpecs, static_cast<std::uint64_t>(static_cast<double>(count) * setting.scale) / kSpecs * kSpecs);
  };
  const auto small = measure(setting, scaled(kShort));
  const auto large = measure(setting, scaled(kLong));
  report.note(fmt::format("{} queued of {} specs at {:.0f}/s: {:.0f} MiB, after the restart {:.0f} MiB", scaled(kLong),
                          kSpecs, large.perSecond, large.rssMiB, large.rssAfterRestartMiB));
  report.add({"queue.rss_mib", std::max(large.rssMiB, large.rssAfterRestartMiB), "MiB", Better::lower, 1.2 * 1024, {}});
  report.add({"queue.restart_s", large.restartSeconds, "s", Better::lower, 15, {}});
  report.add({"queue.restart100k_s", small.restartSeconds, "s", Better::lower, 2, {}});
}

}  // namespace fairlead::bench
