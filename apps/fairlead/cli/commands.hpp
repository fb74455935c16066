// The client's subcommands. Each adds itself to the command line and sets `run` when it is the one that was given.
#pragma once

#include "context.hpp"

#include <CLI/CLI.hpp>

#include <functional>

namespace fairlead::cli {

/// What the parsed command line asks for.
using Run = std::function<Exit(const Context&)>;

void addSubmit(CLI::App& app, Run& run);    ///< submit, run
void addGet(CLI::App& app, Run& run);       ///< get, nodes
void addDescribe(CLI::App& app, Run& run);  ///< describe
void addExplain(CLI::App& app, Run& run);   ///< explain
void addFollow(CLI::App& app, Run& run);    ///< logs, wait, events
void addAct(CLI::App& app, Run& run);  ///< cancel, hold, release, requeue, signal, priority, suspend, resume, extend
void addClusters(CLI::App& app, Run& run);  ///< clusters
void addReports(CLI::App& app, Run& run);   ///< usage, audit, whoami
void addHelp(CLI::App& app, Run& run);      ///< completion, version

/// `/api/v1/workloads/ID`, the id encoded.
[[nodiscard]] std::string workloadPath(std::string_view id, std::string_view action = {});

}  // namespace fairlead::cli
