// Bodies. v0.0.38 takes sbatch's options under long names; from v0.0.39 on it is slurmctld's own description of a job.
#include "request_check.hpp"

#include <fairlead/codec/errors.hpp>
#include <fairlead/codec/json.hpp>
#include <fairlead/codec/signals.hpp>
#include <fairlead/codec/slurm/grammars.hpp>
#include <fairlead/codec/slurm/requests.hpp>

#include <fmt/format.h>

namespace fairlead::codec::slurm {
namespace {

std::int64_t minutesOf(Milliseconds span) { return (span.count + 59'999) / 60'000; }
std::int64_t mibOf(Bytes bytes) { return (bytes.count + (std::int64_t{1} << 20) - 1) >> 20; }
std::int64_t secondsOf(TimePoint moment) { return moment.msSinceEpoch / 1000; }

void text(JsonWriter& json, std::string_view key, std::string_view value) {
  if (!value.empty()) json.member(key, value);
}

/// `{"number": 5, "set": true}`.
void boxed(JsonWriter& json, std::string_view key, std::int64_t value) {
  json.key(key).beginObject().member("number", value).member("set", true).endObject();
}

std::string nodesText(const SlurmComponent& c) {
  return c.maxNodes == 0 ? fmt::format("{}", c.nodes) : fmt::format("{}-{}", c.nodes, c.maxNodes);
}

std::string gresPrefixed(const std::vector<GresEntry>& entries) {
  std::string out;
  for (const auto& entry : entries) {
    GresEntry plain{entry.name, entry.type, entry.count, false, {}, {}, {}};
    out += fmt::format("{}gres/{}", out.empty() ? "" : ",", gresText({plain}));
  }
  return out;
}

std::string gresPlain(const std::vector<GresEntry>& entries) {
  std::vector<GresEntry> plain;
  for (const auto& entry : entries) plain.push_back({entry.name, entry.type, entry.count, false, {}, {}, {}});
  return gresText(plain);
}

/// What both descriptions call the same.
void common(JsonWriter& json, const SlurmSubmit& s, const SlurmComponent& c) {
  text(json, "name", s.name);
  text(json, "comment", s.comment);
  text(json, "current_working_directory", s.workDir);
  text(json, "dependency", s.dependency);
  text(json, "wckey", s.wckey);
  text(json, "standard_output", s.stdoutPattern);
  text(json, "standard_error", s.stderrPattern);
  text(json, "standard_input", s.stdinPattern);
  text(json, "array", s.array);
  text(json, "container", s.container);
  text(json, "partition", c.partition);
  text(json, "account", c.account);
  text(json, "qos", c.qos);
  text(json, "reservation", c.reservation);
  text(json, "constraints", c.constraint);
  text(json, "licenses", c.licenses);
  if (c.tasksPerNode > 0) json.member("tasks_per_node", c.tasksPerNode);
  if (c.cpusPerTask > 0) json.member("cpus_per_task", c.cpusPerTask);
  if (s.nice) json.member("nice", *s.nice);
  if (s.hold) json.member("hold", true);
  if (!s.arguments.empty()) {
    json.key("argv").beginArray().value(s.name.empty() ? "script" : s.name);  // the place of the script's own name
    for (const auto& argument : s.arguments) json.value(argument);
    json.endArray();
  }
}

void describe38(JsonWriter& json, const SlurmSubmit& s, const SlurmComponent& c) {
  json.beginObject();
  common(json, s, c);
  // slurmrestd of 22.05 takes any value of `requeue` and heeds only this one.
  if (s.requeue) json.member(*s.requeue ? "requeue" : "no_requeue", true);
  json.key("environment").beginObject();
  for (const auto& [name, value] : s.environment) json.member(name, value);
  json.endObject();
  if (c.maxNodes == 0)
    json.member("nodes", c.nodes);
  else
    json.key("nodes").beginArray().value(c.nodes).value(c.maxNodes).endArray();
  text(json, "gres", gresPlain(c.gresPerNode));
  if (c.memoryPerNode) json.member("memory_per_node", mibOf(*c.memoryPerNode));
  if (s.timeLimit) json.member("time_limit", minutesOf(*s.timeLimit));
  if (s.begin) json.member("begin_time", secondsOf(*s.begin));
  if (s.deadline) json.member("deadline", fmt::format("{}", secondsOf(*s.deadline)));
  if (s.priority) json.member("priority", fmt::format("{}", *s.priority));
  if (s.signal)
    json.member("signal",
                fmt::format("{}{}@{}", s.signalBatchShell ? "B:" : "", signalName(*s.signal), s.signalSeconds));
  if (c.exclusive) json.member("exclusive", "exclusive");
  if (c.overSubscribe) json.member("oversubscribe", true);
  if (s.killOnInvalidDependency) json.member("kill_on_invalid_dependency", true);
  text(json, "open_mode", s.openMode);
  json.endObject();
}

void signalOf(JsonWriter& json, const SlurmSubmit& s) {
  json.member("kill_warning_signal", signalName(*s.signal));
  boxed(json, "kill_warning_delay", s.signalSeconds);
  if (s.signalBatchShell) json.key("kill_warning_flags").beginArray().value("BATCH_JOB").endArray();
}

void describe39(JsonWriter& json, const SlurmSubmit& s, const SlurmComponent& c) {
  json.beginObject();
  common(json, s, c);
  if (s.requeue) json.member("requeue", *s.requeue);
  json.key("environment").beginArray();
  for (const auto& [name, value] : s.environment) json.value(name + "=" + value);
  json.endArray();
  json.member("nodes", nodesText(c));
  text(json, "tres_per_node", gresPrefixed(c.gresPerNode));
  text(json, "required_nodes", c.requiredNodes);
  text(json, "excluded_nodes", c.excludedNodes);
  if (c.memoryPerNode) boxed(json, "memory_per_node", mibOf(*c.memoryPerNode));
  if (s.timeLimit) boxed(json, "time_limit", minutesOf(*s.timeLimit));
  if (s.begin) boxed(json, "begin_time", secondsOf(*s.begin));
  if (s.deadline) json.member("deadline", secondsOf(*s.deadline));
  if (s.priority) boxed(json, "priority", *s.priority);
  if (s.signal) signalOf(json, s);
  if (c.switches) boxed(json, "required_switches", *c.switches);
  if (c.switchesWait) json.member("wait_for_switch", (c.switchesWait->count + 999) / 1000);
  if (c.segment) boxed(json, "segment_size", *c.segment);
  if (c.exclusive || c.overSubscribe)
    json.key("shared").beginArray().value(c.exclusive ? "none" : "oversubscribe").endArray();
  if (s.killOnInvalidDependency) json.key("flags").beginArray().value("KILL_INVALID_DEPENDENCY").endArray();
  if (!s.openMode.empty())
    json.key("open_mode").beginArray().value(s.openMode == "append" ? "APPEND" : "TRUNCATE").endArray();
  json.endObject();
}

/// What `version` has no words for.
void checkOffered(ApiVersion version, const SlurmSubmit& s, Errors& errors) {
  const auto refuse = [&](std::string field, std::string_view value) {
    errors.push_back(requestError(kNotOffered, std::move(field), value, "not offered by this version of the REST API",
                                  "submit through the command line, or a newer slurmrestd"));
  };
  for (std::size_t i = 0; i < s.components.size(); ++i) {
    const auto& c = s.components[i];
    const auto path = fmt::format("components[{}]", i);
    if (version == ApiVersion::v38 && c.switches) refuse(path + ".switches", fmt::format("{}", *c.switches));
    if (version == ApiVersion::v38 && !c.requiredNodes.empty()) refuse(path + ".requiredNodes", c.requiredNodes);
    if (version == ApiVersion::v38 && !c.excludedNodes.empty()) refuse(path + ".excludedNodes", c.excludedNodes);
    if (version < ApiVersion::v41 && c.segment) refuse(path + ".segment", fmt::format("{}", *c.segment));
  }
  for (const auto& [name, value] : s.pluginOptions) refuse("pluginOptions." + name, value);
  // Without any variable slurmctld refuses the job; sbatch always has some.
  if (s.environment.empty())
    errors.push_back(requestError(kMissingField, "environment", "", "empty", "name at least PATH"));
}

}  // namespace

Checked<std::string> submitBody(ApiVersion version, const SlurmSubmit& submit) {
  auto errors = checkSubmit(submit);
  checkOffered(version, submit, errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  const auto describe = version == ApiVersion::v38 ? describe38 : describe39;
  std::string body;
  JsonWriter json(body);
  json.beginObject().member("script", submit.script);
  if (submit.components.size() == 1) {
    json.key("job");
    describe(json, submit, submit.components[0]);
  } else {
    json.key("jobs").beginArray();
    for (const auto& component : submit.components) describe(json, submit, component);
    json.endArray();
  }
  json.endObject();
  return body;
}

Checked<std::string> updateBody(ApiVersion version, const SlurmJobUpdate& update) {
  Errors errors;
  for (const auto& [field, value] : {std::pair("comment", &update.comment), {"name", &update.name}})
    if (*value) checkLine(**value, field, errors);
  for (const auto& [field, value] : {std::pair("partition", &update.partition),
                                     {"qos", &update.qos},
                                     {"account", &update.account},
                                     {"reservation", &update.reservation}})
    if (*value) checkWord(**value, field, errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  std::string body;
  JsonWriter json(body);
  const bool old = version == ApiVersion::v38;
  json.beginObject();
  for (const auto& [field, value] : {std::pair("comment", &update.comment),
                                     {"name", &update.name},
                                     {"partition", &update.partition},
                                     {"qos", &update.qos},
                                     {"account", &update.account},
                                     {"reservation", &update.reservation}})
    if (*value) json.member(field, **value);
  if (update.timeLimit) {
    if (old)
      json.member("time_limit", minutesOf(*update.timeLimit));
    else
      boxed(json, "time_limit", minutesOf(*update.timeLimit));
  }
  if (update.priority) {
    if (old)
      json.member("priority", fmt::format("{}", *update.priority));
    else
      boxed(json, "priority", *update.priority);
  }
  if (update.nice) json.member("nice", *update.nice);
  if (update.hold) json.member("hold", *update.hold);
  json.endObject();
  return body;
}

Checked<std::string> nodeBody(ApiVersion version, NodeAction action, std::string_view node, std::string_view reason) {
  // The checks of the command are the same, and so is what it says.
  if (auto same = nodeCommand(action, node, reason); !same) return tl::unexpected(std::move(same.error()));
  if (version < ApiVersion::v40)
    return tl::unexpected(Errors{requestError(kBadValue, "nodes", node, "slurmrestd changes nodes from v0.0.40 on only",
                                              "connect the cluster through the commands, or drain it with scontrol")});
  std::string body;
  JsonWriter json(body);
  json.beginObject().key("state").beginArray().value(action == NodeAction::drain ? "DRAIN" : "RESUME").endArray();
  if (action == NodeAction::drain) json.member("reason", reason);
  json.endObject();
  return body;
}

}  // namespace fairlead::codec::slurm
