// The daemon's clusters: their folder and their lines in the log.
#pragma once

#include <fairlead/clusters/registry.hpp>
#include <fairlead/config/daemon_config.hpp>
#include <fairlead/obs/log.hpp>

#include <functional>
#include <memory>

namespace fairlead::serve {

/// An engine's lines go into the log of its module.
[[nodiscard]] std::function<void(engine::LogSeverity, const std::string&)> engineLog(const obs::Logger& log);
[[nodiscard]] std::unique_ptr<clusters::Registry> makeClusters(const config::DaemonConfig& config,
                                                               control::Control& control, const obs::Logger& log);

}  // namespace fairlead::serve
