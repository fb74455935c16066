// Each resource adds its endpoints; see routes.cpp for the order.
#pragma once

#include <fairlead/api/route.hpp>

#include <vector>

namespace fairlead::api {

void addSubmitRoutes(std::vector<Route>& table);
void addBatchRoutes(std::vector<Route>& table);
void addWorkloadRoutes(std::vector<Route>& table);
void addActionRoutes(std::vector<Route>& table);
void addLogRoutes(std::vector<Route>& table);
void addAttemptRoutes(std::vector<Route>& table);
void addInventoryRoutes(std::vector<Route>& table);
void addClusterRoutes(std::vector<Route>& table);
void addModelRoutes(std::vector<Route>& table);
void addUsageRoutes(std::vector<Route>& table);
void addProjectRoutes(std::vector<Route>& table);
void addAuditRoutes(std::vector<Route>& table);
void addEventRoutes(std::vector<Route>& table);
void addIdentityRoutes(std::vector<Route>& table);
void addProbeRoutes(std::vector<Route>& table);

// Parameters that several endpoints take.
[[nodiscard]] Param workloadParam();
[[nodiscard]] Param limitParam();
[[nodiscard]] Param cursorParam();
[[nodiscard]] Param projectParam(std::string_view doc = "Only of this project.");

template <class E>
[[nodiscard]] std::vector<std::string_view> choicesOf() {
  std::vector<std::string_view> choices;
  for (const auto& entry : kEnumNames<E>) choices.push_back(entry.second);
  return choices;
}

}  // namespace fairlead::api
