// What a thousand open event streams cost the submissions, and whether each stream tells exactly its project's events.
#include "benches.hpp"
#include "daemon.hpp"
#include "documents.hpp"
#include "event_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fairlead::bench {
namespace {

constexpr std::size_t kProjects = 1'000;
constexpr std::size_t kConnections = 64;
constexpr int kRounds = 3;
constexpr double kRoundMs = 3'000;

/// Submits round robin over all projects and keeps what was answered for each.
class SpreadLoad {
 public:
  SpreadLoad(const Endpoint& where, std::size_t projects) : where_(where), answered_(projects), current_(kConnections) {
    for (std::size_t i = 0; i < projects; ++i)
      requests_.emplace_back(where, "/api/v1/workloads",
                             std::vector{workloadDocument(static_cast<std::uint32_t>(i), 0)});
  }

  LoadResult run(std::chrono::milliseconds duration) {
    LoadPlan plan;
    plan.connections = kConnections;
    plan.duration = duration;
    plan.next = [this](std::size_t i) { return next(i); };
    plan.answered = [this](std::size_t i, std::string_view body) {
      auto& seen = answered_[current_[i]];
      ++seen.events;
      seen.idSum += idHash(textMember(body, "id"));
    };
    return runLoad(where_, plan);
  }
  [[nodiscard]] std::vector<Seen> takeAnswered() {
    return std::exchange(answered_, std::vector<Seen>(answered_.size()));
  }

 private:
  // A project has one request buffer, so two connections must not send for one project at once: 64 of 1,000 never do.
  std::string_view next(std::size_t connection) {
    current_[connection] = number_ % requests_.size();
    return requests_[current_[connection]].number(number_++);
  }

  Endpoint where_;
  std::vector<NumberedRequest> requests_;
  std::vector<Seen> answered_;
  std::vector<std::size_t> current_;
  std::uint64_t number_ = 1;
};

void compare(const std::vector<Seen>& told, const std::vector<Seen>& answered) {
  for (std::size_t i = 0; i < told.size(); ++i)
    if (told[i].events != answered[i].events || told[i].idSum != answered[i].idSum)
      throw Failed(
          fmt::format("stream of p{}: {} events told, {} submissions answered", i, told[i].events, answered[i].events));
}

/// One round with all streams open. The rate of submissions.
double runWatched(const Daemon& daemon, SpreadLoad& load, std::chrono::milliseconds duration,
                  std::uint64_t& delivered) {
  EventWatch watch(daemon.unixSocket(), kProjects);
  (void)load.takeAnswered();
  const auto result = load.run(duration);
  const auto answered = load.takeAnswered();
  const auto count = static_cast<std::uint64_t>(result.latenciesMs.size());
  if (!watch.await(count, std::chrono::seconds(30)))
    throw Failed(fmt::format("not all of {} events came within 30 s", count));
  compare(watch.finish(), answered);
  delivered += count;
  return result.perSecond();
}

}  // namespace

void benchStreams(const Setting& setting, Report& report) {
  Daemon daemon({.binary = setting.binary, .projects = static_cast<int>(kProjects)});
  (void)daemon.start();
  const Blocker blocker(daemon.unixSocket(), 1);
  SpreadLoad load(daemon.unixSocket(), kProjects);
  const auto round = std::chrono::milliseconds(static_cast<std::int64_t>(kRoundMs * setting.scale));
  (void)load.run(round / 3);
  std::vector<double> alone, watched;
  std::uint64_t delivered = 0;
  for (int i = 0; i < kRounds; ++i) {
    alone.push_back(load.run(round).perSecond());
    watched.push_back(runWatched(daemon, load, round, delivered));
  }
  report.note(
      fmt::format("{} streams, each on a project of its own: {} events delivered, all in order, none missing; "
                  "submissions {:.0f}/s alone, {:.0f}/s watched",
                  kProjects, delivered, median(alone), median(watched)));
  report.add({"streams.submit_ratio", median(watched) / median(alone), "ratio", Better::higher, 0.5, {}});
}

}  // namespace fairlead::bench
