// clusters: get, describe, add, check, govern, remove, drain, resume.
#include "clusters.hpp"

#include "commands.hpp"
#include "print.hpp"

#include <fairlead/base/text.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>

namespace fairlead::cli {

namespace json = boost::json;

namespace {

constexpr std::string_view kYaml = "application/yaml";
constexpr std::string_view kJson = "application/json";

std::string clusterPath(std::string_view name, std::string_view action = {}) {
  return fmt::format("/api/v1/clusters/{}{}", percentEncode(name), action);
}

std::string governedText(const json::value& row) {
  if (flag(row, "governsAll")) return "all";
  std::string text;
  for (const auto& project : list(row, "projects"))
    text += (text.empty() ? "" : ",") + std::string(project.as_string());
  return text.empty() ? "no" : text;
}

std::string statusText(const Context& context, const json::value& row) {
  if (!text(row, "problem").empty()) return coloured(context, "failed");
  return coloured(context, flag(row, "answers") ? "ready" : "unknown");
}

std::string devicesOf(const json::value& row) {
  std::string text;
  for (const auto& kind : list(row, "devices"))
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number(kind, "devices"), cli::text(kind, "model"));
  return text;
}

}  // namespace

Exit getClusters(const Context& context) {
  const json::value answer = json::object{{"items", getAll(context, "/api/v1/clusters")}};
  if (printed(context, answer)) return Exit::done;
  Table table(context, {{"CLUSTER"},
                        {"ENGINE"},
                        {"STATUS"},
                        {"NODES", true},
                        {"READY", true},
                        {"ATTEMPTS", true},
                        {"GOVERNED"},
                        {"DEVICES"},
                        {"WAY", false, true}});
  for (const auto& row : list(answer, "items"))
    table.row({text(row, "name"), text(row, "product", text(row, "engine")), statusText(context, row),
               std::to_string(number(row, "nodes")), std::to_string(number(row, "readyNodes")),
               std::to_string(number(row, "attempts")), governedText(row), devicesOf(row), text(row, "way")});
  print(table.text());
  return Exit::done;
}

namespace {

/// How a cluster is given: as a file, or by the few flags that a first try needs.
struct Given {
  std::string name, file;
  std::string endpoint, slurmConf, tokenFile, history;
  std::vector<std::string> tokenCommand, projects;
  bool commands = false, all = false;
};

void addGivenOptions(CLI::App& command, Given& given) {
  command.add_option("name", given.name, "What the cluster is called here");
  command.add_option("-f,--file", given.file, "Document of kind Cluster; - is standard input");
  command.add_option("--slurm-rest", given.endpoint, "slurmrestd: http://host:6820, https://..., unix:///run/...");
  command.add_flag("--slurm-commands", given.commands, "Slurm's own commands on the daemon's host");
  command.add_option("--slurm-conf", given.slurmConf, "SLURM_CONF of the commands");
  command.add_option("--token-of", given.tokenFile, "File with a user's token, %u in its name; for --slurm-rest");
  command
      .add_option("--token-command", given.tokenCommand,
                  "Program that prints a token, word by word: %u user, %s seconds; for --slurm-rest")
      ->expected(-1);
  command.add_option("--history-from", given.history, "Also read what ended since: 2026-01-01T00:00:00Z");
}

std::string readAll(const std::string& file) {
  if (file == "-") {
    std::string text;
    char buffer[4096];
    while (const auto got = std::fread(buffer, 1, sizeof buffer, stdin)) text.append(buffer, got);
    return text;
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw Stop{Exit::usage, fmt::format("{}: cannot be read", printable(file))};
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

std::string documentOf(const Given& given) {
  json::object slurm;
  if (!given.endpoint.empty()) slurm["endpoint"] = given.endpoint;
  if (!given.slurmConf.empty()) slurm["slurmConf"] = given.slurmConf;
  if (!given.tokenFile.empty()) slurm["tokenFile"] = given.tokenFile;
  if (!given.tokenCommand.empty()) slurm["tokenCommand"] = json::value_from(given.tokenCommand);
  if (!given.history.empty()) slurm["historyFrom"] = given.history;
  return json::serialize(json::object{{"apiVersion", "fairlead.io/v1"},
                                      {"kind", "Cluster"},
                                      {"metadata", {{"name", given.name}}},
                                      {"spec", {{"engine", "slurm"}, {"slurm", std::move(slurm)}}}});
}

bool byFlags(const Given& given) { return given.commands || !given.endpoint.empty(); }

/// The document and its content type.
std::pair<std::string, std::string_view> take(const Given& given) {
  if (!given.file.empty()) return {readAll(given.file), kYaml};
  if (given.name.empty() || !byFlags(given))
    throw Stop{
        Exit::usage,
        "name the cluster and the way to it: fairlead clusters add hpc --slurm-commands, or --slurm-rest URL, or "
        "-f FILE"};
  return {documentOf(given), kJson};
}

Exit printFindings(const Context& context, const json::value& answer) {
  bool missing = false;
  for (const auto& finding : list(answer, "items")) missing |= text(finding, "kind") == "missing";
  if (!printed(context, answer)) {
    Table table(context, {{"TOPIC"}, {""}, {"SEEN"}});
    for (const auto& finding : list(answer, "items")) {
      const auto kind = text(finding, "kind");
      table.row({text(finding, "topic"), kind == "fine" ? "ok" : coloured(context, kind), text(finding, "text")});
      if (!text(finding, "remedy").empty()) table.row({"", "", "  -> " + text(finding, "remedy")});
    }
    print(table.text());
  }
  return missing ? Exit::notReady : Exit::done;
}

Exit checkClusters(const Context& context, const Given& given) {
  if (given.file.empty() && !byFlags(given)) {
    if (given.name.empty()) throw Stop{Exit::usage, "name a connected cluster, or give a document: -f FILE"};
    return printFindings(context, call(context, "POST", clusterPath(given.name, ":check")).body);
  }
  auto [document, type] = take(given);
  return printFindings(context, call(context, "POST", "/api/v1/clusters:check", {}, std::move(document), type).body);
}

/// What keeps a new cluster from answering; empty when it answers.
std::string firstTrouble(const Context& context, const std::string& name) {
  constexpr int kLooks = 100;  // ten seconds
  for (int look = 0; look < kLooks; ++look) {
    const auto row = get(context, clusterPath(name));
    if (flag(row, "answers")) return {};
    if (!text(row, "trouble").empty()) return text(row, "trouble");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return "it has not answered yet";
}

Exit addCluster(const Context& context, const Given& given) {
  auto [document, type] = take(given);
  const auto added = call(context, "POST", "/api/v1/clusters", {}, std::move(document), type).body;
  if (printed(context, added)) return Exit::done;
  const auto name = text(added, "name");
  if (const auto trouble = firstTrouble(context, name); !trouble.empty()) {
    printError(fmt::format("{} is kept, and cannot be read: {}", name, trouble));
    printError(fmt::format("it is tried again and again; look closer: fairlead clusters check {}", name));
    return Exit::notReady;
  }
  const auto governed = governedText(added);
  print(governed == "no" ? fmt::format("{} is connected, and only looked at. Look closer: fairlead clusters check {}\n"
                                       "To let Fairlead start work there: fairlead clusters govern {} --project NAME\n",
                                       name, name, name)
                         : fmt::format("{} is connected; governed: {}\n", name, governed));
  return Exit::done;
}

struct Govern {
  std::string name, depth;
  std::vector<std::string> projects;
  bool all = false, off = false;
};

Exit governCluster(const Context& context, const Govern& govern) {
  if (static_cast<int>(govern.all) + static_cast<int>(govern.off) + static_cast<int>(!govern.projects.empty()) > 1)
    throw Stop{Exit::usage, "give one of --all, --off, --project"};
  const auto now = get(context, clusterPath(govern.name));
  json::object body;
  body["all"] = govern.all || (flag(now, "governsAll") && !govern.off && govern.projects.empty());
  if (!govern.projects.empty())
    body["projects"] = json::value_from(govern.projects);
  else if (!govern.off && !govern.all)
    body["projects"] = list(now, "projects");
  std::int64_t depth = number(now, "depth");
  if (govern.depth == "fit")
    depth = 0;
  else if (!govern.depth.empty()) {
    try {
      depth = std::stoll(govern.depth);
    } catch (const std::exception&) {
      throw Stop{Exit::usage, fmt::format("--depth {}: write fit or a number", printable(govern.depth, 40))};
    }
  }
  body["depth"] = depth;
  const auto answer = call(context, "POST", clusterPath(govern.name, ":govern"), {}, json::serialize(body), kJson).body;
  if (printed(context, answer)) return Exit::done;
  print(fmt::format("{}  governed: {}  depth: {}\n", text(answer, "name"), governedText(answer),
                    number(answer, "depth") == 0 ? "fit" : std::to_string(number(answer, "depth"))));
  return Exit::done;
}

void line(std::string_view title, const std::string& value) {
  if (!value.empty()) print(fmt::format("{:<12}{}\n", title, value));
}

Exit describeCluster(const Context& context, const std::string& name) {
  const auto row = get(context, clusterPath(name));
  if (printed(context, row)) return Exit::done;
  line("Name:", text(row, "name"));
  line("Engine:", text(row, "product", text(row, "engine")));
  line("Way:", text(row, "way"));
  line("Status:", statusText(context, row));
  line("Problem:", text(row, "problem"));
  line("Trouble:", text(row, "trouble"));
  if (!text(row, "readAt").empty()) line("Read:", relative(text(row, "readAt")));
  line("Governed:", governedText(row));
  line("Depth:", number(row, "depth") == 0 ? "fit (only what can start now)" : std::to_string(number(row, "depth")));
  line("Nodes:", fmt::format("{}, {} ready", number(row, "nodes"), number(row, "readyNodes")));
  line("Attempts:", std::to_string(number(row, "attempts")));
  for (const auto& kind : list(row, "devices"))
    line(&kind == &list(row, "devices").front() ? "Devices:" : "",
         fmt::format("{} {}, {} healthy, {} free", number(kind, "devices"), text(kind, "model"),
                     number(kind, "healthyDevices"), devicesText(number(kind, "freeMilliDevices"))));
  for (const auto& note : list(row, "notes"))
    line(&note == &list(row, "notes").front() ? "Notes:" : "", std::string(note.as_string()));
  if (const auto* document = member(row, "document")) line("Document:", json::serialize(*document));
  return Exit::done;
}

struct NodeOrder {
  std::string cluster, node, reason;
};

void addNodeVerb(CLI::App& clusters, Run& run, const std::string& verb, const std::string& help, bool drain) {
  auto order = std::make_shared<NodeOrder>();
  auto* command = clusters.add_subcommand(verb, help);
  command->add_option("cluster", order->cluster, "Cluster")->required();
  command->add_option("node", order->node, "Node")->required();
  auto* reason = command->add_option("-m,--message", order->reason, "Why; the cluster is told");
  if (drain) reason->required();
  command->callback([&run, verb, order] {
    run = [verb, order](const Context& context) {
      json::object body;
      if (!order->reason.empty()) body["reason"] = order->reason;
      (void)call(context, "POST",
                 clusterPath(order->cluster, fmt::format("/nodes/{}:{}", percentEncode(order->node), verb)), {},
                 json::serialize(body), kJson);
      if (wantsTable(context))
        print(fmt::format("{}/{}  {}\n", printable(order->cluster), printable(order->node),
                          verb == "drain" ? "draining: what runs goes on, nothing new" : "takes work again"));
      return Exit::done;
    };
  });
}

void addGivenVerb(CLI::App& clusters, Run& run, const std::string& verb, const std::string& help,
                  Exit (*action)(const Context&, const Given&)) {
  auto given = std::make_shared<Given>();
  auto* command = clusters.add_subcommand(verb, help);
  addGivenOptions(*command, *given);
  command->callback(
      [&run, given, action] { run = [given, action](const Context& context) { return action(context, *given); }; });
}

void addNamedVerb(CLI::App& clusters, Run& run, const std::string& verb, const std::string& help,
                  Exit (*action)(const Context&, const std::string&)) {
  auto name = std::make_shared<std::string>();
  auto* command = clusters.add_subcommand(verb, help);
  command->add_option("name", *name, "Cluster")->required();
  command->callback(
      [&run, name, action] { run = [name, action](const Context& context) { return action(context, *name); }; });
}

Exit removeCluster(const Context& context, const std::string& name) {
  (void)call(context, "DELETE", clusterPath(name));
  if (wantsTable(context)) print(fmt::format("{} is forgotten; nothing was changed there\n", printable(name)));
  return Exit::done;
}

void addGovern(CLI::App& clusters, Run& run) {
  auto govern = std::make_shared<Govern>();
  auto* command = clusters.add_subcommand("govern", "Switch on, and off again, whose work may be started there");
  command->add_option("name", govern->name, "Cluster")->required();
  command->add_option("--project", govern->projects, "Work of this project; as often as needed, replaces the list");
  command->add_flag("--all", govern->all, "Work of every project");
  command->add_flag("--off", govern->off, "Only look: nothing new is started, what runs goes on");
  command->add_option("--depth", govern->depth,
                      "fit: hand over what can start now; a number: so many may wait in the cluster's own queue");
  command->callback(
      [&run, govern] { run = [govern](const Context& context) { return governCluster(context, *govern); }; });
}

}  // namespace

void addClusters(CLI::App& app, Run& run) {
  auto* clusters = app.add_subcommand("clusters", "Connect clusters, check them, switch governing, drain nodes");
  clusters->require_subcommand(1);
  clusters->add_subcommand("get", "List clusters and how they answer")->callback([&run] { run = getClusters; });
  addNamedVerb(*clusters, run, "describe", "One cluster in full", describeCluster);
  addGivenVerb(*clusters, run, "add", "Connect a cluster; it is only looked at until governing is switched on",
               addCluster);
  addGivenVerb(*clusters, run, "check",
               "What is there and what is missing, with the line that helps; exit code 6 when something is",
               checkClusters);
  addGovern(*clusters, run);
  addNamedVerb(*clusters, run, "remove", "Forget a cluster; refused while work of ours holds capacity there",
               removeCluster);
  addNodeVerb(*clusters, run, "drain", "Take a node out of service: what runs goes on, nothing new", true);
  addNodeVerb(*clusters, run, "resume", "Give a node work again", false);
}

}  // namespace fairlead::cli
