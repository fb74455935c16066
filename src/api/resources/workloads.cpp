// GET /workloads and GET /workloads/{id}.
#include "../cursor.hpp"
#include "../lookup.hpp"
#include "tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace fairlead::api {
namespace {

constexpr std::size_t kMostScanned = 500'000;  // rows looked at for one page; a shorter page then says where to go on

/// What a list shows of all workloads.
struct Filter {
  std::string project, user, name;
  std::optional<model::TaskClass> taskClass;
  std::set<model::WorkloadState> states;
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<std::string> labelKeys;
  TimePoint since;
  std::optional<model::WorkloadId> array;
  bool ended = false;  ///< ended ones too
  std::optional<bool> native;

  [[nodiscard]] bool takes(const model::Workload& row) const {
    if (!project.empty() && row.project != project) return false;
    if (!user.empty() && row.submitter != user) return false;
    if (!name.empty() && row.name != name) return false;
    if (native && *native != (row.native != nullptr)) return false;
    if (taskClass && row.spec->spec.taskClass != *taskClass) return false;
    if (!states.empty() ? !states.contains(row.state) : !ended && model::isFinal(row.state)) return false;
    if (since && row.submittedAt < since) return false;
    if (array && row.arrayParent != *array) return false;
    const auto has = [&](const auto& label) {
      return std::find(row.labels.begin(), row.labels.end(), label) != row.labels.end();
    };
    const auto hasKey = [&](const auto& key) {
      return std::any_of(row.labels.begin(), row.labels.end(), [&](const auto& label) { return label.first == key; });
    };
    return std::all_of(labels.begin(), labels.end(), has) && std::all_of(labelKeys.begin(), labelKeys.end(), hasKey);
  }
};

Filter filterOf(const Call& call) {
  Filter filter;
  filter.project = call.text("project");
  filter.user = call.text("user");
  filter.name = call.text("name");
  filter.taskClass = parseEnum<model::TaskClass>(call.text("class"));
  for (const auto& state : call.texts("state")) filter.states.insert(*parseEnum<model::WorkloadState>(state));
  for (const auto& label : call.texts("label")) {
    const auto equals = label.find('=');
    if (equals == std::string::npos)
      filter.labelKeys.push_back(label);
    else
      filter.labels.emplace_back(label.substr(0, equals), label.substr(equals + 1));
  }
  if (const auto origin = call.text("origin"); !origin.empty()) filter.native = origin == "native";
  filter.since = call.time("since");
  filter.array = parseId<model::WorkloadTag>(call.text("array"));
  filter.ended = call.flag("all") || filter.since || filter.array;
  return filter;
}

/// Asks auth once for each project and owner kind, not once for each row.
class Sight {
 public:
  Sight(Service& service, const Call& call) : service_(service), call_(call) {}
  bool sees(const model::Workload& row) {
    const bool own = row.submitter == call_.who.name;
    auto& known = (own ? own_ : others_)[row.project];
    if (!known) known = service_.access().can(call_.who, "workload.read", row.project, row.submitter);
    return *known;
  }

 private:
  Service& service_;
  const Call& call_;
  std::map<std::string, std::optional<bool>> own_, others_;
};

void listWorkloads(Service& service, CallPtr call) {
  const auto before = takeCursor(*call);
  if (!before) return call->fail(before.error());
  const auto filter = filterOf(*call);
  if (!filter.project.empty())
    if (auto may = service.mayRead(*call, "workload.read", filter.project, "project " + filter.project); !may)
      return call->fail(may.error());
  const auto limit = static_cast<std::size_t>(call->integer("limit", 100));
  const auto picture = service.outlook().picture();
  Sight sight(service, *call);
  Page<WorkloadLine> page;
  const auto next =
      scanWorkloads(service, {*before}, kMostScanned, [&](const control::State& state, const model::Workload& row) {
        if (!filter.takes(row) || !sight.sees(row)) return true;
        page.items.push_back(lineOf(state, row));
        page.items.back().waitingFor = service.outlook().waitingFor(*picture, state, row);
        return page.items.size() < limit;
      });
  if (next.value > 1) page.nextCursor = makeCursor(*call, next.value);
  replyPage(*call, page);
}

Result<void> addAttempts(Service& service, WorkloadView& view) {
  auto attempts = service.control().store().readAttempts(view.line.row.id);
  if (!attempts) return tl::unexpected(attempts.error());
  for (auto& attempt : *attempts) view.attempts.push_back(attemptView(view.line.row, std::move(attempt)));
  return {};
}

void addDecision(Service& service, WorkloadView& view) {
  const auto& row = view.line.row;
  if (row.state != model::WorkloadState::queued && row.state != model::WorkloadState::held) return;
  auto explanation = service.control().explain(row.id);
  if (!explanation) return;
  view.queuePosition = explanation->decision.position;
  if (!explanation->decision.reasons.empty())
    view.line.waitingFor = model::renderShort(explanation->decision.reasons.front());
  view.decision = std::move(explanation->decision);
}

void getWorkload(Service& service, CallPtr call) {
  auto row = findWorkload(service, *call, call->text("id"));
  if (!row) return call->fail(row.error());
  WorkloadView view;
  service.control().read([&](const control::State& state) {
    const auto* now = state.workload(row->id);
    view.line = lineOf(state, now == nullptr ? *row : *now);
    for (const auto& version : state.versions())
      if (version.workload == row->id) view.versions.push_back(version);
  });
  if (auto read = addAttempts(service, view); !read) return call->fail(read.error());
  addDecision(service, view);
  auto cost = costOf(service, view.line.row);
  if (!cost) return call->fail(cost.error());
  view.cost = std::move(*cost);
  net::Response response;
  response.contentType = "application/json";
  response.body = shapeOf<WorkloadView>().text(view);
  response.headers.emplace_back("ETag", fmt::format("\"{}\"", view.line.row.revision));
  call->reply(std::move(response));
}

void explainWorkload(Service& service, CallPtr call) {
  auto row = findWorkload(service, *call, call->text("id"));
  if (!row) return call->fail(row.error());
  auto explained = service.control().explain(row->id);
  if (!explained) return call->fail(explained.error());
  ExplanationView view;
  view.decision = std::move(explained->decision);
  view.reservedFor = explained->reservedFor;
  service.control().read([&](const control::State& state) {
    const auto* now = state.workload(row->id);
    view.line = lineOf(state, now == nullptr ? *row : *now);
    view.queueLength = state.queueLength();
    for (const auto& holder : explained->holders) {
      const auto* other = state.workload(holder.workload);
      view.holders.push_back({holder.workload, other == nullptr ? std::string() : other->name, holder.project, false,
                              holder.devices, holder.endsBy});
    }
  });
  for (auto& holder : view.holders) holder.hidden = !service.access().can(call->who, "workload.read", holder.project);
  if (!view.decision.reasons.empty()) view.line.waitingFor = model::renderShort(view.decision.reasons.front());
  replyWith(*call, view);
}

}  // namespace

void addWorkloadRoutes(std::vector<Route>& table) {
  table.push_back({
      .method = "GET",
      .path = "/api/v1/workloads",
      .operation = "listWorkloads",
      .tag = "workloads",
      .summary = "List workloads, newest first",
      .doc = "Of the projects that the caller may see. Without `all`, `state`, `since` or `array`: only those that "
             "have not ended. A page may be "
             "shorter than `limit` although more follow; `nextCursor` tells.",
      .access = CallerCheck::authenticated,
      .action = "workload.read",
      .params = {projectParam(),
                 {.name = "class",
                  .kind = ParamKind::choice,
                  .doc = "Only of this task class.",
                  .choices = choicesOf<model::TaskClass>()},
                 {.name = "state",
                  .kind = ParamKind::choice,
                  .doc = "Only in these states.",
                  .choices = choicesOf<model::WorkloadState>(),
                  .several = true},
                 {.name = "user", .doc = "Only of this submitter.", .maxBytes = 128},
                 {.name = "origin",
                  .kind = ParamKind::choice,
                  .doc = "Only native jobs, which their owners started on a cluster, or only what was submitted here.",
                  .choices = {"native", "fairlead"}},
                 {.name = "name", .doc = "Only of this name.", .maxBytes = 63},
                 {.name = "label",
                  .doc = "`key=value`, or `key` for any value; all given ones must fit.",
                  .several = true},
                 {.name = "since", .kind = ParamKind::time, .doc = "Only those submitted then or later."},
                 {.name = "array", .doc = "Only elements of the array with this id.", .maxBytes = 32},
                 {.name = "all", .kind = ParamKind::boolean, .doc = "Ended ones too."},
                 limitParam(),
                 cursorParam()},
      .answer = &shapeOf<WorkloadLine>(),
      .page = true,
      .errors = {ErrorKind::invalid, ErrorKind::notFound},
      .handler = listWorkloads,
  });
  table.push_back({
      .method = "GET",
      .path = "/api/v1/workloads/{id}",
      .operation = "getWorkload",
      .tag = "workloads",
      .summary = "One workload with spec, attempts, decision and cost",
      .doc = "The ETag is the revision, for If-Match of actions.",
      .action = "workload.read",
      .params = {workloadParam()},
      .answer = &shapeOf<WorkloadView>(),
      .errors = {ErrorKind::notFound, ErrorKind::conflict},
      .handler = getWorkload,
  });
  table.push_back({
      .method = "GET",
      .path = "/api/v1/workloads/{id}/explain",
      .operation = "explainWorkload",
      .tag = "workloads",
      .summary = "Why a workload stands where it stands",
      .doc = "The planner's verdict now, who holds what it could use, and what comes next.",
      .action = "workload.read",
      .params = {workloadParam()},
      .answer = &shapeOf<ExplanationView>(),
      .errors = {ErrorKind::notFound, ErrorKind::conflict},
      .handler = explainWorkload,
  });
}

}  // namespace fairlead::api
