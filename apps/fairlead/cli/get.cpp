// get NOUN: lists, and one object as a line.
#include "clusters.hpp"
#include "commands.hpp"
#include "print.hpp"

#include <fairlead/base/clock.hpp>
#include <fairlead/base/text.hpp>
#include <fairlead/net/sse.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

namespace fairlead::cli {

namespace json = boost::json;

namespace {

struct GetOptions {
  std::string noun;
  std::vector<std::string> ids;
  std::vector<std::string> states;
  std::string taskClass, user, since, sort, origin;
  int limit = 0;
  bool all = false, watch = false;
};

json::value asList(json::array items) { return json::object{{"items", std::move(items)}}; }

std::string waitingFor(const json::value& row) {
  const auto waiting = text(row, "waitingFor");
  const auto state = text(row, "state");
  if (!waiting.empty() && (state == "queued" || state == "held" || state == "starting")) return waiting;
  return state == "failed" ? text(row, "failure") : "";
}

Table workloadTable(const Context& context) {
  return Table(context, {{"ID", false, false},
                         {"NAME", false, false},
                         {"PROJECT", false, false},
                         {"CLASS", false, false},
                         {"DEVICES", false, false},
                         {"STATE", false, false},
                         {"CLUSTER", false, false},
                         {"AGE", true, false},
                         {"WAITING FOR", false, false},
                         {"USER", false, true},
                         {"PRIORITY", true, true},
                         {"ATTEMPTS", true, true},
                         {"MESSAGE", false, true}});
}

/// Where it is; of a native job also what it is called there.
std::string clusterText(const json::value& row) {
  const auto* native = member(row, "native");
  return native == nullptr ? text(row, "cluster") : text(row, "cluster") + ":" + text(*native, "id");
}

void addWorkload(Table& table, const Context& context, const json::value& row) {
  table.row({text(row, "id"), text(row, "name"), text(row, "project"), text(row, "class"), text(row, "devices"),
             coloured(context, text(row, "state")), clusterText(row), age(text(row, "submittedAt")), waitingFor(row),
             text(row, "user"), fmt::format("{}", number(row, "priority")),
             fmt::format("{}", number(row, "attemptCount")), text(row, "message")});
}

Query workloadQuery(const Context& context, const GetOptions& options) {
  Query query;
  if (!context.project.empty()) query.emplace_back("project", context.project);
  for (const auto& state : options.states) query.emplace_back("state", state);
  if (!options.taskClass.empty()) query.emplace_back("class", options.taskClass);
  if (!options.user.empty()) query.emplace_back("user", options.user);
  if (!options.origin.empty()) query.emplace_back("origin", options.origin);
  if (options.all) query.emplace_back("all", "true");
  if (!options.since.empty()) {
    const auto span = parseDuration(options.since);
    query.emplace_back("since", span ? toText(SystemClock().now() - *span) : options.since);
  }
  if (options.limit > 0) query.emplace_back("limit", std::to_string(options.limit));
  return query;
}

void sortRows(json::array& rows, const std::string& field) {
  if (field.empty()) return;
  const bool down = field.front() == '-';
  const auto name = down ? field.substr(1) : field;
  std::stable_sort(rows.begin(), rows.end(), [&](const json::value& a, const json::value& b) {
    const auto key = [&](const json::value& row) { return std::make_pair(number(row, name), text(row, name)); };
    return down ? key(b) < key(a) : key(a) < key(b);
  });
}

/// Prints the rows that events touch, one line each, until interrupted.
void watchWorkloads(const Context& context, const Query& query) {
  Context lines = context;
  lines.noHeaders = true;
  net::SseParser parser;
  Query scope;
  for (const auto& [key, value] : query)
    if (key == "project") scope.emplace_back(key, value);
  stream(context, "/api/v1/events", scope, [&](std::string_view chunk) {
    const auto events = parser.feed(chunk);
    if (!events) throw Stop{Exit::failed, toText(events.error())};
    for (const auto& event : *events) {
      boost::system::error_code failed;
      const auto data = json::parse(event.data, failed);
      if (failed || text(data, "workload").empty()) continue;
      Table table = workloadTable(lines);
      addWorkload(table, lines, get(context, workloadPath(text(data, "workload"))));
      print(table.text());
    }
    return true;
  });
}

Exit getWorkloads(const Context& context, const GetOptions& options) {
  json::array rows;
  const auto query = workloadQuery(context, options);
  if (options.ids.empty()) {
    if (options.limit > 0) {
      const auto page = get(context, "/api/v1/workloads", query);
      rows = list(page, "items");
    } else {
      rows = getAll(context, "/api/v1/workloads", query);
    }
  }
  for (const auto& id : options.ids) rows.push_back(get(context, workloadPath(id)));
  sortRows(rows, options.sort);
  const auto answer = asList(std::move(rows));
  if (printed(context, answer)) return Exit::done;
  auto table = workloadTable(context);
  for (const auto& row : list(answer, "items")) addWorkload(table, context, row);
  if (list(answer, "items").empty() && !options.watch)
    printError(options.all ? "no workloads" : "no workloads that wait or run (--all shows ended ones)");
  else
    print(table.text());
  if (options.watch) watchWorkloads(context, query);
  return Exit::done;
}

/// `4 h100 (2 free)`, one for each model.
std::string deviceSummary(const json::value& node) {
  std::vector<std::pair<std::string, std::pair<std::int64_t, std::int64_t>>> kinds;
  for (const auto& device : list(node, "devices")) {
    const auto model = text(device, "model");
    auto known = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.first == model; });
    if (known == kinds.end()) known = kinds.insert(kinds.end(), {model, {0, 0}});
    ++known->second.first;
    known->second.second += number(device, "freeMilliDevices");
  }
  std::string summary;
  for (const auto& [model, counts] : kinds)
    summary +=
        fmt::format("{}{} {} ({} free)", summary.empty() ? "" : ", ", counts.first, model, devicesText(counts.second));
  return summary;
}

Exit getNodes(const Context& context, const GetOptions&) {
  const auto answer = asList(getAll(context, "/api/v1/nodes"));
  if (printed(context, answer)) return Exit::done;
  Table table(context, {{"NODE"},
                        {"CLUSTER"},
                        {"STATE"},
                        {"DEVICES"},
                        {"CPUS FREE", true},
                        {"MEMORY FREE", true},
                        {"REASON", false, true}});
  for (const auto& node : list(answer, "items"))
    table.row({text(node, "name"), text(node, "cluster"), coloured(context, text(node, "state")), deviceSummary(node),
               fmt::format("{} of {}", thousandthsToText(number(node, "freeMilliCpus")),
                           thousandthsToText(number(node, "milliCpus"))),
               fmt::format("{} of {} GiB", number(node, "freeMemoryBytes") >> 30, number(node, "memoryBytes") >> 30),
               text(node, "stateReason")});
  print(table.text());
  return Exit::done;
}

struct PlainColumn {
  const char* title;
  const char* field;
  bool right = false;
  bool isAge = false;
};

/// Lists whose cells are fields as they stand.
Exit getPlain(const Context& context, std::string_view target, const std::vector<PlainColumn>& columns,
              Query query = {}) {
  const auto answer = asList(getAll(context, target, std::move(query)));
  if (printed(context, answer)) return Exit::done;
  std::vector<Table::Column> titles;
  for (const auto& column : columns) titles.push_back({column.title, column.right, false});
  Table table(context, titles);
  for (const auto& row : list(answer, "items")) {
    std::vector<std::string> cells;
    for (const auto& column : columns) {
      const auto* value = member(row, column.field);
      if (column.isAge)
        cells.push_back(age(text(row, column.field)));
      else
        cells.push_back(value != nullptr && value->is_number() ? std::to_string(number(row, column.field))
                                                               : text(row, column.field));
    }
    table.row(std::move(cells));
  }
  print(table.text());
  return Exit::done;
}

Exit getPrices(const Context& context, const GetOptions&) {
  const auto answer = asList(getAll(context, "/api/v1/prices"));
  if (printed(context, answer)) return Exit::done;
  Table table(context, {{"DEVICE"}, {"PER DEVICE-HOUR", true}, {"FROM"}, {"UNTIL"}});
  for (const auto& price : list(answer, "items"))
    table.row({text(price, "deviceModel"), moneyText({number(price, "perDeviceHourMicros")}, text(price, "currency")),
               text(price, "from").substr(0, 10), text(price, "to").substr(0, 10)});
  print(table.text());
  return Exit::done;
}

using Getter = Exit (*)(const Context&, const GetOptions&);
struct Noun {
  std::string_view name, singular, brief;
  Getter run;
};

const std::array<Noun, 7> kNouns{{
    {"workloads", "workload", "wl", getWorkloads},
    {"nodes", "node", "no", getNodes},
    {"clusters", "cluster", "cl", [](const Context& c, const GetOptions&) { return getClusters(c); }},
    {"models", "model", "mo",
     [](const Context& c, const GetOptions&) {
       return getPlain(c, "/api/v1/models",
                       {{"MODEL", "name"},
                        {"PROJECT", "project"},
                        {"VERSIONS", "versions", true},
                        {"NEWEST", "latestVersion", true},
                        {"AGE", "latestAt", true, true}},
                       c.project.empty() ? Query{} : Query{{"project", c.project}});
     }},
    {"projects", "project", "pr",
     [](const Context& c, const GetOptions&) {
       return getPlain(c, "/api/v1/projects", {{"PROJECT", "name"}, {"PARENT", "parent"}, {"YOUR ROLE", "yourRole"}});
     }},
    {"prices", "price", "pc", getPrices},
    {"devices", "device", "de",
     [](const Context& c, const GetOptions&) {
       return getPlain(c, "/api/v1/devices",
                       {{"NODE", "node"},
                        {"CLUSTER", "cluster"},
                        {"INDEX", "index", true},
                        {"MODEL", "model"},
                        {"FREE (1/1000)", "freeMilliDevices", true},
                        {"HEALTH", "healthReason"}});
     }},
}};

Exit runGet(const Context& context, const GetOptions& options) {
  for (const auto& noun : kNouns)
    if (options.noun == noun.name || options.noun == noun.singular || options.noun == noun.brief)
      return noun.run(context, options);
  std::string names;
  for (const auto& noun : kNouns) names += (names.empty() ? "" : ", ") + std::string(noun.name);
  throw Stop{Exit::usage, fmt::format("there is nothing called {} (there are {})", printable(options.noun), names)};
}

}  // namespace

void addGet(CLI::App& app, Run& run) {
  auto options = std::make_shared<GetOptions>();
  auto* getCommand = app.add_subcommand(
      "get", "List workloads (wl), nodes (no), clusters (cl), devices (de), models (mo), projects (pr), prices (pc)");
  getCommand->add_option("noun", options->noun, "What to list")->required();
  getCommand->add_option("ids", options->ids, "Only these");
  getCommand->add_option("--state", options->states, "Only in these states")->delimiter(',');
  getCommand->add_option("--class", options->taskClass, "Only of this task class");
  getCommand->add_option("--user", options->user, "Only of this user");
  getCommand
      ->add_option("--origin", options->origin,
                   "native: only jobs that people started on a cluster themselves; fairlead: only the others")
      ->check(CLI::IsMember({"native", "fairlead"}));
  getCommand->add_option("--since", options->since, "Submitted within this span (2h) or since this time");
  getCommand->add_option("--sort", options->sort, "By this field of the JSON form; -FIELD turns it round");
  getCommand->add_option("--limit", options->limit, "At most so many, newest first")->check(CLI::PositiveNumber);
  getCommand->add_flag("-A,--all", options->all, "Ended ones too");
  getCommand->add_flag("-w,--watch", options->watch, "Go on with what changes");
  getCommand->callback(
      [&run, options] { run = [options](const Context& context) { return runGet(context, *options); }; });

  auto* nodes = app.add_subcommand("nodes", "The same as: get nodes");
  nodes->callback([&run] { run = [](const Context& context) { return getNodes(context, {}); }; });
}

}  // namespace fairlead::cli
