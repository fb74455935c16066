#include "lookup.hpp"

#include "shapes/device_text.hpp"

#include <fairlead/api/errors.hpp>
#include <fairlead/codec/spec_codec.hpp>
#include <fairlead/ledger/postings.hpp>
#include <fairlead/ledger/usage.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::api {
namespace {

constexpr std::string_view kAlphabet = "0123456789abcdefghjkmnpqrstvwxyz";
constexpr std::size_t kShortestId = 5;
constexpr std::size_t kShortestPrefix = 3;
constexpr std::size_t kScanBatch = 2'048;
constexpr std::size_t kCandidatesShown = 5;

constexpr std::string_view kReadAction = "workload.read";

Error notFound(std::string_view text) {
  return Error{&kNotFound,
               fmt::format("there is no workload {} that you may see", printable(text, 80)),
               {},
               printable(text),
               "list yours with: fairlead get workloads"};
}

Error ambiguous(std::string_view text, const std::vector<model::WorkloadId>& ids) {
  std::string list;
  for (std::size_t i = 0; i < ids.size() && i < kCandidatesShown; ++i) list += (i > 0 ? ", " : "") + toText(ids[i]);
  if (ids.size() > kCandidatesShown) list += " and more";
  return Error{&kAmbiguous, fmt::format("{} fits {}", printable(text, 80), list), {}, printable(text), "use an id"};
}

/// Ids that begin with `prefix`: texts are a bijection of numbers, so the few possible ends are tried instead of
/// reading all rows.
void complete(const control::State& state, const std::string& prefix, std::vector<model::WorkloadId>& found) {
  if (const auto id = parseId<model::WorkloadTag>("w-" + prefix); id && state.workload(*id) != nullptr)
    found.push_back(*id);
  const std::size_t longest = std::max(kShortestId, prefix.size() + 1);
  if (prefix.size() >= longest) return;
  for (const char c : kAlphabet) {
    const auto longer = prefix + c;
    if (longer.size() < kShortestId)
      complete(state, longer, found);
    else if (const auto id = parseId<model::WorkloadTag>("w-" + longer); id && state.workload(*id) != nullptr)
      found.push_back(*id);
  }
}

bool visible(Service& service, const Call& call, const model::Workload& row) {
  return service.access().can(call.who, kReadAction, row.project, row.submitter);
}

Result<model::Workload> findByPrefix(Service& service, const Call& call, std::string_view text) {
  auto prefix = std::string(text.substr(2));
  std::vector<model::Workload> rows;
  service.control().read([&](const control::State& state) {
    std::vector<model::WorkloadId> ids;
    if (prefix.size() >= kShortestPrefix) complete(state, prefix, ids);
    const auto exact = parseId<model::WorkloadTag>(text);
    if (exact && state.workload(*exact) != nullptr) ids = {*exact};
    for (const auto id : ids) rows.push_back(*state.workload(id));
  });
  std::optional<model::Workload> hidden;
  std::erase_if(rows, [&](const auto& row) {
    if (visible(service, call, row)) return false;
    hidden = row;
    return true;
  });
  if (rows.size() == 1) return std::move(rows.front());
  if (rows.empty()) {
    if (hidden)
      (void)service.mayRead(call, kReadAction, hidden->project, toText(hidden->id),
                            hidden->submitter);  // audits the denial
    return tl::unexpected(notFound(text));
  }
  std::vector<model::WorkloadId> ids;
  for (const auto& row : rows) ids.push_back(row.id);
  return tl::unexpected(ambiguous(text, ids));
}

Result<model::Workload> findByName(Service& service, const Call& call, std::string_view text) {
  std::vector<model::WorkloadId> live, ended;
  scanWorkloads(service, {}, std::numeric_limits<std::size_t>::max(),
                [&](const control::State&, const model::Workload& row) {
                  if (row.name != text || !visible(service, call, row)) return true;
                  auto& list = model::isFinal(row.state) ? ended : live;
                  if (list.size() <= kCandidatesShown) list.push_back(row.id);
                  return live.size() <= kCandidatesShown;
                });
  const auto& list = live.empty() ? ended : live;
  if (list.empty()) return tl::unexpected(notFound(text));
  if (list.size() > 1) return tl::unexpected(ambiguous(text, list));
  auto row = rowOf(service, list.front());
  if (!row) return tl::unexpected(notFound(text));
  return std::move(*row);
}

}  // namespace

Result<model::Workload> findWorkload(Service& service, const Call& call, std::string_view text) {
  if (text.starts_with("w-")) {
    auto found = findByPrefix(service, call, text);
    if (found || found.error().code != &kNotFound || !codec::isName(text)) return found;
    if (parseId<model::WorkloadTag>(text)) return found;  // a whole id is never taken for a name
  }
  if (!codec::isName(text)) return tl::unexpected(notFound(text));
  return findByName(service, call, text);
}

std::optional<model::Workload> rowOf(Service& service, model::WorkloadId id) {
  return service.control().read([&](const control::State& state) -> std::optional<model::Workload> {
    const auto* row = state.workload(id);
    if (row == nullptr) return {};
    return *row;
  });
}

model::WorkloadId scanWorkloads(Service& service, model::WorkloadId before, std::size_t most,
                                const std::function<bool(const control::State&, const model::Workload&)>& visit) {
  std::size_t seen = 0;
  while (true) {
    std::size_t inBatch = 0;
    bool stopped = false;
    service.control().read([&](const control::State& state) {
      state.visitWorkloads(before, [&](const model::Workload& row) {
        before = row.id;
        ++seen;
        stopped = !visit(state, row) || seen >= most;
        return !stopped && ++inBatch < kScanBatch;
      });
    });
    if (stopped) return before;
    if (inBatch < kScanBatch || before.value <= 1) return {};
  }
}

WorkloadLine lineOf(const control::State& state, const model::Workload& row) {
  WorkloadLine line;
  line.row = row;
  line.members = model::memberCount(row.spec->spec);
  line.devices = wantedDevicesText(row.spec->spec);
  line.milliDevices = wantedDevices(row.spec->spec);
  if (row.native) line.cluster = row.native->cluster;
  const auto* attempt = row.currentAttempt ? state.attempt(row.currentAttempt) : nullptr;
  if (attempt == nullptr) return line;
  line.cluster = attempt->cluster;
  if (row.state == model::WorkloadState::queued || row.state == model::WorkloadState::held) return line;
  line.devices = placedDevicesText(attempt->placement);
  line.milliDevices = {};
  for (const auto& member : attempt->placement)
    for (const auto& slice : member.devices) line.milliDevices += slice.milli;
  return line;
}

AttemptView attemptView(const model::Workload& workload, model::Attempt attempt) {
  AttemptView view;
  const auto& roles = workload.spec->spec.roles;
  for (const auto& member : attempt.placement) {
    const auto role = static_cast<std::size_t>(member.role);
    view.placement.push_back({member.node, member.rank, role < roles.size() ? roles[role].name : std::string(),
                              member.vendor, member.model, member.devices, member.cpus, member.memory});
  }
  view.row = std::move(attempt);
  return view;
}

Result<CostView> costOf(Service& service, const model::Workload& row) {
  const auto prices = service.deps().prices();
  const auto now = service.deps().clock.now();
  ledger::UsageQuery query;
  query.from = {1};
  query.to = now + Milliseconds{1};
  ledger::UsageSummary summary(query, prices->book);
  control::PostingQuery postings{query.from, query.to, {}, row.id};
  auto read = service.control().store().readPostings(postings, [&](const model::Posting& posting) {
    summary.add(posting);
    return true;
  });
  if (!read) return tl::unexpected(read.error());
  service.control().read([&](const control::State& state) {
    const auto* attempt = row.currentAttempt ? state.attempt(row.currentAttempt) : nullptr;
    if (attempt == nullptr) return;
    for (const auto& posting : ledger::accruedPostings(row, *attempt, now)) summary.add(posting);
  });
  return CostView{summary.report().total};
}

}  // namespace fairlead::api
