// GET /models and GET /models/{project}/{name}: who asked for what, what it cost, what came out, who serves it.
#include "../lookup.hpp"
#include "../shapes/device_text.hpp"
#include "tables.hpp"

#include <fairlead/api/errors.hpp>
#include <fairlead/handoff/lineage.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace fairlead::api {
namespace {

constexpr std::string_view kAction = "model.read";
constexpr std::size_t kMostVersions = 200;
constexpr std::size_t kMostServing = 20;

void listModels(Service& service, CallPtr call) {
  const std::string project(call->text("project"));
  if (!project.empty())
    if (auto may = service.mayRead(*call, kAction, project, "project " + project); !may) return call->fail(may.error());
  std::map<std::pair<std::string, std::string>, ModelLine> models;
  service.control().read([&](const control::State& state) {
    for (const auto& version : state.versions()) {
      if (!project.empty() && version.project != project) continue;
      auto& line = models[{version.project, version.model}];
      ++line.versions;
      if (version.version < line.latest) continue;
      line.latest = version.version;
      line.latestAt = version.createdAt;
    }
  });
  Page<ModelLine> page;
  std::map<std::string, bool> sees;
  for (auto& [key, line] : models) {
    const auto [known, fresh] = sees.try_emplace(key.first, false);
    if (fresh) known->second = service.access().can(call->who, kAction, key.first);
    if (!known->second) continue;
    line.project = key.first;
    line.name = key.second;
    page.items.push_back(std::move(line));
  }
  replyPage(*call, page);
}

/// Adds `row` to what serves the version, or will, where it does.
void addService(VersionView& version, const model::Workload& row) {
  const auto use = handoff::useOf(row, version.row);
  if (use != handoff::VersionUse::serves && use != handoff::VersionUse::willServe) return;
  auto& list = use == handoff::VersionUse::serves ? version.servedBy : version.nextServedBy;
  if (list.size() < kMostServing) list.push_back({row.id, row.name, row.state});
}

void addServices(Service& service, std::vector<VersionView>& versions) {
  scanWorkloads(service, {}, std::numeric_limits<std::size_t>::max(),
                [&](const control::State&, const model::Workload& row) {
                  if (row.spec->spec.model && !model::isFinal(row.state))
                    for (auto& version : versions) addService(version, row);
                  return true;
                });
}

Result<void> addMaker(Service& service, VersionView& version) {
  const auto row = rowOf(service, version.row.workload);
  if (!row) return {};
  version.workloadName = row->name;
  version.askedFor = wantedDevicesText(row->spec->spec);
  version.builtOn = handoff::parentOf(version.row, *row);
  auto cost = costOf(service, *row);
  if (!cost) return tl::unexpected(cost.error());
  version.cost = std::move(*cost);
  return {};
}

void getModel(Service& service, CallPtr call) {
  const std::string project(call->text("project"));
  const std::string name(call->text("name"));
  const auto label = fmt::format("model {} of project {}", printable(name, 63), printable(project, 63));
  if (auto may = service.mayRead(*call, kAction, project, label); !may) return call->fail(may.error());
  ModelView view;
  view.line = {project, name, 0, 0, {}};
  service.control().read([&](const control::State& state) {
    for (const auto& version : state.versions())
      if (version.project == project && version.model == name) view.versions.emplace_back().row = version;
  });
  if (view.versions.empty())
    return call->fail(Error{&kNotFound,
                            fmt::format("there is no {} that you may see", label),
                            {},
                            printable(name),
                            "list them with: fairlead get models"});
  std::sort(view.versions.begin(), view.versions.end(),
            [](const auto& a, const auto& b) { return a.row.version > b.row.version; });
  if (view.versions.size() > kMostVersions) view.versions.resize(kMostVersions);
  addServices(service, view.versions);
  for (auto& version : view.versions)
    if (auto made = addMaker(service, version); !made) return call->fail(made.error());
  replyWith(*call, view);
}

}  // namespace

void addModelRoutes(std::vector<Route>& table) {
  table.push_back({.method = "GET",
                   .path = "/api/v1/models",
                   .operation = "listModels",
                   .tag = "models",
                   .summary = "List models",
                   .doc = "Of the projects that the caller may see, by project and name.",
                   .access = CallerCheck::authenticated,
                   .action = kAction,
                   .params = {projectParam()},
                   .answer = &shapeOf<ModelLine>(),
                   .page = true,
                   .errors = {ErrorKind::notFound},
                   .handler = listModels});
  table.push_back({.method = "GET",
                   .path = "/api/v1/models/{project}/{name}",
                   .operation = "getModel",
                   .tag = "models",
                   .summary = "The thread from request to model",
                   .doc = "The newest 200 versions: who asked for which devices, what ran, what it cost, what came "
                          "out, who serves it.",
                   .action = kAction,
                   .params = {{.name = "project", .place = ParamPlace::path, .doc = "Whose.", .maxBytes = 63},
                              {.name = "name", .place = ParamPlace::path, .doc = "Its name.", .maxBytes = 63}},
                   .answer = &shapeOf<ModelView>(),
                   .errors = {ErrorKind::notFound},
                   .handler = getModel});
}

}  // namespace fairlead::api
