// GET /workloads/{id}/logs: what a member wrote, whole, from an offset, or as it is written.
#include "../lookup.hpp"
#include "tables.hpp"

#include <fairlead/api/errors.hpp>

#include <fmt/format.h>

namespace fairlead::api {
namespace {

constexpr std::int64_t kMostBytes = 8 << 20;

/// The attempt with this number; 0: the newest.
Result<model::AttemptId> findAttempt(Service& service, const model::Workload& row, std::int64_t number) {
  if (number == 0 && row.currentAttempt) return row.currentAttempt;
  if (number == 0)
    return fail(kNoAttempt, fmt::format("{} has made no attempt yet, so there is nothing to read", toText(row.id)),
                "follow it, or ask why it waits with: fairlead explain " + toText(row.id));
  auto attempts = service.control().store().readAttempts(row.id);
  if (!attempts) return tl::unexpected(attempts.error());
  for (const auto& attempt : *attempts)
    if (attempt.number == static_cast<std::uint64_t>(number)) return attempt.id;
  auto error = fail(kNoAttempt, fmt::format("{} has made {} attempts", toText(row.id), attempts->size()),
                    "leave it out for the newest");
  error.value().field = "query.attempt";
  error.value().value = std::to_string(number);
  return error;
}

void readLog(Service& service, Call& call, const control::LogQuery& query) {
  auto chunk = service.control().readLog(query);
  if (!chunk) return call.fail(chunk.error());
  net::Response response;
  response.contentType = "text/plain; charset=utf-8";
  response.headers.emplace_back("Fairlead-Log-Offset", std::to_string(chunk->offset));
  response.headers.emplace_back("Fairlead-Log-End", std::to_string(chunk->end));
  response.headers.emplace_back("Fairlead-Log-Complete", chunk->complete ? "true" : "false");
  response.headers.emplace_back("Cache-Control", "no-store");
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.body = std::move(chunk->bytes);
  call.reply(std::move(response));
}

bool wantsEvents(const Call& call) {
  return call.request.headers.get("Accept").value_or("").find("text/event-stream") != std::string_view::npos;
}

/// A client that comes back says with Last-Event-ID where it stands.
std::uint64_t offsetOf(const Call& call) {
  const auto* last = call.find("Last-Event-ID");
  return static_cast<std::uint64_t>(last != nullptr ? last->number : call.integer("offset"));
}

void getLogs(Service& service, CallPtr call) {
  auto row = findWorkload(service, *call, call->text("id"));
  if (!row) return call->fail(row.error());
  auto rule = service.allow(*call, "logs.read", row->project, toText(row->id), row->submitter);
  if (!rule) return call->fail(rule.error());
  const bool follow = call->flag("follow");
  control::LogQuery query;
  query.rank = static_cast<std::int32_t>(call->integer("rank"));
  query.stream =
      call->text("stream") == "stderr" ? control::LogStream::standardError : control::LogStream::standardOutput;
  query.offset = offsetOf(*call);
  query.tailBytes = call->find("tail") == nullptr ? -1 : call->integer("tail");
  query.limit = static_cast<std::size_t>(call->integer("limitBytes", 1 << 20));
  auto attempt = findAttempt(service, *row, call->integer("attempt"));
  const bool waitForIt = !attempt && follow && call->integer("attempt") == 0 && !model::isFinal(row->state);
  if (!attempt && !waitForIt) return call->fail(attempt.error());
  if (attempt) query.attempt = *attempt;
  if (!follow) return readLog(service, *call, query);
  const auto id = row->id;
  service.follower().follow(call, {id, query, wantsEvents(*call)});
}

}  // namespace

void addLogRoutes(std::vector<Route>& table) {
  table.push_back({
      .method = "GET",
      .path = "/api/v1/workloads/{id}/logs",
      .operation = "getLogs",
      .tag = "workloads",
      .summary = "What a member wrote",
      .doc = "Bytes as they were written. The fields Fairlead-Log-Offset, -End and -Complete tell where the answer "
             "begins, where to go on, and whether "
             "more will come. With `follow` the answer goes on until the attempt ends, in plain bytes, or, where the "
             "client accepts text/event-stream, as "
             "`log` events whose id is the offset to go on from.",
      .action = "logs.read",
      .params = {workloadParam(),
                 {.name = "rank",
                  .kind = ParamKind::integer,
                  .doc = "Member, over all roles.",
                  .maximum = 1'000'000,
                  .fallback = "0"},
                 {.name = "stream",
                  .kind = ParamKind::choice,
                  .doc = "Which.",
                  .choices = {"stdout", "stderr"},
                  .fallback = "stdout"},
                 {.name = "attempt",
                  .kind = ParamKind::integer,
                  .doc = "Number of the attempt; without it the newest.",
                  .minimum = 1,
                  .maximum = 1'000'000},
                 {.name = "offset",
                  .kind = ParamKind::integer,
                  .doc = "In bytes from the beginning of all that was ever written.",
                  .fallback = "0"},
                 {.name = "tail",
                  .kind = ParamKind::integer,
                  .doc = "Begin so many bytes before the end, at a line.",
                  .maximum = kMostBytes},
                 {.name = "limitBytes",
                  .kind = ParamKind::integer,
                  .doc = "At most so many bytes in one answer; not with `follow`.",
                  .minimum = 1,
                  .maximum = kMostBytes,
                  .fallback = "1048576"},
                 {.name = "follow",
                  .kind = ParamKind::boolean,
                  .doc = "Go on until the attempt ends; before the first attempt, wait for it."},
                 {.name = "Last-Event-ID",
                  .place = ParamPlace::header,
                  .kind = ParamKind::integer,
                  .doc = "The offset to go on from."}},
      .contentType = "text/plain",
      .errors = {ErrorKind::invalid, ErrorKind::notFound, ErrorKind::conflict},
      .handler = getLogs,
  });
}

}  // namespace fairlead::api
