// POST /workloads: one document or a few, in any of the ways in.
#include "../shapes/device_text.hpp"
#include "script.hpp"
#include "tables.hpp"

#include <fairlead/api/errors.hpp>

#include <fmt/format.h>

namespace fairlead::api {
namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kYaml = "application/yaml";
constexpr std::string_view kSbatch = "text/x-sbatch";
constexpr std::string_view kSbatchJson = "application/vnd.fairlead.sbatch+json";
constexpr std::size_t kMaxBody = 8 << 20;
constexpr std::size_t kQuickBody = 64 << 10;  // larger ones are not decoded on the I/O thread
constexpr std::size_t kMostDocuments = 1'000;

bool isType(const Call& call, std::string_view type) {
  auto given = call.request.headers.get("Content-Type").value_or(kJson);
  given = given.substr(0, given.find(';'));
  while (!given.empty() && given.back() == ' ') given.remove_suffix(1);
  return net::sameNoCase(given, type);
}

Checked<DecodedInput> decodeJson(Service& service, const Call& call, const codec::SpecContext& context) {
  const auto& body = call.request.body;
  if (context.baseDirectory.empty()) {
    auto ready = service.cache().decode(body);
    if (!ready) return tl::unexpected(std::move(ready.error()));
    return DecodedInput{{std::move(*ready)}, {}};
  }
  auto document = codec::decodeWorkloadJson(body, context);
  if (!document) return tl::unexpected(std::move(document.error()));
  return DecodedInput{{makeReady(std::move(*document))}, {}};
}

Checked<DecodedInput> decodeYaml(const Call& call, const codec::SpecContext& context) {
  codec::Limits limits;
  limits.documents = kMostDocuments;
  auto trees = codec::parseYamlDocuments(call.request.body, limits);
  if (!trees) return tl::unexpected(std::move(trees.error()));
  if (trees->empty())
    return tl::unexpected(Errors{Error{&kNoItems, "the text holds no document", {}, {}, "send at least one workload"}});
  DecodedInput input;
  Errors errors;
  for (const auto& tree : *trees) {
    auto document = codec::decodeWorkload(tree, context);
    if (document)
      input.documents.push_back(makeReady(std::move(*document)));
    else
      errors.insert(errors.end(), document.error().begin(), document.error().end());
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return input;
}

Checked<DecodedInput> decode(Service& service, const Call& call) {
  const std::string directory(call.text("workingDirectory"));
  if (!directory.empty() && directory.front() != '/')
    return tl::unexpected(
        Errors{Error{&kBadParameter, "not an absolute path", "query.workingDirectory", printable(directory), {}}});
  if (isType(call, kJson)) return decodeJson(service, call, {directory});
  if (isType(call, kYaml)) return decodeYaml(call, {directory});
  ScriptContext context{directory, std::string(call.text("scriptName")), call.who.name, service.deps().clock.now(),
                        static_cast<std::int32_t>(call.integer("zoneOffsetMinutes"))};
  return isType(call, kSbatch) ? decodeScript(call.request.body, std::move(context))
                               : decodeScriptJson(call.request.body, std::move(context));
}

SubmittedItem itemOf(const model::Submission& submission) {
  SubmittedItem item;
  const auto& spec = submission.spec->spec;
  item.name = submission.name;
  item.project = submission.project;
  item.taskClass = spec.taskClass;
  item.state = spec.startHeld ? model::WorkloadState::held : model::WorkloadState::queued;
  item.elements = model::elementCount(spec);
  item.devices = wantedDevicesText(spec);
  return item;
}

/// What state knows beyond what was submitted: the place in the queue when asked for, all of it for a repeated request.
void lookUp(Service& service, SubmittedView& view, bool position) {
  if (!view.repeated && !position) return;
  service.control().read([&](const control::State& state) {
    for (auto& item : view.items) {
      const auto* row = state.workload(item.id);
      if (row == nullptr) continue;
      if (position) item.queuePosition = state.queuePosition(*row);
      item.state = row->state;
      item.revision = row->revision;
    }
  });
}

void answer(Service& service, Call& call, SubmittedView view, const Result<control::SubmitReply>& reply) {
  if (!reply) return call.fail(reply.error());
  for (std::size_t i = 0; i < view.items.size(); ++i) view.items[i].id = {reply->first.value + i};
  view.repeated = reply->repeated;
  lookUp(service, view, call.flag("position"));
  net::Response response;
  response.status = 201;
  response.contentType = kJson;
  response.body = shapeOf<SubmittedView>().text(view);
  const auto& first = view.items.front();
  response.headers.emplace_back("Location", "/api/v1/workloads/" + toText(first.id));
  if (view.items.size() == 1) response.headers.emplace_back("ETag", fmt::format("\"{}\"", first.revision));
  call.reply(std::move(response));
}

void dryRun(Service& service, Call& call, const control::SubmitCommand& command, SubmittedView view) {
  view.dryRun = true;
  for (std::size_t i = 0; i < command.submissions.size(); ++i) {
    auto decision = service.control().dryRun(command.submissions[i], command.actor);
    if (!decision) return call.fail(decision.error());
    view.items[i].decision = std::move(*decision);
  }
  call.reply(200, shapeOf<SubmittedView>().text(view));
}

void process(Service& service, CallPtr call) {
  auto input = decode(service, *call);
  if (!input) return call->fail(input.error());
  auto command = makeCommand(service, *call, input->documents, false);
  if (!command) return call->fail(command.error());
  SubmittedView view;
  view.notMapped = std::move(input->notMapped);
  for (const auto& submission : command->submissions) view.items.push_back(itemOf(submission));
  if (call->flag("dryRun")) return dryRun(service, *call, *command, std::move(view));
  service.control().submit(std::move(*command),
                           [&service, call, view = std::move(view)](const Result<control::SubmitReply>& reply) mutable {
                             answer(service, *call, std::move(view), reply);
                           });
}

/// A small JSON document goes straight through on the I/O thread; everything else takes its time on the pool.
void submit(Service& service, CallPtr call) {
  if (isType(*call, kJson) && call->request.body.size() <= kQuickBody && !call->flag("dryRun"))
    return process(service, std::move(call));
  service.later(std::move(call), process);
}

}  // namespace

void addSubmitRoutes(std::vector<Route>& table) {
  table.push_back({
      .method = "POST",
      .path = "/api/v1/workloads",
      .operation = "submitWorkload",
      .tag = "workloads",
      .summary = "Submit workloads",
      .doc = "Takes one JSON document, YAML documents (all are taken or none), or an sbatch script. All that is wrong "
             "is told at once. "
             "The answer comes when the workloads are durable; nothing is scheduled inside the call.",
      .action = "workload.submit",
      .runsOn = RunsOn::io,
      .params =
          {{.name = "dryRun", .kind = ParamKind::boolean, .doc = "Store nothing; tell what would happen now and why."},
           {.name = "position", .kind = ParamKind::boolean, .doc = "Tell the place in the queue."},
           projectParam("Project of documents that name none; without it, the only one you may submit to."),
           {.name = "workingDirectory",
            .doc = "Absolute path: what relative working directories start from, and where a script runs.",
            .maxBytes = 4'095},
           {.name = "scriptName", .doc = "Of an sbatch script: its job name unless it gives one.", .maxBytes = 255},
           {.name = "zoneOffsetMinutes",
            .kind = ParamKind::integer,
            .doc = "Of an sbatch script: the submitter's time zone, minutes east of UTC, for `--begin=16:00`.",
            .minimum = -840,
            .maximum = 840,
            .fallback = "0"},
           idempotencyParam()},
      .body = {.contentTypes = {kJson, kYaml, kSbatch, kSbatchJson},
               .doc = "`fairlead.io/v1` Workload documents; or an sbatch script; or `{script, scriptName, "
                      "workingDirectory, args, env, zoneOffsetMinutes}` for one with its surroundings.",
               .maxBytes = kMaxBody},
      .status = 201,
      .answer = &shapeOf<SubmittedView>(),
      .errors = {ErrorKind::invalid, ErrorKind::conflict, ErrorKind::tooLarge, ErrorKind::unsupported},
      .handler = submit,
  });
}

}  // namespace fairlead::api
