// cancel, hold, release, requeue, signal, priority, suspend, resume, extend.
#include "commands.hpp"
#include "print.hpp"

#include <fairlead/base/text.hpp>

#include <boost/json.hpp>
#include <fmt/format.h>

#include <memory>

namespace fairlead::cli {

namespace json = boost::json;

namespace {

struct ActOptions {
  std::vector<std::string> ids;
  std::string message;
  std::string value;  ///< signal or priority
};

/// Tells each; the worst exit code of all.
Exit actOnAll(const Context& context, const std::string& verb, const ActOptions& options) {
  Exit worst = Exit::done;
  json::array answers;
  for (const auto& id : options.ids) {
    json::object body;
    if (!options.message.empty()) body["message"] = options.message;
    if (verb == "signal") body["signal"] = options.value;
    if (verb == "priority") body["priority"] = options.value;
    if (verb == "extend") body["timeLimit"] = options.value;
    try {
      auto answer =
          call(context, "POST", workloadPath(id, ":" + verb), {}, json::serialize(body), "application/json").body;
      if (wantsTable(context))
        print(fmt::format("{}  {}{}\n", text(answer, "id"), coloured(context, text(answer, "state")),
                          flag(answer, "changed") ? "" : " (it already was)"));
      answers.push_back(std::move(answer));
    } catch (const Stop& stop) {
      printError(fmt::format("{}: {}", printable(id), stop.message));
      worst = std::max(worst, stop.code);
    }
  }
  if (!wantsTable(context)) printed(context, json::object{{"items", std::move(answers)}});
  return worst;
}

void addVerb(CLI::App& app, Run& run, const std::string& verb, const std::string& help,
             const std::string& valueName = {}, const std::string& valueHelp = {}) {
  auto options = std::make_shared<ActOptions>();
  auto* command = app.add_subcommand(verb, help);
  if (!valueName.empty()) command->add_option(valueName, options->value, valueHelp)->required();
  command->add_option("ids", options->ids, "Workloads")->required();
  command->add_option("-m,--message", options->message, "Why, for the record");
  command->callback([&run, verb, options] {
    run = [verb, options](const Context& context) { return actOnAll(context, verb, *options); };
  });
}

}  // namespace

void addAct(CLI::App& app, Run& run) {
  addVerb(app, run, "cancel", "End workloads: what waits at once, what runs by its stop signal and grace");
  addVerb(app, run, "hold", "Keep queued workloads from starting");
  addVerb(app, run, "release", "Let held workloads start");
  addVerb(app, run, "requeue",
          "Send workloads back to the queue; what runs is stopped and resumes from its newest valid checkpoint");
  addVerb(app, run, "signal", "Send a signal to all members of running workloads", "signal", "USR1, SIGUSR1 or 10");
  addVerb(app, run, "priority", "Change the priority of workloads that wait", "priority", "Higher goes first");
  addVerb(app, run, "suspend", "Let running workloads stand still, where their cluster can");
  addVerb(app, run, "resume", "Let suspended workloads go on");
  addVerb(app, run, "extend", "Change the time limit of what a cluster holds, counted from its start, where it can",
          "limit", "The whole limit: 36h");
}

}  // namespace fairlead::cli
