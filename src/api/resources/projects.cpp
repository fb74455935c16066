// GET /projects: those in which the caller has a role.
#include "../service.hpp"
#include "../shapes/record_views.hpp"
#include "tables.hpp"

namespace fairlead::api {
namespace {

void listProjects(Service& service, CallPtr call) {
  Page<ProjectView> page;
  for (auto& project : service.access().projects(call->who, "project.read")) {
    auto role = service.access().roleIn(call->who, project.name);
    page.items.push_back({std::move(project), std::move(role)});
  }
  replyPage(*call, page);
}

}  // namespace

void addProjectRoutes(std::vector<Route>& table) {
  table.push_back({.method = "GET",
                   .path = "/api/v1/projects",
                   .operation = "listProjects",
                   .tag = "projects",
                   .summary = "List the projects that the caller may see",
                   .access = CallerCheck::authenticated,
                   .action = "project.read",
                   .answer = &shapeOf<ProjectView>(),
                   .page = true,
                   .handler = listProjects});
}

}  // namespace fairlead::api
