#include "clusters.hpp"

#include <filesystem>

namespace fairlead::serve {

std::function<void(engine::LogSeverity, const std::string&)> engineLog(const obs::Logger& log) {
  return [log](engine::LogSeverity severity, const std::string& line) {
    if (severity == engine::LogSeverity::error)
      log.error(line);
    else if (severity == engine::LogSeverity::warning)
      log.warn(line);
    else
      log.info(line);
  };
}

std::unique_ptr<clusters::Registry> makeClusters(const config::DaemonConfig& config, control::Control& control,
                                                 const obs::Logger& log) {
  const auto absolute = [](const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal().string();
  };
  clusters::RegistryOptions options;
  options.folder = absolute(config.clusters);
  options.stateDirectory = absolute(config.stateDirectory);
  if (config.local.enabled) options.localCluster = config.local.cluster;
  options.log = [say = engineLog(log.with({{obs::kModuleKey, "clusters"}}))](
                    const std::string& cluster, engine::LogSeverity severity, const std::string& line) {
    say(severity, line.find(cluster) == std::string::npos ? cluster + ": " + line : line);
  };
  return std::make_unique<clusters::Registry>(std::move(options), control);
}

}  // namespace fairlead::serve
