// A Slurm of one table, whose answers a test can lose, spoil or delay.
#pragma once

#include "slurm/calls.hpp"

#include <fairlead/engine/errors.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace fairlead::engine::test {

namespace wire = codec::slurm;

class FakeSlurm {
 public:
  struct Call {
    std::string what;  ///< `submit`, `cancel`, `signal 10`
    std::uint32_t job = 0;
    std::string user;
  };

  std::mutex mutex;
  std::map<std::uint32_t, wire::SlurmJob> queue;
  std::vector<wire::SlurmAccountedJob> database;
  std::vector<wire::SlurmNode> nodes;
  std::vector<std::pair<std::string, std::string>> settings;
  std::vector<wire::SlurmSubmit> submitted;
  std::vector<Call> calls;
  std::uint32_t nextId = 100;
  bool down = false;                       ///< nothing answers
  bool databaseDown = false;               ///< slurmdbd does not
  bool emptyList = false;                  ///< squeue answers with nothing
  bool errorInside = false;                ///< a list with an error beside it
  bool heedWindow = false;                 ///< questions to slurmdbd are answered for their time only
  std::size_t mostRows = 0;                ///< answers of slurmdbd that would be longer are refused; 0: no limit
  std::vector<slurm::HistoryQuery> asked;  ///< of slurmdbd
  bool scriptOnly = false;                 ///< signals reach the batch script only
  int loseAnswers = 0;                     ///< so many submissions are taken and not answered
  int failSubmissions = 0;                 ///< so many are not taken and not answered
  std::optional<wire::SlurmProblem> refusal;

  wire::SlurmJob& job(std::uint32_t id) { return queue.at(id); }
  void put(std::uint32_t id, wire::JobState state, const std::string& text) {
    const std::lock_guard guard(mutex);
    auto& row = queue.at(id);
    row.state = state;
    row.stateText = text;
    if (state == wire::JobState::running) row.startTime = TimePoint{2'000'000};
  }
  void end(std::uint32_t id, wire::JobState state, const std::string& text, std::int32_t code,
           std::int32_t signal = 0) {
    const std::lock_guard guard(mutex);
    auto& row = queue.at(id);
    row.state = state;
    row.stateText = text;
    row.startTime = TimePoint{2'000'000};
    row.endTime = TimePoint{3'000'000};
    row.exit = wire::ExitCode{code, signal, false, false};
  }
  void set(bool& trouble, bool on) {
    const std::lock_guard guard(mutex);
    trouble = on;
  }
  /// A running job that nobody submitted through us.
  void carry(std::uint32_t id, const std::string& name, const std::string& comment, const std::string& user) {
    const std::lock_guard guard(mutex);
    auto& row = queue[id];
    row.id = id;
    row.name = name;
    row.comment = comment;
    row.user = user;
    row.state = wire::JobState::running;
    row.stateText = "RUNNING";
    row.submitTime = TimePoint{1'500'000};
  }
  /// slurmctld forgets; slurmdbd keeps it as it was.
  void forget(std::uint32_t id) {
    const std::lock_guard guard(mutex);
    const auto row = queue.at(id);
    wire::SlurmAccountedJob kept;
    kept.id = id;
    kept.name = row.name;
    kept.user = row.user;
    kept.state = row.state;
    kept.stateText = row.stateText;
    kept.submitTime = row.submitTime;
    kept.startTime = row.startTime;
    kept.endTime = row.endTime;
    kept.exit = row.exit;
    database.push_back(kept);
    queue.erase(id);
  }
  std::size_t count(const std::string& what) {
    const std::lock_guard guard(mutex);
    std::size_t n = 0;
    for (const auto& call : calls)
      if (call.what == what) ++n;
    return n;
  }
};

/// The calls of an engine to it; several engines may share one.
class FakeCalls final : public slurm::SlurmCalls {
 public:
  explicit FakeCalls(FakeSlurm& world) : world_(world) {}

  Result<slurm::ServerInfo> connect() override {
    if (auto up = reach(); !up) return tl::unexpected(up.error());
    return slurm::ServerInfo{"a test", "0", ""};
  }
  Result<wire::SlurmList<wire::SlurmJob>> jobs(std::optional<TimePoint>) override {
    const std::lock_guard guard(world_.mutex);
    if (world_.down) return unreachable();
    wire::SlurmList<wire::SlurmJob> list;
    list.answer.complete = true;
    if (world_.errorInside)
      list.answer.problems.push_back({1007, wire::ProblemKind::unavailable, "half an answer", "", "", 0, false});
    if (!world_.emptyList && !world_.errorInside)
      for (const auto& [id, job] : world_.queue) list.records.push_back(job);
    return list;
  }
  Result<wire::SlurmList<wire::SlurmNode>> nodes() override {
    const std::lock_guard guard(world_.mutex);
    if (world_.down) return unreachable();
    wire::SlurmList<wire::SlurmNode> list;
    list.answer.complete = true;
    list.records = world_.nodes;
    return list;
  }
  Result<wire::SlurmList<wire::SlurmPartition>> partitions() override {
    return wire::SlurmList<wire::SlurmPartition>();
  }
  Result<wire::SlurmList<wire::SlurmAccountedJob>> history(const slurm::HistoryQuery& query) override {
    const std::lock_guard guard(world_.mutex);
    world_.asked.push_back(query);
    if (world_.down || world_.databaseDown) return unreachable();
    wire::SlurmList<wire::SlurmAccountedJob> list;
    list.answer.complete = true;
    for (const auto& job : world_.database) {
      const auto in = [](const auto& all, const auto& one) {
        return all.empty() || std::find(all.begin(), all.end(), one) != all.end();
      };
      const bool ids = in(query.ids, job.id) || (job.arrayJobId && in(query.ids, *job.arrayJobId));
      const bool before = world_.heedWindow && query.from && job.endTime && *job.endTime < *query.from;
      const bool after = world_.heedWindow && query.to && job.submitTime && *job.submitTime > *query.to;
      if (ids && in(query.names, job.name) && !before && !after) list.records.push_back(job);
    }
    if (world_.mostRows > 0 && list.records.size() > world_.mostRows)
      return fail(kSlurmMalformed, "asking slurmdbd: the answer is over the limit");
    return list;
  }
  Result<wire::SlurmSubmitted> submit(const wire::SlurmSubmit& job, const std::string& user) override {
    const std::lock_guard guard(world_.mutex);
    if (world_.down) return unreachable();
    world_.calls.push_back({"submit", 0, user});
    if (world_.refusal) return tl::unexpected(slurm::refusalOf(*world_.refusal, "submitting the job"));
    if (world_.failSubmissions > 0) {
      --world_.failSubmissions;
      return fail(kSlurmUncertain, "no answer");
    }
    const auto id = world_.nextId++;
    world_.submitted.push_back(job);
    auto& row = world_.queue[id];
    row.id = id;
    row.name = job.name;
    row.comment = job.comment;
    row.user = user;
    row.state = wire::JobState::pending;
    row.stateText = "PENDING";
    row.submitTime = TimePoint{1'000'000 + static_cast<std::int64_t>(id)};
    if (world_.loseAnswers > 0) {
      --world_.loseAnswers;
      return fail(kSlurmUncertain, "no answer");
    }
    return wire::SlurmSubmitted{id, {}};
  }
  Result<void> cancel(std::uint32_t job, const std::string& user) override {
    const std::lock_guard guard(world_.mutex);
    if (world_.down) return unreachable();
    world_.calls.push_back({"cancel", job, user});
    auto& row = world_.queue.at(job);
    row.state = wire::JobState::cancelled;
    row.stateText = "CANCELLED";
    row.endTime = TimePoint{3'000'000};
    return {};
  }
  Result<void> signal(std::uint32_t job, int number, wire::SignalScope scope, const std::string& user) override {
    const std::lock_guard guard(world_.mutex);
    if (world_.down) return unreachable();
    if (world_.scriptOnly && scope != wire::SignalScope::batchScript) return fail(kSlurmUnsupported, "the script only");
    world_.calls.push_back({"signal " + std::to_string(number), job, user});
    return {};
  }
  Result<void> update(std::uint32_t job, const wire::SlurmJobUpdate& change, const std::string& user) override {
    std::string what = "update";
    if (change.hold) what += *change.hold ? " hold" : " release";
    if (change.nice) what += " nice " + std::to_string(*change.nice);
    if (change.timeLimit) what += " limit " + std::to_string(change.timeLimit->count);
    return record(what, job, user);
  }
  Result<void> requeue(std::uint32_t, const std::string&) override { return {}; }
  Result<std::vector<std::pair<std::string, std::string>>> settings() override { return world_.settings; }
  Result<void> setSuspended(std::uint32_t job, bool suspended) override {
    return record(suspended ? "suspend" : "resume", job, {});
  }
  Result<void> orderNode(wire::NodeAction action, const std::string& node, const std::string& reason) override {
    return record((action == wire::NodeAction::drain ? "drain " : "resume ") + node + ": " + reason, 0, {});
  }
  void shutdown() override {}

 private:
  Result<void> record(const std::string& what, std::uint32_t job, const std::string& user) {
    const std::lock_guard guard(world_.mutex);
    if (world_.down) return unreachable();
    world_.calls.push_back({what, job, user});
    if (world_.refusal) return tl::unexpected(slurm::refusalOf(*world_.refusal, what));
    return {};
  }
  static tl::unexpected<Error> unreachable() { return fail(kSlurmUnreachable, "slurmctld does not answer"); }
  Result<void> reach() {
    const std::lock_guard guard(world_.mutex);
    if (world_.down) return unreachable();
    return {};
  }

  FakeSlurm& world_;
};

}  // namespace fairlead::engine::test
