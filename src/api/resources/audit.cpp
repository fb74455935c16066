// GET /audit and POST /audit:verify.
#include "../cursor.hpp"
#include "../service.hpp"
#include "../shapes/record_views.hpp"
#include "tables.hpp"

#include <fairlead/api/errors.hpp>
#include <fairlead/audit/verify.hpp>

#include <map>

namespace fairlead::api {
namespace {

constexpr std::string_view kAction = "audit.read";
constexpr std::string_view kVerifyAction = "audit.verify";
constexpr std::uint64_t kBlock = 4'096;  // records read at once on the way down
constexpr std::uint64_t kMostScanned = 200'000;

struct Filter {
  std::string project, principal, action;
  std::optional<bool> allowed;
  TimePoint since;

  [[nodiscard]] bool takes(const model::AuditRecord& record) const {
    return (project.empty() || record.project == project) && (principal.empty() || record.principal == principal) &&
           (action.empty() || record.action == action) && (!allowed || record.allowed == *allowed) &&
           (!since || record.at >= since);
  }
};

Filter filterOf(const Call& call) {
  Filter filter{std::string(call.text("project")),
                std::string(call.text("principal")),
                std::string(call.text("action")),
                {},
                call.time("since")};
  if (call.find("allowed") != nullptr) filter.allowed = call.flag("allowed");
  return filter;
}

/// Newest first, though the store reads upwards: block by block from the end.
class DownReader {
 public:
  DownReader(Service& service, const Call& call) : service_(service), call_(call), filter_(filterOf(call)) {}

  /// Fills `page` with records below `before`; the sequence to go on below (0: all seen).
  Result<std::uint64_t> read(std::uint64_t before, std::size_t limit, Page<model::AuditRecord>& page) {
    std::uint64_t scanned = 0;
    while (before > 1 && scanned < kMostScanned) {
      const auto from = before > kBlock ? before - kBlock : 1;
      std::vector<model::AuditRecord> block;
      auto read = service_.control().store().readAudit(from, [&](const model::AuditRecord& record) {
        if (record.sequence >= before) return false;
        if (filter_.takes(record) && sees(record.project)) block.push_back(record);
        return true;
      });
      if (!read) return tl::unexpected(read.error());
      scanned += before - from;
      for (auto it = block.rbegin(); it != block.rend(); ++it) {
        page.items.push_back(std::move(*it));
        if (page.items.size() == limit) return page.items.back().sequence;
      }
      before = from;
    }
    return before > 1 ? before : 0;
  }

 private:
  bool sees(const std::string& project) {
    const auto [known, fresh] = sees_.try_emplace(project, false);
    if (fresh) known->second = service_.access().can(call_.who, kAction, project);
    return known->second;
  }

  Service& service_;
  const Call& call_;
  const Filter filter_;
  std::map<std::string, bool> sees_;
};

Result<std::uint64_t> endOf(Service& service) {
  auto head = service.control().store().readAuditHead();
  if (!head) return tl::unexpected(head.error());
  return *head ? (*head)->sequence + 1 : 1;
}

void listAudit(Service& service, CallPtr call) {
  const std::string project(call->text("project"));
  if (auto rule = service.allow(*call, kAction, project, "audit"); !rule) {
    // Who may not read all of it may still read that of some projects.
    if (!project.empty() || service.access().projects(call->who, kAction).empty()) return call->fail(rule.error());
  }
  auto before = takeCursor(*call);
  if (!before) return call->fail(before.error());
  auto end = *before > 0 ? before : endOf(service);
  if (!end) return call->fail(end.error());
  Page<model::AuditRecord> page;
  auto next = DownReader(service, *call).read(*end, static_cast<std::size_t>(call->integer("limit", 100)), page);
  if (!next) return call->fail(next.error());
  if (*next > 1) page.nextCursor = makeCursor(*call, *next);
  replyPage(*call, page);
}

Result<audit::AuditReport> verifyAll(Service& service) {
  auto& store = service.control().store();
  auto checkpoints = store.readCheckpoints();
  if (!checkpoints) return tl::unexpected(checkpoints.error());
  audit::ChainVerifier verifier(service.deps().auditKeys, std::move(*checkpoints));
  const auto feed = [&](const model::AuditRecord& record) {
    verifier.add(record);
    return true;
  };
  if (auto read = store.readAudit(1, feed); !read) return tl::unexpected(read.error());
  auto head = store.readAuditHead();
  if (!head) return tl::unexpected(head.error());
  const auto last = *head ? (*head)->sequence : 0;
  auto rest = store.readAudit(verifier.nextSequence(), [&](const model::AuditRecord& record) {
    return record.sequence <= last && feed(record);
  });
  if (!rest) return tl::unexpected(rest.error());
  return verifier.finish(*head);
}

void verifyAudit(Service& service, CallPtr call) {
  if (auto rule = service.allow(*call, kVerifyAction, {}, "audit"); !rule) return call->fail(rule.error());
  auto report = verifyAll(service);
  if (!report) return call->fail(report.error());
  AuditVerdictView view{report->ok, report->records, report->checkpointsChecked, {}, 0, {}};
  if (report->firstProblem) {
    view.problem = toText(report->firstProblem->kind);
    view.problemSequence = report->firstProblem->sequence;
    view.text = report->firstProblem->text;
  }
  replyWith(*call, view);
}

}  // namespace

void addAuditRoutes(std::vector<Route>& table) {
  table.push_back({.method = "GET",
                   .path = "/api/v1/audit",
                   .operation = "listAudit",
                   .tag = "audit",
                   .summary = "Who did what, newest first",
                   .doc = "A page may be shorter than `limit` although more follow; `nextCursor` tells.",
                   .action = kAction,
                   .params = {projectParam(),
                              {.name = "principal", .doc = "Only of this principal.", .maxBytes = 128},
                              {.name = "action", .doc = "Only of this action: `workload.cancel`.", .maxBytes = 64},
                              {.name = "allowed",
                               .kind = ParamKind::boolean,
                               .doc = "Only what was allowed, or only what was denied."},
                              {.name = "since", .kind = ParamKind::time, .doc = "Only then or later."},
                              limitParam(),
                              cursorParam()},
                   .answer = &shapeOf<model::AuditRecord>(),
                   .page = true,
                   .errors = {ErrorKind::invalid, ErrorKind::denied},
                   .handler = listAudit});
  table.push_back({.method = "POST",
                   .path = "/api/v1/audit:verify",
                   .operation = "verifyAudit",
                   .tag = "audit",
                   .summary = "Prove that the audit trail is whole",
                   .doc = "Reads all of it: hash chain, signed checkpoints, signed head. Names the first record that "
                          "was edited, deleted, reordered or cut off.",
                   .action = kVerifyAction,
                   .answer = &shapeOf<AuditVerdictView>(),
                   .errors = {ErrorKind::denied},
                   .handler = verifyAudit});
}

}  // namespace fairlead::api
