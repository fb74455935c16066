// POST /workloads:batch: many documents in one transaction.
#include "../json_slices.hpp"
#include "intake.hpp"
#include "tables.hpp"

#include <fairlead/api/errors.hpp>
#include <fairlead/codec/errors.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::api {
namespace {

constexpr std::size_t kMostItems = 10'000;
constexpr std::size_t kMaxBody = 8 << 20;
constexpr std::size_t kMostErrors = 100;

/// Places inside an item become places in the body.
void shift(Error& error, std::string_view body, std::string_view item, std::size_t index) {
  const auto before = body.substr(0, static_cast<std::size_t>(item.data() - body.data()));
  const auto newline = before.rfind('\n');
  const auto lead = static_cast<int>(newline == std::string_view::npos ? before.size() : before.size() - newline - 1);
  if (error.line == 1) error.column += lead;
  if (error.line > 0) error.line += static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  error.field = error.field.empty() ? fmt::format("[{}]", index) : fmt::format("[{}].{}", index, error.field);
}

Checked<std::vector<ReadyPtr>> decode(Service& service, const Call& call) {
  const std::string_view body = call.request.body;
  std::string_view why;
  const auto slices = sliceArray(body, kMostItems, why);
  if (!slices) {
    const bool many = why.find("too many") != std::string_view::npos;
    return tl::unexpected(Errors{Error{many ? &kTooManyItems : &codec::kSyntax,
                                       std::string(why),
                                       {},
                                       {},
                                       fmt::format("send [{{...}}, ...] with at most {} workloads", kMostItems)}});
  }
  if (slices->empty())
    return tl::unexpected(Errors{Error{&kNoItems, "the array is empty", {}, {}, "send at least one workload"}});
  std::vector<ReadyPtr> documents;
  documents.reserve(slices->size());
  Errors errors;
  for (std::size_t i = 0; i < slices->size() && errors.size() < kMostErrors; ++i) {
    const auto item = (*slices)[i];
    auto document = service.cache().decode(item);
    if (document) {
      documents.push_back(std::move(*document));
      continue;
    }
    for (auto& error : document.error()) {
      shift(error, body, item, i);
      errors.push_back(std::move(error));
    }
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return documents;
}

void answer(Call& call, const Result<control::SubmitReply>& reply) {
  if (!reply) return call.fail(reply.error());
  BatchView view{reply->first, reply->count, reply->repeated, {}};
  if (call.flag("ids"))
    for (std::uint32_t i = 0; i < reply->count; ++i) view.ids.push_back({reply->first.value + i});
  replyWith(call, view);
}

void submitBatch(Service& service, CallPtr call) {
  auto documents = decode(service, *call);
  if (!documents) return call->fail(documents.error());
  auto command = makeCommand(service, *call, *documents, true);
  if (!command) return call->fail(command.error());
  service.control().submit(std::move(*command),
                           [call](const Result<control::SubmitReply>& reply) { answer(*call, reply); });
}

}  // namespace

void addBatchRoutes(std::vector<Route>& table) {
  table.push_back({
      .method = "POST",
      .path = "/api/v1/workloads:batch",
      .operation = "submitBatch",
      .tag = "workloads",
      .summary = "Submit many workloads at once",
      .doc = "All are taken in one transaction, or none. The answer is short: the new workloads have consecutive "
             "sequence numbers.",
      .action = "workload.submit",
      .params = {{.name = "ids", .kind = ParamKind::boolean, .doc = "List all ids in the answer."},
                 projectParam("Project of documents that name none."),
                 idempotencyParam()},
      .body = {.contentTypes = {"application/json"},
               .doc = "A JSON array of at most 10,000 `fairlead.io/v1` Workload documents.",
               .maxBytes = kMaxBody},
      .status = 201,
      .answer = &shapeOf<BatchView>(),
      .errors = {ErrorKind::invalid, ErrorKind::conflict, ErrorKind::tooLarge},
      .handler = submitBatch,
  });
}

}  // namespace fairlead::api
