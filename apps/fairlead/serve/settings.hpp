// From files and flags to what the parts of the daemon take.
#pragma once

#include "../cli/context.hpp"

#include <fairlead/api/api.hpp>
#include <fairlead/auth/directory.hpp>
#include <fairlead/config/daemon_config.hpp>
#include <fairlead/config/resolve.hpp>
#include <fairlead/control/control.hpp>
#include <fairlead/engine/local.hpp>
#include <fairlead/net/http_server.hpp>

#include <memory>
#include <string>
#include <vector>

namespace fairlead::serve {

/// Reads the file, the environment and the flags. Throws Stop when the file cannot be read.
[[nodiscard]] config::Inputs gatherInputs(const std::string& file, std::vector<std::string> flags);
/// Throws Stop with every error in one text.
[[nodiscard]] config::DaemonConfig loadConfig(const config::Inputs& inputs);

[[nodiscard]] control::ControlOptions controlOptions(const config::DaemonConfig& config);
[[nodiscard]] engine::LocalOptions localOptions(const config::DaemonConfig& config);
/// Throws Stop when the TCP address cannot be read.
[[nodiscard]] net::ServerOptions serverOptions(const config::DaemonConfig& config);

// What is read again on SIGHUP. All errors of a file in one text; the caller keeps the old value.
[[nodiscard]] tl::expected<std::shared_ptr<const auth::Directory>, std::string> loadDirectory(
    const config::DaemonConfig& config, std::shared_ptr<auth::PeerResolver> peers);
[[nodiscard]] tl::expected<std::shared_ptr<const api::PriceTable>, std::string> loadPrices(
    const config::DaemonConfig& config);

}  // namespace fairlead::serve
