// usage, audit, whoami.
#include "commands.hpp"
#include "print.hpp"

#include <fairlead/base/clock.hpp>
#include <fairlead/base/text.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <memory>

namespace fairlead::cli {

namespace json = boost::json;

namespace {

struct UsageOptions {
  std::string by = "project,deviceModel";
  std::string since = "30d", until;
};

/// A span back from now, or a time.
std::string timeArgument(const std::string& given, std::string_view option) {
  if (const auto span = parseDuration(given)) return toText(SystemClock().now() - *span);
  if (const auto moment = parseTime(given.size() == 10 ? given + "T00:00:00Z" : given)) return toText(*moment);
  throw Stop{Exit::usage,
             fmt::format("{} {}: give a span (24h) or a time (2026-11-30 or RFC 3339)", option, printable(given))};
}

void addUsageRow(Table& table, std::vector<std::string> cells, const json::value& cost) {
  for (const auto name :
       {"usedMicroDeviceSeconds", "idleMicroDeviceSeconds", "lostMicroDeviceSeconds", "overheadMicroDeviceSeconds"})
    cells.push_back(hoursText(number(cost, name)));
  cells.push_back(moneyOf(cost));
  table.row(std::move(cells));
}

std::string upper(std::string_view dimension) {
  std::string title;
  for (const char c : dimension) {
    if (c >= 'A' && c <= 'Z') title += ' ';
    title += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  return title;
}

Exit usage(const Context& context, const UsageOptions& options) {
  Query query{{"from", timeArgument(options.since, "--since")}, {"groupBy", options.by}};
  if (!options.until.empty()) query.emplace_back("to", timeArgument(options.until, "--until"));
  if (!context.project.empty()) query.emplace_back("project", context.project);
  const auto report = get(context, "/api/v1/usage", query);
  if (printed(context, report)) return Exit::done;
  std::vector<Table::Column> columns;
  std::size_t dimensions = 0;
  for (std::size_t at = 0; at < options.by.size(); ++dimensions) {
    const auto comma = std::min(options.by.find(',', at), options.by.size());
    columns.push_back({upper(options.by.substr(at, comma - at))});
    at = comma + 1;
  }
  for (const auto* title : {"USED", "IDLE", "LOST", "OVERHEAD", "COST"}) columns.push_back({title, true, false});
  Table table(context, columns);
  for (const auto& row : list(report, "items")) {
    std::vector<std::string> cells;
    if (const auto* group = member(row, "group"); group != nullptr && group->is_object())
      for (const auto& [name, value] : group->as_object())
        cells.push_back(value.is_string() ? std::string(value.as_string()) : json::serialize(value));
    cells.resize(dimensions);
    if (const auto* cost = member(row, "cost")) addUsageRow(table, std::move(cells), *cost);
  }
  if (const auto* total = member(report, "total"); total != nullptr && dimensions > 0) {
    std::vector<std::string> cells(dimensions);
    cells[0] = "total";
    addUsageRow(table, std::move(cells), *total);
  }
  print(fmt::format("device-hours from {} to {}\n", text(report, "from"), text(report, "to")));
  print(table.text());
  return Exit::done;
}

struct AuditOptions {
  int limit = 50;
  bool denied = false;
};

Exit audit(const Context& context, const AuditOptions& options) {
  Query query{{"limit", std::to_string(options.limit)}};
  if (options.denied) query.emplace_back("allowed", "false");
  if (!context.project.empty()) query.emplace_back("project", context.project);
  const auto page = get(context, "/api/v1/audit", query);
  if (printed(context, page)) return Exit::done;
  Table table(context, {{"NUMBER", true},
                        {"TIME"},
                        {"WHO"},
                        {"ACTION"},
                        {"OBJECT"},
                        {"PROJECT"},
                        {"RESULT"},
                        {"RULE"},
                        {"DETAIL", false, true}});
  for (const auto& record : list(page, "items"))
    table.row({std::to_string(number(record, "sequence")), clockText(text(record, "at")), text(record, "principal"),
               text(record, "action"), text(record, "object"), text(record, "project"),
               flag(record, "allowed") ? "allowed" : "denied", text(record, "rule"), text(record, "detail")});
  print(table.text());
  return Exit::done;
}

Exit verify(const Context& context) {
  const auto verdict = call(context, "POST", "/api/v1/audit:verify").body;
  const bool ok = flag(verdict, "ok");
  if (!printed(context, verdict)) {
    if (ok)
      print(fmt::format("the audit trail is whole: {} records, {} signed checkpoints\n", number(verdict, "records"),
                        number(verdict, "checkpoints")));
    else
      print(fmt::format("the audit trail is NOT whole: record {}: {}\n", number(verdict, "problemSequence"),
                        text(verdict, "text", text(verdict, "problem"))));
  }
  return ok ? Exit::done : Exit::failed;
}

Exit whoami(const Context& context) {
  const auto who = get(context, "/api/v1/whoami");
  if (printed(context, who)) return Exit::done;
  std::string out = fmt::format("{} ({})\n", text(who, "name"), text(who, "how"));
  if (flag(who, "siteAdmin")) out += "  administrator of the site: every role everywhere\n";
  if (const auto* roles = member(who, "roles"); roles != nullptr && roles->is_object())
    for (const auto& [project, role] : roles->as_object())
      out += fmt::format("  {} of project {}\n", role.is_string() ? std::string(role.as_string()) : "",
                         std::string_view(project));
  print(out);
  return Exit::done;
}

}  // namespace

void addReports(CLI::App& app, Run& run) {
  auto options = std::make_shared<UsageOptions>();
  auto* usageCommand = app.add_subcommand("usage", "Device-hours and cost");
  usageCommand->add_option("--by", options->by,
                           "Comma list of project, user, class, deviceModel, cluster, day, workload, category");
  usageCommand->add_option("--since", options->since, "Span (24h, 30d) or time");
  usageCommand->add_option("--until", options->until, "Span before now, or time; else now");
  usageCommand->callback(
      [&run, options] { run = [options](const Context& context) { return usage(context, *options); }; });

  auto auditOptions = std::make_shared<AuditOptions>();
  auto* auditCommand =
      app.add_subcommand("audit", "Who did what, newest first; audit verify proves that the trail is whole");
  auditCommand->add_option("--limit", auditOptions->limit, "So many")->check(CLI::Range(1, 1000));
  auditCommand->add_flag("--denied", auditOptions->denied, "Only what was denied");
  auditCommand->callback([&run, auditOptions] {
    if (!run) run = [auditOptions](const Context& context) { return audit(context, *auditOptions); };
  });
  auto* verifyCommand =
      auditCommand->add_subcommand("verify", "Check hash chain and signatures; exit code 1 names the first bad record");
  verifyCommand->callback([&run] { run = verify; });

  auto* who = app.add_subcommand("whoami", "Who the daemon takes you for, and your roles");
  who->callback([&run] { run = whoami; });
}

}  // namespace fairlead::cli
