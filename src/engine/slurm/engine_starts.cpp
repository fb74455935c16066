// Starting: at most one job per intent, whatever answers were lost.
#include "slurm/slurm_engine.hpp"
#include "slurm/user_files.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>

namespace fairlead::engine::slurm {

using control::DispatchOutcome;
using local::monotonicNow;
using local::wallNow;

namespace {

constexpr Milliseconds kHistoryMargin{600'000};

std::string filledHome(std::string home, const std::string& user) {
  for (auto at = home.find("%u"); at != std::string::npos; at = home.find("%u", at + user.size()))
    home.replace(at, 2, user);
  return home;
}

/// Ranks get the whole pattern back: `%t` in the place where the rank stands.
std::string patternOf(const std::vector<std::string>& paths) {
  if (paths.size() <= 1) return paths.empty() ? std::string() : paths[0];
  const auto &first = paths[0], &last = paths[1];
  for (std::size_t i = 0; i < first.size() && i < last.size(); ++i)
    if (first[i] == '0' && last[i] == '1' && first.substr(i + 1) == last.substr(i + 1))
      return first.substr(0, i) + "%t" + first.substr(i + 1);
  return first;
}

}  // namespace

Result<JobUser> SlurmEngine::userOf(const std::string& unixUser) const {
  if (unixUser.empty())
    return fail(kUnknownUser, "the workload has no Unix user, and jobs run as their submitter only",
                "map the principal to a Unix user");
  const auto identity = local::resolveIdentity(unixUser);
  const bool byCommands = options_.endpoint.empty();
  if (::geteuid() != 0 && byCommands && (!identity || identity->name != unixUser))
    return fail(kUnknownUser,
                fmt::format("the daemon runs as {} and cannot submit as {}", identity ? identity->name : "?",
                            printable(unixUser, 80)),
                "run the daemon as root, or connect the cluster through slurmrestd with a token for each user");
  if (identity && identity->name == unixUser) return JobUser{unixUser, identity->home};
  if (byCommands) return tl::unexpected(identity.error());
  return JobUser{unixUser, filledHome(options_.homeFolder, unixUser)};
}

void SlurmEngine::refuse(model::AttemptId attempt, const model::IntentId& intent, const std::string& reason) {
  {
    const std::lock_guard guard(mutex_);
    auto& tracked = track(attempt);
    model::Observation refused;
    refused.kind = model::ObservationKind::refused;
    refused.category = model::FailureCategory::startFailed;
    refused.nativeState = "refused";
    refused.reason = reason;
    tracked.memory.over = true;
    tell(tracked, std::move(refused));
  }
  answer(intent, DispatchOutcome::done);
}

/// Repeats, stops that came first, and what an earlier daemon left.
bool SlurmEngine::answeredAlready(const control::StartOrder& order) {
  const std::unique_lock guard(mutex_);
  auto& tracked = track(order.attempt.id);
  if (tracked.memory.jobName.empty()) {
    auto memory = folder_->load(order.attempt.id);
    if (!memory) {
      answer(order.intent.id, DispatchOutcome::retry, memory.error().message);
      return true;
    }
    if (*memory) tracked.memory = **memory;
  }
  tracked.sequence = std::max(tracked.sequence, order.attempt.observed);
  const auto& memory = tracked.memory;
  if (memory.over || memory.settled || memory.job != 0) {
    pollNow_ = true;
    pollerWake_.notify_all();
    answer(order.intent.id, DispatchOutcome::done, memory.over ? "it is over" : "");
    return true;
  }
  if (memory.stop.asked && !memory.lastTry) {
    endNeverStarted(tracked);
    answer(order.intent.id, DispatchOutcome::done);
    return true;
  }
  return false;
}

/// Once a submission is under way it is followed, whatever has been switched off meanwhile.
bool SlurmEngine::mayStart(const control::StartOrder& order) {
  if (options_.governs && options_.governs(order.workload.project)) return true;
  const std::lock_guard guard(mutex_);
  return static_cast<bool>(track(order.attempt.id).memory.lastTry);
}

void SlurmEngine::doStart(const control::StartOrder& order) {
  if (answeredAlready(order)) return;
  if (!mayStart(order))
    return refuse(order.attempt.id, order.intent.id,
                  fmt::format("cluster {} is only looked at for project {}: governing is switched off there",
                              options_.cluster, order.workload.project));
  const auto user = userOf(order.workload.unixUser);
  if (!user) return refuse(order.attempt.id, order.intent.id, toText(user.error()));
  std::vector<DeviceKind> kinds;
  bool known = false;
  {
    const std::lock_guard guard(mutex_);
    kinds = kinds_;
    known = kindsKnown_;
  }
  if (!known) return answer(order.intent.id, DispatchOutcome::retry, "the cluster has not been read yet");
  auto plan = planJob(order, options_, *user, kinds);
  if (!plan) return refuse(order.attempt.id, order.intent.id, toText(plan.error()));
  const auto found = lookAtFiles(order, plan->files);
  if (stopping_) return;
  if (!found) return refuse(order.attempt.id, order.intent.id, found.error().message);
  if (found->modelUnseen || !found->checkpoint.empty()) plan = planJob(order, options_, *user, kinds, *found);
  if (!plan) return refuse(order.attempt.id, order.intent.id, toText(plan.error()));
  submit(order, std::move(*plan), found->checkpoint);
}

void SlurmEngine::submit(const control::StartOrder& order, JobPlan plan, const std::string& checkpoint) {
  AttemptMemory memory;
  {
    const std::lock_guard guard(mutex_);
    memory = track(order.attempt.id).memory;
  }
  memory.user = order.workload.unixUser;
  memory.jobName = plan.submit.name;
  memory.folder = plan.folder;
  memory.batchStyle = plan.batchStyle;
  memory.members = static_cast<std::int32_t>(order.attempt.placement.size());
  memory.roles = plan.roles;
  memory.files = plan.files;
  memory.resumedFrom = checkpoint;
  memory.outputPattern = patternOf(plan.outputs);
  memory.errorPattern = patternOf(plan.errors);
  if (memory.lastTry) {
    const auto found = findJob(memory);
    if (!found) return answer(order.intent.id, DispatchOutcome::retry, toText(found.error()));
    if (*found) {
      {
        const std::lock_guard guard(mutex_);
        auto& tracked = track(order.attempt.id);
        tracked.memory = memory;
        adopt(tracked, **found);
        memory = tracked.memory;
      }
      if (auto saved = remember(memory); !saved) say(LogSeverity::warning, toText(saved.error()));
      return answer(order.intent.id, DispatchOutcome::done);
    }
    bool gone = false, adopted = false;
    {
      const std::lock_guard guard(mutex_);
      auto& tracked = track(order.attempt.id);
      adopted = tracked.memory.job != 0;  // by a reading that came while slurmdbd was asked
      gone = missedLongEnough(tracked);
    }
    if (adopted) return answer(order.intent.id, DispatchOutcome::done);
    if (!gone)
      return answer(order.intent.id, DispatchOutcome::retry,
                    "an earlier submission was not answered; Slurm may still be taking it");
  }
  memory.lastTry = wallNow();
  if (!memory.firstTry) memory.firstTry = memory.lastTry;
  if (auto saved = remember(memory); !saved)
    return answer(order.intent.id, DispatchOutcome::retry, toText(saved.error()));
  {
    const std::lock_guard guard(mutex_);
    auto& tracked = track(order.attempt.id);
    tracked.memory = memory;
    tracked.missedSince = {};
  }
  if (plan.submit.stdoutPattern.starts_with(plan.folder + "/"))
    if (const auto identity = local::resolveIdentity(memory.user);
        !identity || identity->name != memory.user || !makeUserFolder(*identity, plan.folder))
      plan.submit.stdoutPattern = "/dev/null";  // the job makes the folder itself, and writes there
  takeAnswer(order, calls_->submit(plan.submit, memory.user));
}

void SlurmEngine::takeAnswer(const control::StartOrder& order, const Result<wire::SlurmSubmitted>& submitted) {
  const auto attempt = order.attempt.id;
  std::unique_lock guard(mutex_);
  auto& tracked = track(attempt);
  if (submitted) {
    if (tracked.memory.job == 0) {
      JobFacts facts;
      facts.id = submitted->jobId;
      adopt(tracked, facts);
    }
  } else if (submitted.error().code != &kSlurmUncertain) {
    tracked.memory.lastTry = {};  // it was not done
  }
  const auto memory = tracked.memory;
  guard.unlock();
  if (auto saved = remember(memory, Keep::lazily); !saved) say(LogSeverity::warning, toText(saved.error()));
  if (submitted) return answer(order.intent.id, DispatchOutcome::done);
  if (mayWorkLater(submitted.error()))
    return answer(order.intent.id, DispatchOutcome::retry, toText(submitted.error()));
  refuse(attempt, order.intent.id, toText(submitted.error()));
}

void SlurmEngine::adopt(Tracked& tracked, const JobFacts& facts) {
  tracked.memory.job = facts.id;
  if (facts.submitted) tracked.memory.submitted = facts.submitted;
  tracked.knownAt = monotonicNow();
  if (tracked.told != Told::nothing) return;
  model::Observation accepted;
  accepted.kind = model::ObservationKind::accepted;
  accepted.nativeId = nativeId(facts);
  accepted.nativeState = facts.stateText.empty() ? "PENDING" : facts.stateText;
  accepted.resumedFrom = tracked.memory.resumedFrom;
  tracked.told = Told::accepted;
  tell(tracked, std::move(accepted));
}

/// With the lock held, after nothing was found. A slurmctld that stood still takes what waits for it when it goes on,
/// so the time counts from when it first answered whole without the job.
bool SlurmEngine::missedLongEnough(Tracked& tracked) const {
  const auto now = monotonicNow();
  if (tracked.missedSince.count == 0) tracked.missedSince = now;
  return now - tracked.missedSince >= options_.submitSettle;
}

Result<void> SlurmEngine::awaitReading(Milliseconds begunAfter) {
  std::unique_lock guard(mutex_);
  pollNow_ = true;
  pollerWake_.notify_all();
  const auto limit = std::chrono::milliseconds(options_.callTimeout.count);
  readingDone_.wait_for(guard, limit, [&] { return stopping_ || lastWholeBegun_ > begunAfter; });
  if (lastWholeBegun_ > begunAfter) return {};
  return fail(kSlurmUnreachable,
              "the queue could not be read whole" + (lastTrouble_.empty() ? "" : ": " + lastTrouble_));
}

Result<std::optional<JobFacts>> SlurmEngine::findJob(const AttemptMemory& memory) {
  if (auto read = awaitReading(monotonicNow()); !read) return tl::unexpected(read.error());
  {
    const std::lock_guard guard(mutex_);
    for (const auto& job : mirror_.find(memory.attempt))
      if (isOf(job, memory)) return std::optional(job.facts);
  }
  HistoryQuery query;
  query.from = memory.firstTry - kHistoryMargin;
  query.names = {memory.jobName};
  const auto runs = calls_->history(query);
  if (!runs) return tl::unexpected(runs.error());
  for (const auto& run : runs->records)
    if (isOf({factsOf(run), run.user, run.name}, memory)) return std::optional(factsOf(run));
  if (!runs->answer.problems.empty())
    return tl::unexpected(refusalOf(runs->answer.problems.front(), "asking slurmdbd"));
  return std::optional<JobFacts>();
}

}  // namespace fairlead::engine::slurm
