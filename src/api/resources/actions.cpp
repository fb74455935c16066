// POST /workloads/{id}:cancel and its sisters.
#include "../lookup.hpp"
#include "tables.hpp"

#include <fairlead/api/errors.hpp>
#include <fairlead/codec/decoder.hpp>
#include <fairlead/codec/signals.hpp>

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace fairlead::api {
namespace {

using control::ActionKind;

constexpr std::size_t kMostMessage = 500;
constexpr Milliseconds kShortestLimit{60'000};
constexpr Milliseconds kLongestLimit{3650LL * 86'400'000};

struct ActionRow {
  ActionKind kind;
  std::string_view verb, path, operation, action, summary, doc;
};

constexpr std::array<ActionRow, 9> kActions{{
    {ActionKind::cancel, "cancel", "/api/v1/workloads/{id}:cancel", "cancelWorkload", "workload.cancel",
     "End a workload",
     "What waits ends at once; what runs gets its stop signal and grace. Cancelling what is cancelled changes "
     "nothing."},
    {ActionKind::hold, "hold", "/api/v1/workloads/{id}:hold", "holdWorkload", "workload.hold",
     "Keep a queued workload from starting", ""},
    {ActionKind::release, "release", "/api/v1/workloads/{id}:release", "releaseWorkload", "workload.release",
     "Let a held workload start", ""},
    {ActionKind::requeue, "requeue", "/api/v1/workloads/{id}:requeue", "requeueWorkload", "workload.requeue",
     "Send a workload back to the queue",
     "What runs is stopped and resumes from its newest valid checkpoint; what has ended gets a new set of attempts."},
    {ActionKind::signal, "signal", "/api/v1/workloads/{id}:signal", "signalWorkload", "workload.signal",
     "Send a signal to all members", "Body: `signal`, as `USR1`, `SIGUSR1` or a number."},
    {ActionKind::setPriority, "priority", "/api/v1/workloads/{id}:priority", "setWorkloadPriority",
     "workload.set-priority", "Change the priority", "Body: `priority`, higher goes first."},
    {ActionKind::suspend, "suspend", "/api/v1/workloads/{id}:suspend", "suspendWorkload", "workload.suspend",
     "Let a running workload stand still",
     "Its processes keep their memory and its devices stay taken. Only where its cluster can; else 409."},
    {ActionKind::resume, "resume", "/api/v1/workloads/{id}:resume", "resumeWorkload", "workload.resume",
     "Let a suspended workload go on", ""},
    {ActionKind::setTimeLimit, "extend", "/api/v1/workloads/{id}:extend", "setWorkloadTimeLimit",
     "workload.set-time-limit", "Change the time limit of the attempt that its cluster holds",
     "Body: `timeLimit`, the whole limit counted from its start, as `36h`. A later attempt has the limit of the "
     "document again. Only where its cluster can; else 409."},
}};

const ActionRow& rowOfRoute(const Route& route) {
  for (const auto& row : kActions)
    if (row.operation == route.operation) return row;
  FL_ASSERT(false, "an action route is in the table");
}

std::optional<std::int32_t> parsePriority(std::string_view text) {
  if (text == "low") return -100;
  if (text == "normal") return 0;
  if (text == "high") return 100;
  std::int32_t value = 0;
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || stop != text.data() + text.size()) return {};
  if (value < -model::SpecLimits::priority || value > model::SpecLimits::priority) return {};
  return value;
}

void takeValue(codec::Decoder& decoder, codec::MapReader& map, control::ActCommand& command) {
  if (command.kind == ActionKind::signal) {
    const auto field = map.required("signal");
    const auto word = decoder.word(field);
    if (!word) return;
    if (const auto signal = codec::parseSignal(*word))
      command.value = *signal;
    else
      decoder.error(field, codec::kBadValue, "is not a signal", "write USR1, SIGUSR1 or 10");
  } else if (command.kind == ActionKind::setPriority) {
    const auto field = map.required("priority");
    const auto word = decoder.word(field);
    if (!word) return;
    if (const auto priority = parsePriority(*word))
      command.value = *priority;
    else
      decoder.error(field, codec::kOutOfRange,
                    fmt::format("is not low, normal, high or a number from {} to {}", -model::SpecLimits::priority,
                                model::SpecLimits::priority));
  } else if (command.kind == ActionKind::setTimeLimit) {
    const auto field = map.required("timeLimit");
    const auto span = decoder.duration(field);
    if (span && (*span < kShortestLimit || *span > kLongestLimit))
      decoder.error(field, codec::kOutOfRange, "is not between a minute and 3650 days");
    if (span) command.value = span->count;
  }
}

/// The body: `message`, and the value of those that have one.
Errors takeBody(const Call& call, control::ActCommand& command) {
  const auto& body = call.request.body;
  auto tree = codec::parseJson(body.empty() ? std::string_view("{}") : std::string_view(body));
  if (!tree) return std::move(tree.error());
  codec::Decoder decoder;
  codec::MapReader map(decoder, decoder.root(tree->root()));
  const auto field = map.optional("message");
  if (const auto message = decoder.text(field)) {
    if (message->size() > kMostMessage)
      decoder.error(field, codec::kOutOfRange, fmt::format("is longer than {} bytes", kMostMessage));
    command.message = printable(*message, kMostMessage);
  }
  takeValue(decoder, map, command);
  map.done();
  return decoder.takeErrors();
}

Result<std::optional<std::uint64_t>> takeIfMatch(const Call& call) {
  auto text = call.text("If-Match");
  if (text.empty() || text == "*") return std::optional<std::uint64_t>();
  if (text.size() > 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  std::uint64_t revision = 0;
  const auto [stop, failed] = std::from_chars(text.data(), text.data() + text.size(), revision);
  if (failed == std::errc() && stop == text.data() + text.size()) return std::optional<std::uint64_t>(revision);
  return tl::unexpected(Error{&kBadParameter, "not an ETag of a workload", "header.If-Match", printable(text),
                              "send the ETag of GET as it came"});
}

void answer(Call& call, model::WorkloadId id, const control::ActReply& reply) {
  net::Response response;
  response.contentType = "application/json";
  response.body = shapeOf<ActView>().text({id, reply.state, reply.revision, reply.changed});
  response.headers.emplace_back("ETag", fmt::format("\"{}\"", reply.revision));
  call.reply(std::move(response));
}

void act(Service& service, CallPtr call) {
  const auto& action = rowOfRoute(*call->route);
  auto row = findWorkload(service, *call, call->text("id"));
  if (!row) return call->fail(row.error());
  auto rule = service.allow(*call, action.action, row->project, toText(row->id), row->submitter);
  if (!rule) return call->fail(rule.error());
  control::ActCommand command;
  command.kind = action.kind;
  command.workload = row->id;
  if (auto errors = takeBody(*call, command); !errors.empty()) return call->fail(errors);
  auto ifMatch = takeIfMatch(*call);
  if (!ifMatch) return call->fail(ifMatch.error());
  command.ifMatch = *ifMatch;
  command.actor = service.actorOf(*call, std::move(*rule));
  service.control().act(std::move(command), [call, id = row->id](const Result<control::ActReply>& reply) {
    if (!reply) return call->fail(reply.error());
    if (!reply->adjustment) return answer(*call, id, *reply);
    call->service->askEngine(call, [id, reply = *reply](Service& here, CallPtr asked) {
      if (auto done = here.control().adjust(*reply.adjustment); !done) return asked->fail(done.error());
      answer(*asked, id, reply);
    });
  });
}

}  // namespace

void addActionRoutes(std::vector<Route>& table) {
  for (const auto& action : kActions)
    table.push_back({
        .method = "POST",
        .path = action.path,
        .operation = action.operation,
        .tag = "workloads",
        .summary = action.summary,
        .doc = action.doc,
        .action = action.action,
        .params = {workloadParam(),
                   {.name = "If-Match",
                    .place = ParamPlace::header,
                    .doc = "ETag of the workload as the caller has seen it; 412 when it has changed since.",
                    .maxBytes = 64}},
        .body = {.contentTypes = {"application/json"},
                 .doc = "Optional: `{message}`, why, for the record.",
                 .maxBytes = 64 << 10},
        .answer = &shapeOf<ActView>(),
        .errors = {ErrorKind::invalid, ErrorKind::notFound, ErrorKind::conflict, ErrorKind::precondition},
        .handler = act,
    });
}

}  // namespace fairlead::api
