// serve: the daemon, composed from its parts; config: what it can be told.
#pragma once

#include "../cli/commands.hpp"

namespace fairlead::serve {

void addServe(CLI::App& app, cli::Run& run);  ///< serve, config, token

}  // namespace fairlead::serve
