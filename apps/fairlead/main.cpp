// fairlead: the daemon and its client in one binary. Subcommands stand in cli/ and serve/.
#include "cli/commands.hpp"
#include "cli/print.hpp"
#include "serve/serve.hpp"

#include <fairlead/engine/local.hpp>

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <unistd.h>

namespace {

using fairlead::cli::Context;
using fairlead::cli::Exit;
using fairlead::cli::Format;
using fairlead::cli::Run;
using fairlead::cli::Stop;

constexpr const char* kFooter =
    "Exit codes: 0 done, 1 failed, 2 usage, 3 not found, 4 denied, 5 conflict, 6 not ready or timed out; wait gives "
    "the workload's own.\n"
    "A workload is named by its id, a unique beginning of it, or its name where that is unique.\n"
    "First steps: README.md; all options of the daemon: fairlead config docs.";

void addGlobals(CLI::App& app, Context& context) {
  static const std::map<std::string, Format> kFormats{{"table", Format::table},
                                                      {"wide", Format::wide},
                                                      {"json", Format::json},
                                                      {"yaml", Format::yaml},
                                                      {"name", Format::name}};
  app.add_option("--address", context.address,
                 "Daemon: unix:///path, https://host:port; else FAIRLEAD_ADDRESS, else the local daemon's socket");
  app.add_option("--ca-file", context.caFile, "Certificates to trust for https");
  app.add_option("--token-file", context.tokenFile,
                 "File with a bearer token; else FAIRLEAD_TOKEN_FILE or FAIRLEAD_TOKEN");
  app.add_option("-p,--project", context.project, "Project")->envname("FAIRLEAD_PROJECT");
  app.add_option("-o,--output", context.format, "table, wide, json, yaml or name")
      ->transform(CLI::CheckedTransformer(kFormats).description(""));
  app.add_flag("--no-headers", context.noHeaders, "Tables without their first line");
}

int runClient(int argc, char** argv) {
  CLI::App app{"Fairlead: one control plane above Slurm and Kubernetes GPU clusters", "fairlead"};
  Context context;
  Run run;
  app.require_subcommand(1);
  app.fallthrough();
  app.footer(kFooter);
  app.set_help_all_flag("--help-all", "Help of every subcommand");
  addGlobals(app, context);
  fairlead::cli::addSubmit(app, run);
  fairlead::cli::addGet(app, run);
  fairlead::cli::addDescribe(app, run);
  fairlead::cli::addExplain(app, run);
  fairlead::cli::addFollow(app, run);
  fairlead::cli::addAct(app, run);
  fairlead::cli::addClusters(app, run);
  fairlead::cli::addReports(app, run);
  fairlead::serve::addServe(app, run);
  fairlead::cli::addHelp(app, run);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {
    return app.exit(wanted);
  } catch (const CLI::ParseError& problem) {
    app.exit(problem);
    return static_cast<int>(Exit::usage);
  }
  context.colour = ::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr;
  try {
    return static_cast<int>(run(context));
  } catch (const Stop& stop) {
    if (!stop.message.empty()) fairlead::cli::printError(stop.message);
    return static_cast<int>(stop.code);
  }
}

}  // namespace

int main(int argc, char** argv) {
  // The supervisor of an attempt: hidden, and before anything that costs start-up time.
  if (argc >= 2 && std::strcmp(argv[1], "supervise") == 0)
    return fairlead::engine::superviseMain({argv + 2, argv + argc});
  try {
    return runClient(argc, argv);
  } catch (const std::exception& problem) {
    fairlead::cli::printError(problem.what());
    return static_cast<int>(Exit::failed);
  }
}
