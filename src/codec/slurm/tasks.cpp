#include "text.hpp"

#include <fairlead/codec/slurm/grammars.hpp>

#include <fmt/format.h>

namespace fairlead::codec::slurm {
namespace {

constexpr std::int64_t kMostTask = 4'000'000;  // MaxArraySize is at most 4,000,001

/// `7`, `3-7`, `5-9:2`.
std::optional<TaskRange> parseTaskRange(std::string_view text) {
  const bool stepped = text.find(':') != std::string_view::npos;
  auto rest = text;
  auto bounds = takeUntil(rest, ':');
  const auto step = stepped ? parseCount(rest) : std::optional<std::int64_t>(1);
  const bool range = bounds.find('-') != std::string_view::npos;
  const auto first = parseCount(takeUntil(bounds, '-'));
  const auto last = range ? parseCount(bounds) : first;
  if (!first || !last || !step || *step < 1 || *step > kMostTask || *last < *first || *last > kMostTask) return {};
  if (stepped && !range) return {};
  TaskRange out{static_cast<std::uint32_t>(*first), static_cast<std::uint32_t>(*last),
                static_cast<std::uint32_t>(*step)};
  out.last = out.first + (out.last - out.first) / out.step * out.step;  // the last one that is reached
  if (out.last == out.first) out.step = 1;
  return out;
}

}  // namespace

std::uint64_t TaskSet::count() const {
  std::uint64_t total = 0;
  for (const auto& range : ranges) total += range.count();
  return total;
}

bool TaskSet::contains(std::uint32_t task) const {
  for (const auto& range : ranges)
    if (task >= range.first && task <= range.last && (task - range.first) % range.step == 0) return true;
  return false;
}

std::optional<TaskSet> parseTasks(std::string_view text) {
  TaskSet out;
  auto rest = text;
  auto list = takeUntil(rest, '%');
  if (list.size() != text.size()) {
    auto throttle = rest;
    if (throttle.ends_with(']')) throttle.remove_suffix(1);  // `[3-7%3]`
    const auto most = parseId(throttle);
    if (!most) return {};
    out.throttle = *most;
    if (rest.ends_with(']') != list.starts_with('[')) return {};
    if (list.starts_with('[')) list.remove_prefix(1);
  } else if (list.starts_with('[') && list.ends_with(']')) {
    list = list.substr(1, list.size() - 2);
  }
  if (list.empty()) return {};
  while (!list.empty()) {
    const auto item = takeUntil(list, ',');
    if (item == "..." && list.empty() && !out.ranges.empty()) {
      out.cut = true;
      break;
    }
    const auto range = parseTaskRange(item);
    if (!range || out.ranges.size() == kMaxArrayRanges) return {};
    out.ranges.push_back(*range);
  }
  return out;
}

std::string tasksText(const TaskSet& tasks) {
  std::string out;
  for (const auto& range : tasks.ranges) {
    if (!out.empty()) out += ',';
    out += fmt::format("{}", range.first);
    if (range.last != range.first) out += fmt::format("-{}", range.last);
    if (range.step != 1 && range.last != range.first) out += fmt::format(":{}", range.step);
  }
  if (tasks.cut) out += ",...";
  if (tasks.throttle) out += fmt::format("%{}", *tasks.throttle);
  return out;
}

}  // namespace fairlead::codec::slurm
