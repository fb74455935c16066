// GET /events: what changes, as it changes.
#include "../lookup.hpp"
#include "tables.hpp"

#include <fairlead/api/errors.hpp>

#include <map>
#include <mutex>

namespace fairlead::api {
namespace {

constexpr std::string_view kAction = "events.read";

/// Which projects a stream over several of them shows; asked once for each project.
class Sight {
 public:
  Sight(Service& service, model::Principal who) : service_(service), who_(std::move(who)) {}
  bool sees(const std::string& project) {
    const std::lock_guard lock(mutex_);
    const auto [known, fresh] = known_.try_emplace(project, false);
    if (fresh) known->second = service_.access().can(who_, kAction, project);
    return known->second;
  }

 private:
  Service& service_;
  const model::Principal who_;
  std::mutex mutex_;
  std::map<std::string, bool> known_;
};

void streamEvents(Service& service, CallPtr call) {
  EventFeed::Filter filter;
  filter.project = call->text("project");
  if (const auto text = call->text("workload"); !text.empty()) {
    auto row = findWorkload(service, *call, text);
    if (!row) return call->fail(row.error());
    if (!filter.project.empty() && filter.project != row->project)
      return call->fail(Error{&kBadParameter, "the workload is of project " + row->project, "query.project",
                              printable(filter.project), "leave project out"});
    filter.project = row->project;
    filter.workload = row->id;
  }
  if (!filter.project.empty()) {
    if (auto may = service.mayRead(*call, kAction, filter.project, "project " + filter.project); !may)
      return call->fail(may.error());
  } else if (!service.access().can(call->who, kAction, {})) {
    filter.visible = [sight = std::make_shared<Sight>(service, call->who)](const std::string& project) {
      return sight->sees(project);
    };
  }
  const auto* last = call->find("Last-Event-ID");
  if (last == nullptr) last = call->find("after");
  const auto after = last == nullptr ? service.control().events().head() : static_cast<std::uint64_t>(last->number);
  service.feed().open(call, std::move(filter), after);
}

}  // namespace

void addEventRoutes(std::vector<Route>& table) {
  table.push_back({.method = "GET",
                   .path = "/api/v1/events",
                   .operation = "streamEvents",
                   .tag = "events",
                   .summary = "Follow what changes",
                   .doc = "Server-sent events: `id` is the sequence number, `event` the kind, `data` an Event. In "
                          "order and without gaps. A client that comes back "
                          "with Last-Event-ID gets what it missed, from the newest million events; when that is gone "
                          "it gets one `reset` event whose id is "
                          "where to go on, and must read the state again. A client that reads too slowly is cut off "
                          "after a prefix without gaps and comes back.",
                   .access = CallerCheck::authenticated,
                   .action = kAction,
                   .params = {projectParam("Only of this project; without it, of all that the caller may see."),
                              {.name = "workload", .doc = "Only about this workload.", .maxBytes = 80},
                              {.name = "after",
                               .kind = ParamKind::integer,
                               .doc = "Go on behind this sequence number; without it, from now on."},
                              {.name = "Last-Event-ID",
                               .place = ParamPlace::header,
                               .kind = ParamKind::integer,
                               .doc = "The same, as browsers send it; goes before `after`."}},
                   .contentType = "text/event-stream",
                   .answer = &shapeOf<model::Event>(),
                   .errors = {ErrorKind::invalid, ErrorKind::notFound, ErrorKind::conflict},
                   .handler = streamEvents});
}

}  // namespace fairlead::api
