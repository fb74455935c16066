#include "resources/tables.hpp"

namespace fairlead::api {

std::span<const Route> routes() {
  static const std::vector<Route> kTable = [] {
    std::vector<Route> table;
    addSubmitRoutes(table);
    addBatchRoutes(table);
    addWorkloadRoutes(table);
    addActionRoutes(table);
    addLogRoutes(table);
    addAttemptRoutes(table);
    addInventoryRoutes(table);
    addClusterRoutes(table);
    addModelRoutes(table);
    addUsageRoutes(table);
    addProjectRoutes(table);
    addAuditRoutes(table);
    addEventRoutes(table);
    addIdentityRoutes(table);
    addProbeRoutes(table);
    return table;
  }();
  return kTable;
}

Param workloadParam() {
  return {.name = "id",
          .place = ParamPlace::path,
          .doc = "Id of a workload, a unique prefix of one, or a name that one alone has.",
          .maxBytes = 80};
}

Param limitParam() {
  return {.name = "limit",
          .kind = ParamKind::integer,
          .doc = "At most so many items.",
          .minimum = 1,
          .maximum = 1'000,
          .fallback = "100"};
}

Param cursorParam() {
  return {.name = "cursor", .doc = "`nextCursor` of the page before; with the same filters.", .maxBytes = 128};
}

Param projectParam(std::string_view doc) { return {.name = "project", .doc = doc, .maxBytes = 63}; }

}  // namespace fairlead::api
