#include "slurm/job_mirror.hpp"

#include "slurm/submission.hpp"

#include <fairlead/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::engine::slurm {
namespace {

/// An empty list where jobs were known counts when so many in a row say the same.
constexpr std::int32_t kEmptyInRow = 3;
/// So few may all end between two readings.
constexpr std::size_t kEmptyDoubt = 0;

}  // namespace

ReadVerdict JobMirror::judge(const wire::SlurmList<wire::SlurmJob>& read) {
  if (!read.answer.problems.empty())
    return {false, false, "the answer holds an error: " + printable(read.answer.problems.front().error)};
  const auto& name =
      !read.answer.cluster.empty() || read.records.empty() ? read.answer.cluster : read.records.front().cluster;
  if (cluster_.empty()) cluster_ = name;
  if (!name.empty() && name != cluster_)
    return {false, false, fmt::format("cluster {} answered, not {}", printable(name, 80), printable(cluster_, 80))};
  if (read.records.empty() && !believed_ && ++emptyInRow_ < kEmptyInRow)
    return {true, false, {}};  // an idle cluster, or the one lie after our own start
  if (read.records.empty() && jobs_ > kEmptyDoubt && ++emptyInRow_ < kEmptyInRow)
    return {false, false, fmt::format("the list is empty where {} jobs were known", jobs_)};
  if (!read.answer.complete) return {true, false, "the list ends early"};
  if (read.answer.setAside > 0) return {true, false, fmt::format("{} jobs could not be read", read.answer.setAside)};
  return {true, true, {}};
}

ReadVerdict JobMirror::take(const wire::SlurmList<wire::SlurmJob>& read) {
  auto verdict = judge(read);
  if (!verdict.present) return verdict;
  if (!read.records.empty()) emptyInRow_ = 0;
  believed_ = believed_ || verdict.whole;
  jobs_ = read.records.size();
  ours_.clear();
  std::map<std::uint32_t, std::map<std::uint32_t, Allocation>> parts;  // of heterogeneous jobs, by leader and place
  for (const auto& job : read.records) {
    if (job.hetOffset > 0) {  // the leader speaks for all components
      parts[*job.hetJobId].emplace(job.hetOffset, allocationOf(job));
      continue;
    }
    const auto intent = intentOf(job.name, job.comment);
    if (intent) ours_[intent->attempt].push_back({factsOf(job), job.user, job.name});
  }
  for (auto& [attempt, seen] : ours_) {
    for (auto& job : seen)
      for (auto& [offset, part] : parts[job.facts.id]) job.facts.components.push_back(part);
    std::stable_sort(seen.begin(), seen.end(),
                     [](const auto& a, const auto& b) { return a.facts.submitted > b.facts.submitted; });
  }
  return verdict;
}

std::vector<SeenJob> JobMirror::find(model::AttemptId attempt) const {
  const auto found = ours_.find(attempt);
  return found == ours_.end() ? std::vector<SeenJob>() : found->second;
}

}  // namespace fairlead::engine::slurm
