// GET /attempts/{id}.
#include "../lookup.hpp"
#include "tables.hpp"

#include <fairlead/api/errors.hpp>

#include <fmt/format.h>

namespace fairlead::api {
namespace {

Error unknown(std::string_view text) {
  return Error{&kNoAttempt,
               fmt::format("there is no attempt {} that you may see", printable(text, 80)),
               {},
               printable(text),
               "attempts stand in GET /workloads/{id}"};
}

/// Live state has those that hold devices and the newest of each workload.
void getAttempt(Service& service, CallPtr call) {
  const auto text = call->text("id");
  const auto id = parseId<model::AttemptTag>(text);
  std::optional<model::Attempt> attempt;
  std::optional<model::Workload> workload;
  if (id)
    service.control().read([&](const control::State& state) {
      if (const auto* row = state.attempt(*id)) attempt = *row;
      if (attempt)
        if (const auto* row = state.workload(attempt->workload)) workload = *row;
    });
  if (!attempt || !workload) return call->fail(unknown(text));
  if (auto may = service.mayRead(*call, "workload.read", workload->project, toText(*id), workload->submitter); !may)
    return call->fail(unknown(text));
  replyWith(*call, attemptView(*workload, std::move(*attempt)));
}

}  // namespace

void addAttemptRoutes(std::vector<Route>& table) {
  table.push_back({
      .method = "GET",
      .path = "/api/v1/attempts/{id}",
      .operation = "getAttempt",
      .tag = "attempts",
      .summary = "One attempt with its placement and ends",
      .doc = "Those that hold devices and the newest of each workload; earlier ones stand in the workload.",
      .action = "workload.read",
      .runsOn = RunsOn::worker,
      .params = {{.name = "id", .place = ParamPlace::path, .doc = "Id of an attempt.", .maxBytes = 32}},
      .answer = &shapeOf<AttemptView>(),
      .errors = {ErrorKind::notFound},
      .handler = getAttempt,
  });
}

}  // namespace fairlead::api
