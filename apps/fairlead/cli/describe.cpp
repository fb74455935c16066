// describe NOUN ID and explain ID: one object on one screen.
#include "commands.hpp"
#include "print.hpp"

#include <fairlead/base/text.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <memory>

namespace fairlead::cli {

namespace json = boost::json;

namespace {

/// A label of fixed width and its value; nothing for an empty value.
std::string field(std::string_view label, std::string_view value) {
  return value.empty() ? std::string() : fmt::format("  {:<11} {}\n", label, value);
}

std::string moment(const std::string& time) {
  return time.empty() ? std::string() : fmt::format("{} ({})", clockText(time), relative(time));
}

std::string costText(const json::value& cost) {
  std::string line = fmt::format("{} device-hours", hoursText(number(cost, "totalMicroDeviceSeconds")));
  const auto part = [&](std::string_view name, std::string_view word) {
    if (number(cost, name) > 0) line += fmt::format(", {} {}", hoursText(number(cost, name)), word);
  };
  part("lostMicroDeviceSeconds", "lost");
  part("idleMicroDeviceSeconds", "idle");
  if (!moneyOf(cost).empty()) line += "; " + moneyOf(cost);
  if (number(cost, "unpricedMicroDeviceSeconds") > 0) line += " (part of it has no price)";
  return line;
}

std::string placementText(const json::value& attempt) {
  std::string out;
  for (const auto& place : list(attempt, "placement")) {
    std::string devices;
    for (const auto& slice : list(place, "devices")) {
      devices += (devices.empty() ? "" : ",") + std::to_string(number(slice, "index"));
      if (number(slice, "milliDevices") != 1000)
        devices += fmt::format(" ({})", devicesText(number(slice, "milliDevices")));
    }
    out += fmt::format("      rank {:<3} {} on {}", number(place, "rank"), text(place, "role"), text(place, "node"));
    if (!devices.empty()) out += fmt::format(", {} {}", text(place, "model"), devices);
    for (const auto& end : list(attempt, "ends")) {
      if (number(end, "rank") != number(place, "rank")) continue;
      if (number(end, "signal") != 0)
        out += fmt::format("; killed by signal {}", number(end, "signal"));
      else
        out += fmt::format("; exited with {}", number(end, "exitCode"));
      if (flag(end, "outOfMemory")) out += " (out of memory)";
    }
    out += "\n";
  }
  return out;
}

std::string attemptText(const Context& context, const json::value& attempt) {
  std::string line = fmt::format("    {}  {}  {} on {}", number(attempt, "number"), text(attempt, "id"),
                                 coloured(context, text(attempt, "state")), text(attempt, "cluster"));
  if (!text(attempt, "failure").empty()) line += ": " + text(attempt, "failure");
  const auto started = parseTime(text(attempt, "startedAt"));
  const auto ended = parseTime(text(attempt, "endedAt"));
  if (started && ended)
    line += ", ran " + toShortText(*ended - *started);
  else if (started)
    line += ", runs since " + clockText(text(attempt, "startedAt"));
  line += "\n";
  if (!text(attempt, "resumedFrom").empty()) line += "      resumed from " + text(attempt, "resumedFrom") + "\n";
  if (!text(attempt, "checkpoint").empty())
    line += "      newest valid checkpoint " + text(attempt, "checkpoint") + "\n";
  if (!text(attempt, "nativeReason").empty()) line += "      engine says: " + text(attempt, "nativeReason") + "\n";
  return line + placementText(attempt);
}

std::string nativeText(const json::value& native) {
  std::string out = fmt::format("{} on {}", text(native, "id"), text(native, "cluster"));
  for (const auto* key : {"account", "queue", "qos"})
    if (!text(native, key).empty()) out += fmt::format(", {} {}", key, text(native, key));
  return out + fmt::format("; {}", text(native, "state"));
}

Exit describeWorkload(const Context& context, const std::string& id) {
  const auto row = get(context, workloadPath(id));
  if (printed(context, row)) return Exit::done;
  std::string out =
      fmt::format("{}  {}  {}\n", text(row, "id"), text(row, "name"), coloured(context, text(row, "state")));
  out += field("project", fmt::format("{}, by {}", text(row, "project"), text(row, "user")));
  if (const auto* native = member(row, "native")) out += field("native job", nativeText(*native));
  out += field("class", fmt::format("{}, priority {}", text(row, "class"), number(row, "priority")));
  out += field("asks for",
               fmt::format("{}{}{}",
                           number(row, "members") == 1 ? "1 member" : fmt::format("{} members", number(row, "members")),
                           text(row, "devices").empty() ? "" : ", ", text(row, "devices")));
  if (number(row, "elements") > 0)
    out += field("array",
                 fmt::format("{} of {} elements started", number(row, "elementsStarted"), number(row, "elements")));
  out += field("waiting for", text(row, "waitingFor"));
  if (number(row, "queuePosition") > 0) out += field("position", std::to_string(number(row, "queuePosition")));
  out += field("submitted", moment(text(row, "submittedAt")));
  out += field("started", moment(text(row, "startedAt")));
  out += field("ended", moment(text(row, "endedAt")));
  out += field("message", text(row, "message"));
  if (const auto* cost = member(row, "cost")) out += field("held", costText(*cost));
  for (const auto& version : list(row, "models"))
    out += field("made", fmt::format("model {} v{}", text(version, "model"), number(version, "version")));
  if (!list(row, "attempts").empty()) out += "  attempts\n";
  for (const auto& attempt : list(row, "attempts")) out += attemptText(context, attempt);
  print(out);
  return Exit::done;
}

std::string servedText(const json::value& version) {
  std::string served;
  for (const auto* use : {"servedBy", "nextServedBy"})
    for (const auto& service : list(version, use))
      served += fmt::format("{}{} ({})", served.empty() ? "" : ", ", text(service, "name"), text(service, "state"));
  return served;
}

std::string builtOnText(const json::value& version) {
  const auto* input = member(version, "builtOn");
  return input == nullptr ? "" : fmt::format("{} v{}", text(*input, "model"), number(*input, "version"));
}

std::string metricsText(const json::value& version) {
  std::string metrics;
  const auto* map = member(version, "metrics");
  if (map == nullptr || !map->is_object()) return metrics;
  for (const auto& [name, value] : map->as_object())
    metrics += fmt::format("{}{} {}", metrics.empty() ? "" : ", ", std::string_view(name),
                           value.is_string() ? std::string(value.as_string()) : json::serialize(value));
  return metrics;
}

/// The model's project: given, else found by its name where that is unique.
std::string projectOfModel(const Context& context, const std::string& name) {
  if (!context.project.empty()) return context.project;
  std::vector<std::string> projects;
  for (const auto& model : getAll(context, "/api/v1/models"))
    if (text(model, "name") == name) projects.push_back(text(model, "project"));
  if (projects.size() == 1) return projects.front();
  if (projects.empty())
    throw Stop{Exit::notFound,
               fmt::format("there is no model {} (list them with: {} get models)", printable(name), context.program)};
  std::string names;
  for (const auto& project : projects) names += (names.empty() ? "" : ", ") + project;
  throw Stop{Exit::usage,
             fmt::format("several projects have a model {}: {} (say which with --project)", printable(name), names)};
}

Exit describeModel(const Context& context, const std::string& given) {
  const auto slash = given.find('/');
  const auto name = slash == std::string::npos ? given : given.substr(slash + 1);
  const auto project = slash == std::string::npos ? projectOfModel(context, name) : given.substr(0, slash);
  const auto model = get(context, "/api/v1/models/" + percentEncode(project) + "/" + percentEncode(name));
  if (printed(context, model)) return Exit::done;
  print(fmt::format("{}  project {}\n", text(model, "name"), text(model, "project")));
  Table table(context, {{"  VERSION"},
                        {"MADE BY"},
                        {"BY"},
                        {"BUILT ON"},
                        {"ASKED FOR"},
                        {"DEVICE-HOURS", true},
                        {"COST", true},
                        {"METRICS"},
                        {"AGE", true},
                        {"SERVED BY"},
                        {"SHA-256", false, true}});
  for (const auto& version : list(model, "versions")) {
    const auto* cost = member(version, "cost");
    table.row({fmt::format("  v{}", number(version, "version")), text(version, "workload"), text(version, "createdBy"),
               builtOnText(version), text(version, "askedFor"),
               cost == nullptr ? "" : hoursText(number(*cost, "totalMicroDeviceSeconds")),
               cost == nullptr ? "" : moneyOf(*cost), metricsText(version), age(text(version, "createdAt")),
               servedText(version), text(version, "sha256")});
  }
  print(table.text());
  return Exit::done;
}

Exit describeNode(const Context& context, const std::string& name) {
  for (const auto& node : getAll(context, "/api/v1/nodes")) {
    if (text(node, "name") != name) continue;
    if (printed(context, node)) return Exit::done;
    std::string out =
        fmt::format("{}  {}  {}\n", text(node, "name"), text(node, "cluster"), coloured(context, text(node, "state")));
    out += field("cpus", fmt::format("{} free of {}", thousandthsToText(number(node, "freeMilliCpus")),
                                     thousandthsToText(number(node, "milliCpus"))));
    out += field("memory", fmt::format("{} GiB free of {} GiB", number(node, "freeMemoryBytes") >> 30,
                                       number(node, "memoryBytes") >> 30));
    print(out);
    Table table(context, {{"  DEVICE", true},
                          {"MODEL"},
                          {"MEMORY", true},
                          {"FREE", true},
                          {"SHARES"},
                          {"HEALTH"},
                          {"UUID", false, true}});
    for (const auto& device : list(node, "devices"))
      table.row(
          {fmt::format("{}", number(device, "index")), text(device, "model"),
           fmt::format("{} GiB", number(device, "memoryBytes") >> 30), devicesText(number(device, "freeMilliDevices")),
           text(device, "shareIsolation") + " isolation",
           flag(device, "healthy") ? (flag(device, "declared") ? "declared" : "healthy") : text(device, "healthReason"),
           text(device, "uuid")});
    print(table.text());
    return Exit::done;
  }
  throw Stop{Exit::notFound, fmt::format("there is no node {}", printable(name))};
}

std::string headline(const json::value& row, const json::value& decision) {
  const auto state = text(row, "state");
  std::string line = fmt::format("{} is {}", text(row, "id"), state);
  const auto& reasons = list(decision, "reasons");
  if (state == "starting" && !reasons.empty()) return line + ", but " + text(reasons.front(), "text") + ".";
  if (state != "queued" && state != "held")
    return line + (text(row, "message").empty() ? "." : ": " + text(row, "message") + ".");
  const auto verdict = text(decision, "verdict");
  line += verdict == "never"    ? ". Never on the connected clusters"
          : verdict == "denied" ? ". Not allowed"
          : verdict == "placed" ? ". It is about to start"
                                : ". Not now";
  if (!reasons.empty() && text(reasons.front(), "code") != "held") line += ": " + text(reasons.front(), "text");
  return line + ".";
}

std::string holdersText(const json::value& explanation) {
  std::string out;
  for (const auto& holder : list(explanation, "holders")) {
    const auto ends = text(holder, "endsBy");
    out += fmt::format("{}{} ({}{}{})", out.empty() ? "" : ", ", text(holder, "workload", "somebody"),
                       text(holder, "project").empty() ? "" : "project " + text(holder, "project") + ", ",
                       devicesText(number(holder, "milliDevices")),
                       ends.empty() ? ", no time limit" : ", ends by " + clockText(ends));
  }
  return out;
}

Exit explainOne(const Context& context, const std::string& id) {
  const auto explanation = get(context, workloadPath(id, "/explain"));
  if (printed(context, explanation)) return Exit::done;
  const json::value none;
  const auto* row = member(explanation, "workload");
  const auto* decision = member(explanation, "decision");
  if (row == nullptr) row = &none;
  if (decision == nullptr) decision = &none;
  std::string out = headline(*row, *decision) + "\n";
  const auto& reasons = list(*decision, "reasons");
  for (std::size_t i = 1; i < reasons.size(); ++i) out += field("also", text(reasons[i], "text"));
  const auto state = text(*row, "state");
  if (state == "queued") {
    out += field("held by", holdersText(explanation));
    out +=
        field("reserved",
              text(explanation, "reservedFor").empty() ? "" : fmt::format("for {}", text(explanation, "reservedFor")));
    const auto start = text(*decision, "estimatedStart");
    out += field("next event", start.empty() ? ""
                                             : fmt::format("start estimated {} ({}), by the time limits of what runs",
                                                           clockText(start), relative(start)));
    if (number(*decision, "position") > 0)
      out += field("order", fmt::format("{} of {}: priority {}, waiting {}", number(*decision, "position"),
                                        number(explanation, "queueLength"), number(*row, "priority"),
                                        age(text(*row, "queuedAt"))));
  } else if (state == "held") {
    out += field("would help", fmt::format("{} release {}", context.program, text(*row, "id")));
  } else if (!text(*row, "cluster").empty()) {
    out += field("placed", fmt::format("on cluster {}; see: {} describe workload {}", text(*row, "cluster"),
                                       context.program, text(*row, "id")));
  }
  print(out);
  return Exit::done;
}

}  // namespace

void addDescribe(CLI::App& app, Run& run) {
  auto words = std::make_shared<std::vector<std::string>>();
  auto* describe = app.add_subcommand("describe", "One workload, model or node on one screen");
  describe->add_option("words", *words, "NOUN ID, or just the ID of a workload")->required()->expected(1, 2);
  describe->callback([&run, words] {
    run = [words](const Context& context) {
      if (words->size() == 1) return describeWorkload(context, words->front());
      const auto& noun = words->front();
      const auto& id = words->back();
      if (noun == "workload" || noun == "workloads" || noun == "wl") return describeWorkload(context, id);
      if (noun == "model" || noun == "models" || noun == "mo") return describeModel(context, id);
      if (noun == "node" || noun == "nodes" || noun == "no") return describeNode(context, id);
      throw Stop{Exit::usage,
                 fmt::format("{} cannot be described (there are workload, model and node)", printable(noun))};
    };
  });
}

void addExplain(CLI::App& app, Run& run) {
  auto id = std::make_shared<std::string>();
  auto* explain = app.add_subcommand("explain", "Why a workload waits, and what would change it");
  explain->add_option("id", *id, "Workload")->required();
  explain->callback([&run, id] { run = [id](const Context& context) { return explainOne(context, *id); }; });
}

}  // namespace fairlead::cli
