#include "slurm/fate.hpp"

#include "ranks/signal_text.hpp"
#include "slurm/script.hpp"

#include <fairlead/base/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>
#include <map>

namespace fairlead::engine::slurm {
namespace {

using wire::JobFlag;
using wire::JobState;
using Category = model::FailureCategory;

JobPhase phaseOf(JobState state, const wire::JobFlags& flags) {
  switch (state) {
    case JobState::unknown:
      return JobPhase::unsaid;
    case JobState::pending:
      return JobPhase::waiting;
    case JobState::running:
      return flags.has(JobFlag::configuring) ? JobPhase::waiting : JobPhase::running;
    case JobState::suspended:
      return JobPhase::running;
    default:
      // Still cleaning up: its processes may live, and a requeue may yet take it back.
      if (flags.has(JobFlag::completing) || flags.has(JobFlag::requeued)) return JobPhase::running;
      return JobPhase::ended;
  }
}

constexpr std::int32_t kShellSignalBase = 128;
constexpr std::int32_t kKilledForMemory = kShellSignalBase + SIGKILL;
constexpr std::int32_t kHighestSignal = 31;
constexpr std::int32_t kNoFiles = 53;  // slurmstepd's own: ended before the first instruction

/// A shell says 128 + n for a command that signal n ended.
model::MemberEnd endFromShell(std::int32_t rank, std::int32_t code) {
  model::MemberEnd end;
  end.rank = rank;
  if (code > kShellSignalBase && code <= kShellSignalBase + kHighestSignal)
    end.signal = code - kShellSignalBase;
  else
    end.exitCode = code;
  return end;
}

std::string endText(const model::MemberEnd& end) {
  if (end.outOfMemory) return fmt::format("rank {} ran out of memory", end.rank);
  if (end.signal != 0) return fmt::format("rank {} was killed by {}", end.rank, signalText(end.signal));
  return fmt::format("rank {} exited with {}", end.rank, end.exitCode);
}

std::optional<std::int32_t> numberOf(std::string_view text, std::int32_t most) {
  std::int32_t number = 0;
  const auto* last = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || at != last || number < 0 || number > most) return {};
  return number;
}

std::optional<RankEnd> readRankEnd(std::string_view line) {
  const auto space = line.find(' ');
  if (space == std::string_view::npos) return {};
  const auto rest = line.substr(space + 1);
  if (rest == "memory" && line.starts_with("- ")) return RankEnd{-1, kKilledForMemory, {}, false, true};
  const auto rank = numberOf(line.substr(0, space), 10'000'000);
  if (!rank) return {};
  if (rest == "memory") return RankEnd{*rank, kKilledForMemory, {}, false, true};
  if (rest.starts_with("start ")) return RankEnd{*rank, kNoCommand, printable(rest.substr(6), 400), false, false};
  const bool first = rest.starts_with("first ");
  const auto code = first || rest.starts_with("exit ") ? numberOf(rest.substr(first ? 6 : 5), 255) : std::nullopt;
  if (!code) return {};
  return RankEnd{*rank, *code, {}, first, false};
}

bool bad(const model::MemberEnd& end) { return end.exitCode != 0 || end.signal != 0; }

Category categoryOfExit(const model::MemberEnd& end) {
  return end.signal != 0 ? Category::signal : Category::applicationExit;
}

/// The job's own exit code as an end. Which rank it was is not known; in a job of one it is rank 0.
model::MemberEnd endOfJob(const JobFacts& facts) {
  model::MemberEnd end;
  if (!facts.exit) return end;
  if (facts.exit->signal != 0) {
    end.signal = facts.exit->signal;
    return end;
  }
  auto code = facts.exit->code;
  // sacct lost the top bit: a failed job's 9 is 137 far more often than a 9.
  if (facts.exit->topBitUncertain && code > 0 && code <= kHighestSignal && facts.reason.find("Raised") == 0)
    code += kShellSignalBase;
  return endFromShell(0, code);
}

void explain(model::Observation& out, const JobFacts& facts, Category category, const std::string& text) {
  out.category = category;
  out.reason = text;
  if (!facts.reason.empty() && facts.reason != "None")
    out.reason += fmt::format(" (Slurm: {} {})", facts.stateText, printable(facts.reason));
}

void takeFailure(model::Observation& out, const JobFacts& facts, const std::vector<RankEnd>& ends) {
  for (const auto& end : ends)
    if (!end.startProblem.empty()) {
      out.category = Category::startFailed;
      out.reason = printable(end.startProblem, 400);
      return;
    }
  for (const auto& end : ends)
    if (end.memory)
      return explain(
          out, facts, Category::outOfMemory,
          end.rank < 0 ? "it was killed for its memory" : fmt::format("rank {} ran out of memory", end.rank));
  // 22.05 gives this reason also to a batch script that a signal ended.
  const bool signalled = facts.exit && facts.exit->signal != 0 && facts.exit->signal != SIGKILL;
  if (facts.launchFailed || (facts.reason == "JobLaunchFailure" && !signalled)) {
    // The same words stand for a job that ran over its memory where jobacct_gather watches it.
    const bool killed = facts.exit && facts.exit->signal == SIGKILL;
    return explain(out, facts, killed ? Category::outOfMemory : Category::startFailed,
                   killed ? "it was killed for its memory" : "Slurm could not launch it");
  }
  if (facts.exit && facts.exit->code == kNoRunFolder && ends.empty() && facts.exit->signal == 0)
    return explain(out, facts, Category::startFailed,
                   "the attempt's folder could not be made on the node (or the program exited with 119)");
  if (facts.exit && facts.exit->code == kModelDiffers && ends.empty() && facts.exit->signal == 0)
    return explain(out, facts, Category::startFailed,
                   "the model is not what its digest says (or the program exited with 122)");
  if (facts.exit && facts.exit->signal == kNoFiles)
    return explain(out, facts, Category::startFailed,
                   "Slurm could not enter its working folder or open its output file on the node");
  const auto first = std::find_if(ends.begin(), ends.end(), [](const auto& end) { return end.first; });
  const auto worst = std::find_if(out.ends.begin(), out.ends.end(), [&](const auto& end) {
    return bad(end) && (first == ends.end() || end.rank == first->rank);
  });
  if (worst == out.ends.end()) return explain(out, facts, Category::applicationExit, "the job failed");
  out.category = categoryOfExit(*worst);
  out.reason = endText(*worst);
}

void takeState(model::Observation& out, const JobFacts& facts, const std::vector<RankEnd>& ends) {
  const auto node = facts.failedNode.empty() ? std::string("a node") : "node " + facts.failedNode;
  switch (facts.state) {
    case JobState::completed:
      return;
    case JobState::failed:
      return takeFailure(out, facts, ends);
    case JobState::outOfMemory:
      for (auto& end : out.ends)
        if (bad(end)) end.outOfMemory = true;
      return explain(out, facts, Category::outOfMemory, "it ran out of memory");
    case JobState::nodeFail:
      return explain(out, facts, Category::nodeLost, node + " failed");
    case JobState::bootFail:
      return explain(out, facts, Category::nodeLost, node + " did not boot");
    case JobState::preempted:
      return explain(out, facts, Category::preempted, "Slurm preempted it");
    case JobState::timeout:
    case JobState::deadline:
      return explain(out, facts, Category::timeLimit, "its time limit ended it");
    case JobState::cancelled:
      return explain(out, facts, Category::cancelled, "it was cancelled in Slurm");
    default:
      return explain(out, facts, Category::engineLost, "it ended in a state that is not known");
  }
}

/// slurmctld and slurmdbd tell the same under the same names.
template <class Job>
JobFacts readFacts(const Job& job) {
  JobFacts facts;
  facts.id = job.id;
  facts.submitted = job.submitTime.value_or(TimePoint{});
  facts.phase = phaseOf(job.state, job.flags);
  facts.state = job.state;
  facts.launchFailed = job.flags.has(JobFlag::launchFailed);
  facts.stateText = job.stateText;
  facts.reason = job.reason;
  facts.failedNode = job.failedNode;
  facts.restarts = job.restarts;
  facts.started = job.startTime.value_or(TimePoint{});
  facts.ended = job.endTime.value_or(TimePoint{});
  facts.exit = job.exit;
  facts.components = {allocationOf(job)};
  facts.stdoutPath = job.stdoutExpanded;
  facts.stderrPath = job.stderrExpanded;
  return facts;
}

}  // namespace

Allocation allocationOf(const wire::SlurmJob& job) { return {job.nodes.names, job.gresDetail, job.allocated}; }
Allocation allocationOf(const wire::SlurmAccountedJob& job) { return {job.nodes.names, {}, job.allocated}; }

JobFacts factsOf(const wire::SlurmJob& job) { return readFacts(job); }
JobFacts factsOf(const wire::SlurmAccountedJob& job) { return readFacts(job); }

std::string nativeId(const JobFacts& facts) {
  return facts.submitted ? fmt::format("{}@{}", facts.id, facts.submitted.msSinceEpoch / 1000)
                         : std::to_string(facts.id);
}

std::vector<RankEnd> readRankEnds(std::string_view text) {
  std::map<std::int32_t, RankEnd> ends;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    auto end = readRankEnd(line);
    if (!end) continue;
    const auto known = ends.find(end->rank);
    if (end->memory && known != ends.end()) {
      known->second.memory = true;
      continue;
    }
    if (end->first && known != ends.end()) end->startProblem = known->second.startProblem;
    ends.insert_or_assign(end->rank, *end);
  }
  std::vector<RankEnd> all;
  for (auto& [rank, end] : ends) all.push_back(std::move(end));
  return all;
}

model::Observation endOf(const JobFacts& facts, const std::vector<RankEnd>& ends, bool stopped,
                         const std::string& stopReason, std::int32_t members) {
  model::Observation out;
  out.kind = model::ObservationKind::ended;
  out.nativeId = nativeId(facts);
  out.nativeState = facts.stateText;
  out.at = facts.ended;
  for (const auto& end : ends) {
    out.ends.push_back(endFromShell(end.rank, end.code));
    out.ends.back().outOfMemory = end.memory;
    out.ends.back().at = facts.ended;
  }
  // A rank that left nothing ended otherwise than by itself; the job's own code is the word about it then.
  if (out.ends.empty() && (members == 1 || (facts.exit && (facts.exit->code != 0 || facts.exit->signal != 0)))) {
    out.ends.push_back(endOfJob(facts));
    out.ends.back().at = facts.ended;
    if (members > 1) out.ends.back().rank = -1;
  }
  if (stopped && facts.state != JobState::nodeFail && facts.state != JobState::bootFail) {
    out.category = Category::cancelled;
    out.reason = stopReason;
    return out;
  }
  takeState(out, facts, ends);
  return out;
}

}  // namespace fairlead::engine::slurm
