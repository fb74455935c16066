// Argument lists. Options are written as --name=value in one word, so that no value is ever read as an option.
#include "request_check.hpp"
#include "text.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/errors.hpp>
#include <fairlead/codec/signals.hpp>
#include <fairlead/codec/slurm/grammars.hpp>
#include <fairlead/codec/slurm/hostlist.hpp>
#include <fairlead/codec/slurm/requests.hpp>

#include <fmt/format.h>

#include <array>

namespace fairlead::codec::slurm {
namespace {

using Argv = std::vector<std::string>;

void option(Argv& argv, std::string_view name, std::string_view value) {
  if (!value.empty()) argv.push_back(fmt::format("--{}={}", name, value));
}

std::int64_t mibOf(Bytes bytes) { return (bytes.count + (std::int64_t{1} << 20) - 1) >> 20; }

/// sbatch reads `uts` and a number as seconds since 1970, whatever its time zone.
std::string utsText(TimePoint moment) { return fmt::format("uts{}", moment.msSinceEpoch / 1000); }

void componentOptions(Argv& argv, const SlurmSubmit& s, const SlurmComponent& c) {
  option(argv, "nodes", c.maxNodes == 0 ? fmt::format("{}", c.nodes) : fmt::format("{}-{}", c.nodes, c.maxNodes));
  if (c.tasksPerNode > 0) option(argv, "ntasks-per-node", fmt::format("{}", c.tasksPerNode));
  if (c.cpusPerTask > 0) option(argv, "cpus-per-task", fmt::format("{}", c.cpusPerTask));
  if (c.memoryPerNode) option(argv, "mem", fmt::format("{}M", mibOf(*c.memoryPerNode)));
  option(argv, "partition", c.partition);
  option(argv, "account", c.account);
  option(argv, "qos", c.qos);
  option(argv, "reservation", c.reservation);
  option(argv, "constraint", c.constraint);
  option(argv, "licenses", c.licenses);
  option(argv, "nodelist", c.requiredNodes);
  option(argv, "exclude", c.excludedNodes);
  std::vector<GresEntry> gres;
  for (const auto& entry : c.gresPerNode) gres.push_back({entry.name, entry.type, entry.count, false, {}, {}, {}});
  option(argv, "gres", gresText(gres));
  if (c.switches)
    option(argv, "switches",
           c.switchesWait ? fmt::format("{}@{}", *c.switches, limitText(*c.switchesWait))
                          : fmt::format("{}", *c.switches));
  if (c.segment) option(argv, "segment", fmt::format("{}", *c.segment));
  if (c.exclusive) argv.emplace_back("--exclusive");
  if (c.overSubscribe) argv.emplace_back("--oversubscribe");
  if (s.timeLimit) option(argv, "time", limitText(*s.timeLimit));
}

void jobOptions(Argv& argv, const SlurmSubmit& s) {
  option(argv, "job-name", s.name);
  option(argv, "comment", s.comment);
  option(argv, "chdir", s.workDir);
  option(argv, "dependency", s.dependency);
  option(argv, "wckey", s.wckey);
  option(argv, "output", s.stdoutPattern);
  option(argv, "error", s.stderrPattern);
  option(argv, "input", s.stdinPattern);
  option(argv, "array", s.array);
  option(argv, "container", s.container);
  option(argv, "open-mode", s.openMode);
  if (s.begin) option(argv, "begin", utsText(*s.begin));
  if (s.deadline) option(argv, "deadline", utsText(*s.deadline));
  if (s.signal)
    option(argv, "signal",
           fmt::format("{}{}@{}", s.signalBatchShell ? "B:" : "", signalName(*s.signal), s.signalSeconds));
  if (s.nice) option(argv, "nice", fmt::format("{}", *s.nice));
  if (s.priority) option(argv, "priority", fmt::format("{}", *s.priority));
  if (s.requeue) argv.emplace_back(*s.requeue ? "--requeue" : "--no-requeue");
  if (s.hold) argv.emplace_back("--hold");
  if (s.killOnInvalidDependency) option(argv, "kill-on-invalid-dep", "yes");
  for (const auto& [name, value] : s.pluginOptions) {
    if (value.empty())
      argv.push_back("--" + name);
    else
      option(argv, name, value);
  }
}

struct MessageRow {
  std::string_view text;
  std::int64_t number;
};

// What the numbers are called by slurm_strerror of 22.05 to 26.05.
constexpr std::array kMessages = std::to_array<MessageRow>({
    {"Invalid partition name specified", 2000},
    {"invalid partition specified", 2000},
    {"Access/permission denied", 2002},
    {"Invalid job id specified", 2017},
    {"Invalid node name specified", 2018},
    {"Job/step already completing or completed", 2021},
    {"Requested operation is presently disabled", 2037},
    {"Requested node configuration is not available", 2014},
    {"Invalid account or account/partition combination specified", 2045},
    {"Invalid qos specification", 2066},
    {"Invalid generic resource (gres) specification", 2072},
    {"Job dependency problem", 2038},
    {"Job violates accounting/QOS policy", 2050},
    {"Requested time limit is invalid", 2051},
    {"Requested reservation is invalid", 2053},
    {"Invalid job array specification", 2081},
    {"Invalid feature specification", 2029},
    {"Invalid license specification", 2048},
    {"Memory required by task is not available", 2044},
    {"Unable to contact slurm controller", 1800},
    {"Connection refused", 1800},
    {"Socket timed out on send/recv operation", 5004},
    {"Protocol authentication error", 1007},
    {"Invalid user id", 2010},
    {"Node count specification invalid", 2006},
    {"More processors requested than permitted", 2005},
    {"Batch script is empty", 2009},
});

}  // namespace

Checked<SlurmCommand> sbatchCommand(const SlurmSubmit& submit, std::string_view environmentFile) {
  auto errors = checkSubmit(submit);
  checkLine(environmentFile, "environmentFile", errors);
  for (const auto& argument : submit.arguments)
    if (argument.find('\0') != std::string::npos)
      errors.push_back(requestError(kBadValue, "arguments", argument, "not a text", "take zero bytes out of it"));
  // sbatch takes arguments of the script only behind the script's name, and ours comes through stdin.
  if (!submit.arguments.empty())
    errors.push_back(requestError(kNotOffered, "arguments", submit.arguments[0], "not offered with a script from stdin",
                                  "put them into the script, or into its environment"));
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  SlurmCommand command{{"sbatch", "--parsable"}, submit.script};
  option(command.argv, "export-file", environmentFile);
  jobOptions(command.argv, submit);
  for (std::size_t i = 0; i < submit.components.size(); ++i) {
    if (i > 0) command.argv.emplace_back(":");
    componentOptions(command.argv, submit, submit.components[i]);
  }
  return command;
}

std::string environmentFileText(const SlurmSubmit& submit) {
  std::string text;
  for (const auto& [name, value] : submit.environment) {
    text.append(name) += '=';
    text.append(value) += '\0';
  }
  return text;
}

std::optional<std::uint32_t> parseSubmitted(std::string_view output) {
  std::optional<std::uint32_t> found;
  while (!output.empty()) {  // a plugin may print lines of its own before
    auto line = trim(takeUntil(output, '\n'));
    if (const auto id = parseId(takeUntil(line, ';')); id && *id > 0) found = id;
  }
  return found;
}

std::string toText(const SlurmJobRef& job) {
  if (job.task) return fmt::format("{}_{}", job.id, *job.task);
  if (job.component) return fmt::format("{}+{}", job.id, *job.component);
  return fmt::format("{}", job.id);
}

SlurmCommand cancelCommand(const SlurmJobRef& job) { return {{"scancel", "--verbose", toText(job)}, {}}; }

SlurmCommand signalCommand(const SlurmJobRef& job, int signal, SignalScope scope) {
  SlurmCommand command{{"scancel", "--verbose"}, {}};
  option(command.argv, "signal", signalName(signal));
  if (scope == SignalScope::batchShell) command.argv.emplace_back("--batch");
  if (scope == SignalScope::batchScript) command.argv.emplace_back("--full");
  command.argv.push_back(toText(job));
  return command;
}

SlurmCommand actionCommand(JobAction action, const SlurmJobRef& job) {
  constexpr std::array<std::string_view, 7> kWords = {"hold",        "uhold",   "release", "requeue",
                                                      "requeuehold", "suspend", "resume"};
  return {{"scontrol", std::string(kWords.at(static_cast<std::size_t>(action))), toText(job)}, {}};
}

Checked<SlurmCommand> updateCommand(const SlurmJobRef& job, const SlurmJobUpdate& update) {
  Errors errors;
  SlurmCommand command{{"scontrol", "update", "JobId=" + toText(job)}, {}};
  const auto change = [&](std::string_view key, const std::optional<std::string>& value, bool word) {
    if (!value) return;
    if (word)
      checkWord(*value, std::string(key), errors);
    else
      checkLine(*value, std::string(key), errors);
    command.argv.push_back(fmt::format("{}={}", key, *value));
  };
  change("Comment", update.comment, false);
  change("Name", update.name, false);
  change("Partition", update.partition, true);
  change("QOS", update.qos, true);
  change("Account", update.account, true);
  change("ReservationName", update.reservation, true);
  if (update.timeLimit) command.argv.push_back("TimeLimit=" + limitText(*update.timeLimit));
  if (update.priority) command.argv.push_back(fmt::format("Priority={}", *update.priority));
  if (update.nice) command.argv.push_back(fmt::format("Nice={}", *update.nice));
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return command;
}

Checked<SlurmCommand> nodeCommand(NodeAction action, std::string_view nodes, std::string_view reason) {
  Errors errors;
  checkLine(reason, "reason", errors);
  if (!countHosts(nodes))
    errors.push_back(requestError(kBadValue, "nodes", nodes, "not a list of hosts", "write it as n[1-4],m7"));
  if (action == NodeAction::drain && reason.empty())
    errors.push_back(requestError(kMissingField, "reason", "", "empty", "say why; Slurm asks for it"));
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  SlurmCommand command{{"scontrol", "update", fmt::format("NodeName={}", nodes)}, {}};
  command.argv.emplace_back(action == NodeAction::drain ? "State=DRAIN" : "State=RESUME");
  if (action == NodeAction::drain) command.argv.push_back(fmt::format("Reason={}", reason));
  return command;
}

std::optional<SlurmProblem> problemOfCommand(std::string_view stderrText) {
  std::string_view last;
  for (auto rest = stderrText; !rest.empty();) {
    const auto line = trim(takeUntil(rest, '\n'));
    const bool shell = line.starts_with("shell-init:") || line.starts_with("chdir:");
    if (!shell && (line.find("error:") != std::string_view::npos || line.find("fatal:") != std::string_view::npos ||
                   line.starts_with("slurm_") || (last.empty() && !line.empty())))
      last = line;
  }
  if (last.empty()) return {};
  SlurmProblem problem;
  problem.error = printable(last, 400);
  for (const auto& row : kMessages) {
    if (stderrText.find(row.text) == std::string_view::npos) continue;
    problem.number = row.number;
    break;
  }
  problem.kind = problemKind(problem.number);
  return problem;
}

}  // namespace fairlead::codec::slurm
