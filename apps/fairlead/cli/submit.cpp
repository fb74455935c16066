// submit and run: documents and scripts in, ids out.
#include "commands.hpp"
#include "print.hpp"

#include <fairlead/base/clock.hpp>
#include <fairlead/base/text.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>

namespace fairlead::cli {

namespace json = boost::json;

std::string workloadPath(std::string_view id, std::string_view action) {
  return "/api/v1/workloads/" + percentEncode(id) + std::string(action);
}

namespace {

constexpr std::size_t kMaxFile = 8 << 20;

struct SubmitOptions {
  std::vector<std::string> files;
  bool dryRun = false;
  std::string idempotencyKey;
};

std::string readAll(const std::string& path) {
  std::string content;
  if (path == "-") {
    content.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw Stop{Exit::usage, fmt::format("{}: cannot be read", printable(path))};
    content.assign(std::istreambuf_iterator<char>(file), {});
  }
  if (content.size() > kMaxFile)
    throw Stop{Exit::usage, fmt::format("{}: larger than {}", printable(path), toText(Bytes{kMaxFile}))};
  return content;
}

/// By what it begins with, else by its name.
std::string_view contentTypeOf(const std::string& path, std::string_view content) {
  if (content.starts_with("#!")) return "text/x-sbatch";
  const auto first = content.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (content[first] == '{' || content[first] == '[')) return "application/json";
  return path.ends_with(".sbatch") || path.ends_with(".sh") || path.ends_with(".slurm") ? "text/x-sbatch"
                                                                                        : "application/yaml";
}

std::string verdictText(const json::value& decision) {
  const auto verdict = text(decision, "verdict");
  std::string why;
  for (const auto& reason : list(decision, "reasons")) why += (why.empty() ? "" : "; ") + text(reason, "text");
  if (verdict == "placed") return "would start at once: " + why;
  if (verdict == "never") return "would never start here: " + why;
  const auto start = text(decision, "estimatedStart");
  return "would wait: " + why + (start.empty() ? "" : "; estimated start " + clockText(start));
}

void printSubmitted(const json::value& answer) {
  for (const auto& item : list(answer, "items")) {
    std::string line = text(item, "id", "(dry run)") + "  " + text(item, "name") + "  project " + text(item, "project");
    if (!text(item, "devices").empty()) line += "  " + text(item, "devices");
    if (number(item, "elements") > 0) line += fmt::format("  array of {}", number(item, "elements"));
    line += "  ";
    if (const auto* decision = member(item, "decision"); decision != nullptr && flag(answer, "dryRun")) {
      line += verdictText(*decision);
    } else {
      line += text(item, "state");
      if (number(item, "queuePosition") > 0) line += fmt::format(" (position {})", number(item, "queuePosition"));
      if (flag(answer, "repeated")) line += " (already submitted with this key)";
    }
    print(line + "\n");
  }
  for (const auto& directive : list(answer, "notMapped")) {
    const auto value = text(directive, "value");
    print(fmt::format("  not mapped from the script: {}{} ({})\n", text(directive, "directive"),
                      value.empty() ? "" : "=" + printable(value, 60), text(directive, "why")));
  }
}

/// East of UTC, now: what `#SBATCH --begin=16:00` means.
long zoneOffsetMinutes() {
  const std::time_t now = SystemClock().now().msSinceEpoch / 1000;
  std::tm local{};
  localtime_r(&now, &local);
  return local.tm_gmtoff / 60;
}

Exit submitOne(const Context& context, const SubmitOptions& options, const std::string& path, std::string content,
               std::string_view type) {
  Query query{{"position", "true"}, {"workingDirectory", std::filesystem::current_path().string()}};
  if (!context.project.empty()) query.emplace_back("project", context.project);
  if (type == "text/x-sbatch") {
    query.emplace_back("zoneOffsetMinutes", std::to_string(zoneOffsetMinutes()));
    if (path != "-") query.emplace_back("scriptName", std::filesystem::path(path).filename().string());
  }
  if (options.dryRun) query.emplace_back("dryRun", "true");
  std::vector<std::pair<std::string, std::string>> headers;
  if (!options.idempotencyKey.empty()) headers.emplace_back("Idempotency-Key", options.idempotencyKey);
  Answer answer;
  try {
    answer = call(context, "POST", "/api/v1/workloads", query, std::move(content), type, headers);
  } catch (Stop& stop) {
    const std::string where = path == "-" ? "standard input" : path;
    std::string lines;
    for (std::size_t at = 0; at <= stop.message.size();) {
      const auto end = std::min(stop.message.find('\n', at), stop.message.size());
      const auto line = stop.message.substr(at, end - at);
      const bool placed = !line.empty() && line.front() >= '0' && line.front() <= '9';
      lines += where + (placed ? ":" : ": ") + line + "\n";
      at = end + 1;
    }
    throw Stop{stop.code, lines + "nothing was submitted"};
  }
  if (!printed(context, answer.body)) printSubmitted(answer.body);
  return Exit::done;
}

struct RunOptions {
  std::string name, devices, cpus, memory, taskClass = "interactive", timeLimit;
  std::vector<std::string> env;
  std::vector<std::string> command;
  int count = 1;
  bool dryRun = false;
};

json::value deviceRequest(const std::string& given) {
  const auto colon = given.find(':');
  const auto before = colon == std::string::npos ? std::string() : given.substr(0, colon);
  const auto amount = colon == std::string::npos ? given : given.substr(colon + 1);
  json::object request;
  const bool share = before == "share" || amount.find('.') != std::string::npos;
  if (!before.empty() && before != "share") request["model"] = before;
  if (share)
    request["share"] = amount;
  else if (const auto count = parseThousandths(amount); count && *count % 1000 == 0)
    request["count"] = *count / 1000;
  else
    throw Stop{Exit::usage, fmt::format("--devices {}: give a count, MODEL:COUNT, or share:0.5", printable(given))};
  return request;
}

std::string runDocument(const Context& context, const RunOptions& options) {
  json::object role{
      {"name", "main"}, {"count", options.count}, {"workingDirectory", std::filesystem::current_path().string()}};
  json::array command;
  for (const auto& word : options.command) command.push_back(json::string(word));
  role["command"] = std::move(command);
  if (!options.devices.empty()) role["devices"] = deviceRequest(options.devices);
  if (!options.cpus.empty()) role["cpus"] = options.cpus;
  if (!options.memory.empty()) role["memory"] = options.memory;
  json::object env;
  for (const auto& pair : options.env) {
    const auto equals = pair.find('=');
    if (equals == std::string::npos) throw Stop{Exit::usage, fmt::format("--env {}: give NAME=VALUE", printable(pair))};
    env[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  if (!env.empty()) role["env"] = std::move(env);
  json::object spec{{"class", options.taskClass}, {"roles", json::array{std::move(role)}}};
  if (!options.timeLimit.empty()) spec["timeLimit"] = options.timeLimit;
  const auto name =
      options.name.empty() ? std::filesystem::path(options.command.front()).filename().string() : options.name;
  json::object metadata{{"name", name}};
  if (!context.project.empty()) metadata["project"] = context.project;
  return json::serialize(json::object{{"apiVersion", "fairlead.io/v1"},
                                      {"kind", "Workload"},
                                      {"metadata", std::move(metadata)},
                                      {"spec", std::move(spec)}});
}

}  // namespace

void addSubmit(CLI::App& app, Run& run) {
  auto options = std::make_shared<SubmitOptions>();
  auto* submit =
      app.add_subcommand("submit", "Submit workload files (YAML, JSON) or sbatch scripts; - is standard input");
  submit->add_option("files", options->files, "Files")->required();
  submit->add_flag("--dry-run", options->dryRun, "Say what would happen and why; submit nothing");
  submit->add_option("--idempotency-key", options->idempotencyKey,
                     "The same key and file again give the first answer, not a second workload");
  submit->callback([&run, options] {
    run = [options](const Context& context) {
      for (const auto& path : options->files) {
        auto content = readAll(path);
        const auto type = contentTypeOf(path, content);
        submitOne(context, *options, path, std::move(content), type);
      }
      return Exit::done;
    };
  });

  auto one = std::make_shared<RunOptions>();
  auto* command =
      app.add_subcommand("run", "Submit one command without a file: fairlead run --devices h100:2 -- python train.py");
  command->add_option("--name", one->name, "Name; else the program's");
  command->add_option("--devices", one->devices, "COUNT, MODEL:COUNT or share:0.5, per member");
  command->add_option("--cpus", one->cpus, "Cores per member");
  command->add_option("--memory", one->memory, "Memory per member, like 64GiB");
  command->add_option("--count", one->count, "Members")->check(CLI::PositiveNumber);
  command->add_option("--class", one->taskClass, "training, interactive, inference or platform");
  command->add_option("--time-limit", one->timeLimit, "Like 2h30m");
  command->add_option("--env", one->env, "NAME=VALUE, as often as needed")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_flag("--dry-run", one->dryRun, "Say what would happen and why");
  command->add_option("command", one->command, "The command and its arguments, behind --")->required();
  command->callback([&run, one] {
    run = [one](const Context& context) {
      SubmitOptions options_;
      options_.dryRun = one->dryRun;
      return submitOne(context, options_, "-", runDocument(context, *one), "application/json");
    };
  });
}

}  // namespace fairlead::cli
