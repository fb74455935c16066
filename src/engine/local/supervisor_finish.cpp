#include "data/checkpoint.hpp"
#include "data/outputs.hpp"
#include "data/user_task.hpp"
#include "local/processes.hpp"
#include "local/supervisor.hpp"
#include "ranks/signal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace fairlead::engine::local {
namespace {

constexpr Milliseconds kKillTime{60'000};
constexpr Milliseconds kDrainTime{2'000};

bool bad(const model::MemberEnd& end) { return end.signal != 0 || end.exitCode != 0; }

std::string endText(const model::MemberEnd& end) {
  if (end.outOfMemory) return fmt::format("rank {} ran out of memory", end.rank);
  if (end.signal != 0) return fmt::format("rank {} was killed by {}", end.rank, signalText(end.signal));
  return fmt::format("rank {} exited with {}", end.rank, end.exitCode);
}

model::FailureCategory categoryOf(const model::MemberEnd& end) {
  if (end.outOfMemory) return model::FailureCategory::outOfMemory;
  return end.signal != 0 ? model::FailureCategory::signal : model::FailureCategory::applicationExit;
}

}  // namespace

void Supervisor::killDescendants() {
  const auto end = monotonicNow() + kKillTime;
  for (;;) {
    pid_t reaped = 0;
    while ((reaped = ::waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (reaped < 0 && errno == ECHILD) break;
    for (const pid_t pid : descendantsOf(::getpid())) ::kill(pid, SIGKILL);
    if (monotonicNow() > end) break;  // a process in an uninterruptible wait: nobody can do more
    pollfd wait{signals_.get(), POLLIN, 0};
    ::poll(&wait, 1, 10);
    char drop[4096];
    while (::read(signals_.get(), drop, sizeof drop) > 0) {
    }
  }
  (void)endCgroup(cgroup_.path(), kKillTime);
}

void Supervisor::drainLogs() {
  const auto end = monotonicNow() + kDrainTime;
  for (auto& rank : ranks_)
    for (int stream = 0; stream < 2; ++stream) {
      Fd& pipe = stream == 0 ? rank.process.output : rank.process.error;
      while (pipe) {
        pollfd wait{pipe.get(), POLLIN, 0};
        const auto left = (end - monotonicNow()).count;
        // Its writers are dead; somebody outside who was handed the pipe does not hold us up.
        if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) <= 0) break;
        takeOutput(rank, stream);
      }
      pipe.reset();
    }
}

const Supervisor::Rank* Supervisor::firstFailure() const {
  const Rank* first = nullptr;
  for (const auto& rank : ranks_)
    if (bad(rank.end) && (first == nullptr || rank.place < first->place)) first = &rank;
  return first;
}

model::Observation Supervisor::verdict() const {
  model::Observation ended;
  ended.kind = model::ObservationKind::ended;
  ended.nativeId = fmt::format("pid {}", ::getpid());
  ended.nativeState = "ended";
  for (const auto& rank : ranks_) {
    ended.ends.push_back(rank.end);
    ended.at = std::max(ended.at, rank.end.at);
  }
  using Category = model::FailureCategory;
  const auto* failed = firstFailure();
  ended.reason = causeText_;
  switch (cause_) {
    case EndCause::startFailed:
      ended.category = Category::startFailed;
      break;
    case EndCause::intent:
      ended.category = Category::cancelled;
      break;
    case EndCause::timeLimit:
      ended.category = Category::timeLimit;
      break;
    case EndCause::terminated:
      ended.category = Category::engineLost;
      break;
    case EndCause::gang:
    case EndCause::none:
      if (failed == nullptr) break;
      ended.category = categoryOf(failed->end);
      ended.reason = endText(failed->end);
  }
  return ended;
}

void Supervisor::addCheckpoint(model::Observation& observation) {
  if (!order_.checkpoint) return;
  const auto folder = workingDirectory(order_, order_.members.front(), context_);
  const auto found = data::runTask(
      [&]() -> Fields {
        if (!becomeForGood(identity_)) return {};
        const auto newest = data::newestCheckpoint(*order_.checkpoint, folder);
        return {{"path", newest.path}, {"at", std::to_string(newest.completed.msSinceEpoch)}};
      },
      {data::kCheckpointTime, -1, {}});
  if (!found) return;
  observation.checkpoint = textField(*found, "path");
  if (!observation.checkpoint.empty()) observation.checkpointAt.msSinceEpoch = numberField(*found, "at");
}

void Supervisor::addOutputs(model::Observation& observation) {
  if (order_.outputs.empty() || observation.category != model::FailureCategory::none) return;
  const auto folder = workingDirectory(order_, order_.members.front(), context_);
  const auto taken = data::runTask(
      [&]() -> Fields {
        const data::ArtifactStore store{order_.artifacts, order_.artifactLimit, order_.intent};
        Fields fields;
        for (const auto& output : data::takeOutputs(order_.outputs, store, identity_, folder))
          fields.emplace_back("output", data::encodeOutput(output));
        return fields;
      },
      {data::kOutputTime, events_.get(), [&] { return takeIntents(); }});
  if (!taken) {
    for (const auto& rule : order_.outputs)
      observation.outputs.push_back({rule.name, {}, {}, {}, {}, "it could not be taken: " + taken.error().message});
    return;
  }
  for (const auto& [key, text] : *taken)
    if (auto output = data::decodeOutput(text)) observation.outputs.push_back(std::move(*output));
}

void Supervisor::appendForSure(model::Observation observation) {
  observation.attempt = attempt_;
  while (!journal_->append(observation)) {  // a full disk: what is not journalled would be reported as lost
    const timespec pause{0, 200'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

void Supervisor::finish() {
  killDescendants();
  drainLogs();
  auto ended = verdict();
  addCheckpoint(ended);
  addOutputs(ended);
  appendForSure(std::move(ended));
}

}  // namespace fairlead::engine::local
