// logs, wait, events: commands that stay until something has happened.
#include "commands.hpp"
#include "print.hpp"

#include <fairlead/base/clock.hpp>
#include <fairlead/base/text.hpp>
#include <fairlead/net/sse.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>
#include <unistd.h>

namespace fairlead::cli {

namespace json = boost::json;

namespace {

struct LogOptions {
  std::string id;
  int rank = 0, attempt = 0;
  bool errors = false, follow = false;
  std::string tail;
};

Exit logs(const Context& context, const LogOptions& options) {
  Query query{{"rank", std::to_string(options.rank)}, {"stream", options.errors ? "stderr" : "stdout"}};
  if (options.attempt > 0) query.emplace_back("attempt", std::to_string(options.attempt));
  if (options.follow) query.emplace_back("follow", "true");
  if (!options.tail.empty()) {
    const auto bytes = parseBytes(options.tail);
    if (!bytes) throw Stop{Exit::usage, fmt::format("--tail {}: give a size like 4KiB", printable(options.tail))};
    query.emplace_back("tail", std::to_string(bytes->count));
  }
  stream(context, workloadPath(options.id, "/logs"), query, [](std::string_view chunk) {
    print(chunk);
    return true;
  });
  return Exit::done;
}

bool isFinal(const std::string& state) { return state == "succeeded" || state == "failed" || state == "cancelled"; }

struct WaitOptions {
  std::vector<std::string> ids;
  std::string state;
  std::string timeout;
  bool quiet = false;
};

/// What `wait` returns for an ended workload: its own exit code, 128+signal, or 1.
Exit ownExit(const json::value& row) {
  if (text(row, "state") == "succeeded") return Exit::done;
  const auto& attempts = list(row, "attempts");
  if (text(row, "state") == "failed" && !attempts.empty())
    for (const auto& end : list(attempts.back(), "ends")) {
      if (number(end, "signal") != 0) return static_cast<Exit>(128 + number(end, "signal"));
      if (number(end, "exitCode") != 0) return static_cast<Exit>(number(end, "exitCode"));
    }
  return Exit::failed;
}

/// One line that is written over on a terminal, and nothing elsewhere.
class Progress {
 public:
  explicit Progress(bool on) : on_(on && ::isatty(STDERR_FILENO) == 1) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(const std::string& line) {
    if (!on_) return;
    std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
    std::fflush(stderr);
    shown_ = true;
  }
  void clear() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
    shown_ = false;
  }

 private:
  bool on_;
  bool shown_ = false;
};

std::string progressLine(const json::value& row, Milliseconds waited) {
  auto line = fmt::format("{} {} {}", text(row, "id"), text(row, "name"), text(row, "state"));
  if (!text(row, "waitingFor").empty()) line += ", waiting for " + text(row, "waitingFor");
  return line + fmt::format(" ({})", toShortText(waited));
}

/// Asks again and again, slower with time: 50 ms at first, 1 s at most.
json::value waitFor(const Context& context, const std::string& id, const WaitOptions& options, Milliseconds limit) {
  const SystemClock clock;
  const auto start = clock.monotonic();
  Progress progress(!options.quiet);
  auto pause = std::chrono::milliseconds(50);
  while (true) {
    auto row = get(context, workloadPath(id));
    const auto state = text(row, "state");
    if (options.state.empty() ? isFinal(state) : state == options.state) return row;
    if (!options.state.empty() && isFinal(state))
      throw Stop{Exit::failed,
                 fmt::format("{} has ended ({}) and will not be {}", text(row, "id"), state, options.state)};
    const auto waited = clock.monotonic() - start;
    if (limit.count > 0 && waited >= limit)
      throw Stop{Exit::notReady, fmt::format("{} is still {} after {}", text(row, "id"), state, toText(limit))};
    progress.show(progressLine(row, waited));
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(1'000));
  }
}

Exit wait(const Context& context, const WaitOptions& options) {
  Milliseconds limit;
  if (!options.timeout.empty()) {
    const auto parsed = parseDuration(options.timeout);
    if (!parsed) throw Stop{Exit::usage, fmt::format("--timeout {}: give a span like 10m", printable(options.timeout))};
    limit = *parsed;
  }
  Exit code = Exit::done;
  json::array rows;
  for (const auto& id : options.ids) {
    auto row = waitFor(context, id, options, limit);
    if (wantsTable(context))
      print(fmt::format("{}  {}  {}{}\n", text(row, "id"), text(row, "name"), coloured(context, text(row, "state")),
                        text(row, "message").empty() ? "" : ": " + text(row, "message")));
    if (const auto own = isFinal(text(row, "state")) && options.state.empty() ? ownExit(row) : Exit::done;
        own != Exit::done)
      code = own;
    rows.push_back(std::move(row));
  }
  if (!wantsTable(context))
    printed(context, rows.size() == 1 ? rows.front() : json::value(json::object{{"items", rows}}));
  return code;
}

Exit events(const Context& context, const std::string& after) {
  Query query;
  if (!context.project.empty()) query.emplace_back("project", context.project);
  if (!after.empty()) query.emplace_back("after", after);
  net::SseParser parser;
  stream(context, "/api/v1/events", query, [&](std::string_view chunk) {
    const auto parsed = parser.feed(chunk);
    if (!parsed) throw Stop{Exit::failed, toText(parsed.error())};
    for (const auto& event : *parsed) {
      if (event.event == "reset")
        throw Stop{Exit::failed, "events since then are gone; read the state again and go on from now"};
      boost::system::error_code failed;
      const auto data = json::parse(event.data, failed);
      if (failed) continue;
      if (context.format == Format::json)
        print(json::serialize(data) + "\n");
      else
        print(fmt::format("{}  {:<20} {}  {}  {}\n", clockText(text(data, "at")), text(data, "kind"),
                          text(data, "workload"), text(data, "project"), text(data, "detail")));
    }
    return true;
  });
  return Exit::done;
}

}  // namespace

void addFollow(CLI::App& app, Run& run) {
  auto options = std::make_shared<LogOptions>();
  auto* logsCommand = app.add_subcommand("logs", "What a workload wrote");
  logsCommand->add_option("id", options->id, "Workload")->required();
  logsCommand->add_flag("-f,--follow", options->follow, "Go on until it ends");
  logsCommand->add_option("--rank", options->rank, "Member, from 0")->check(CLI::NonNegativeNumber);
  logsCommand->add_option("--attempt", options->attempt, "Attempt number; else the newest")->check(CLI::PositiveNumber);
  logsCommand->add_flag("--stderr", options->errors, "Standard error instead of standard output");
  logsCommand->add_option("--tail", options->tail, "Only the last so many bytes, from a line on: 4KiB");
  logsCommand->callback(
      [&run, options] { run = [options](const Context& context) { return logs(context, *options); }; });

  auto waitOptions = std::make_shared<WaitOptions>();
  auto* waitCommand = app.add_subcommand("wait", "Until workloads have ended; exit code is the workload's own");
  waitCommand->add_option("ids", waitOptions->ids, "Workloads")->required();
  waitCommand->add_option("--for", waitOptions->state, "Until this state instead");
  waitCommand->add_option("--timeout", waitOptions->timeout, "Give up with exit code 6 after this span");
  waitCommand->add_flag("-q,--quiet", waitOptions->quiet, "No progress line");
  waitCommand->callback(
      [&run, waitOptions] { run = [waitOptions](const Context& context) { return wait(context, *waitOptions); }; });

  auto after = std::make_shared<std::string>();
  auto* eventsCommand = app.add_subcommand("events", "What changes, as it changes");
  eventsCommand->add_option("--after", *after, "Begin behind this sequence number; else from now on");
  eventsCommand->callback([&run, after] { run = [after](const Context& context) { return events(context, *after); }; });
}

}  // namespace fairlead::cli
