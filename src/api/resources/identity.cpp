// GET /whoami, /version and the description of the API itself.
#include "../service.hpp"
#include "../shapes/record_views.hpp"
#include "tables.hpp"

#include <fairlead/api/openapi.hpp>

namespace fairlead::api {
namespace {

void whoAmI(Service& service, CallPtr call) {
  WhoAmIView view;
  for (const auto& project : service.access().projects(call->who, "project.read"))
    view.roles.emplace_back(project.name, service.access().roleIn(call->who, project.name));
  view.principal = call->who;
  replyWith(*call, view);
}

void version(Service& service, CallPtr call) {
  replyWith(*call,
            VersionInfo{service.deps().version, service.deps().commit, service.control().store().describe(), {"v1"}});
}

void openApi(Service&, CallPtr call) {
  static const std::string kDocument = openApiDocument();
  call->reply(200, kDocument);
}

}  // namespace

void addIdentityRoutes(std::vector<Route>& table) {
  table.push_back({.method = "GET",
                   .path = "/api/v1/whoami",
                   .operation = "whoAmI",
                   .tag = "identity",
                   .summary = "Who the daemon takes the caller for",
                   .access = CallerCheck::authenticated,
                   .runsOn = RunsOn::io,
                   .answer = &shapeOf<WhoAmIView>(),
                   .handler = whoAmI});
  table.push_back({.method = "GET",
                   .path = "/api/v1/version",
                   .operation = "getVersion",
                   .tag = "identity",
                   .summary = "What answers",
                   .access = CallerCheck::authenticated,
                   .answer = &shapeOf<VersionInfo>(),
                   .handler = version});
  table.push_back({.method = "GET",
                   .path = "/api/v1/openapi.json",
                   .operation = "getOpenApi",
                   .tag = "identity",
                   .summary = "This description, as OpenAPI 3.1",
                   .access = CallerCheck::open,
                   .runsOn = RunsOn::io,
                   .handler = openApi});
}

}  // namespace fairlead::api
