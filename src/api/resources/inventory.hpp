// What clusters are and have, for more than one endpoint.
#pragma once

#include "../service.hpp"
#include "../shapes/record_views.hpp"

#include <vector>

namespace fairlead::api {

/// Connected ones, those that should be, and those that work of ours was on; by name.
[[nodiscard]] std::vector<ClusterView> readClusters(Service& service);

}  // namespace fairlead::api
