// What Fairlead may do on a cluster, as its site allows it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::model {

/// Switched by an administrator at any time; what runs is not touched by it.
struct ClusterTerms {
  bool governsAll = false;                 ///< work of every project may be started there
  std::vector<std::string> projects = {};  ///< else that of these; none: the cluster is only looked at
  /// How many attempts may wait in the engine's own queue. 0 (`fit`): only what can start now is handed over. Above
  /// (`engine`): handed over early, so that the engine's own priority and backfill see it.
  std::int32_t depth = 0;

  [[nodiscard]] bool governs(std::string_view project) const {
    return governsAll || std::find(projects.begin(), projects.end(), project) != projects.end();
  }
  [[nodiscard]] bool readOnly() const { return !governsAll && projects.empty(); }
  bool operator==(const ClusterTerms&) const = default;
};

}  // namespace fairlead::model
