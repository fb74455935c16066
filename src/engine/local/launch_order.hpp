// All that a supervisor needs to run an attempt, as the file `order` in the attempt's folder.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/control/ports/engine_port.hpp>
#include <fairlead/engine/local.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairlead::engine::local {

struct LaunchMember {
  std::int32_t rank = 0;  ///< as the placement numbers it; names the log files
  std::int32_t role = 0;  ///< index in LaunchOrder::roles
  std::vector<std::pair<std::string, std::string>>
      deviceEnv;  ///< visible-devices variables, of all vendors of the host
  std::int64_t cpusMilli = 0;
  std::int64_t memory = 0;       ///< bytes; 0: no limit
  std::int64_t deviceMilli = 0;  ///< share of its one device, 0: whole devices or none
};

struct LaunchOrder {
  std::string attempt;  ///< id text
  std::string intent;   ///< of the start intent; the folder's name
  std::string workload;
  std::string name;
  std::string project;
  std::string unixUser;
  std::string cluster;
  std::string node;
  std::string arrayParent;  ///< empty: not an element
  std::int32_t arrayIndex = -1;
  std::int32_t number = 1;
  std::vector<model::Role> roles;  ///< only names, commands, scripts, env and folders are kept
  std::vector<LaunchMember> members;
  std::int64_t timeLimitMs = 0;
  std::optional<model::CheckpointRule> checkpoint;
  int stopSignal = 15;
  std::int64_t stopGraceMs = 0;
  std::vector<model::OutputRule> outputs;
  model::LogFiles logs;
  std::string modelPath;    ///< empty: none
  std::string modelDigest;  ///< hex
  std::int64_t logSegment = 0;
  std::int32_t logSegments = 0;
  std::int64_t artifactLimit = 0;
  std::string artifacts;  ///< folder of the artifact store
  std::string cgroupRoot;
  std::string bootIdFile;
};

/// Checks the order against this host: node, devices, command. `host` is what the engine reports.
[[nodiscard]] Result<LaunchOrder> makeLaunchOrder(const control::StartOrder& order, const LocalOptions& options,
                                                  const model::Node& host);
[[nodiscard]] std::string encodeOrder(const LaunchOrder& order);
[[nodiscard]] Result<LaunchOrder> decodeOrder(std::string_view text);

}  // namespace fairlead::engine::local
