// GET /usage and GET /prices.
#include "../lookup.hpp"
#include "tables.hpp"

#include <fairlead/api/errors.hpp>
#include <fairlead/ledger/postings.hpp>

#include <fmt/format.h>

#include <array>
#include <map>

namespace fairlead::api {
namespace {

using ledger::UsageKey;

constexpr std::string_view kAction = "usage.read";
constexpr Milliseconds kDefaultSpan{std::int64_t{30} * 86'400'000};
constexpr std::size_t kMostRows = 20'000;

/// Dimensions as the API spells them.
constexpr std::array<std::pair<UsageKey, std::string_view>, 8> kDimensions{{
    {UsageKey::project, "project"},
    {UsageKey::user, "user"},
    {UsageKey::taskClass, "class"},
    {UsageKey::deviceModel, "deviceModel"},
    {UsageKey::cluster, "cluster"},
    {UsageKey::day, "day"},
    {UsageKey::workload, "workload"},
    {UsageKey::category, "category"},
}};

UsageKey keyOf(std::string_view name) {
  for (const auto& [key, text] : kDimensions)
    if (text == name) return key;
  FL_ASSERT(false, "a checked dimension is known");
}

std::vector<std::string_view> dimensionNames() {
  std::vector<std::string_view> names;
  for (const auto& entry : kDimensions) names.push_back(entry.second);
  return names;
}

Result<ledger::UsageQuery> queryOf(const Call& call, TimePoint now) {
  ledger::UsageQuery query;
  query.to = call.find("to") == nullptr ? now : call.time("to");
  query.from = call.find("from") == nullptr ? query.to - kDefaultSpan : call.time("from");
  for (const auto& name : call.texts("groupBy")) query.groupBy.push_back(keyOf(name));
  if (auto checked = ledger::check(query); !checked) return tl::unexpected(checked.error());
  return query;
}

/// Feeds what the caller may see, from the ledger and from what runs now.
class Feeder {
 public:
  Feeder(Service& service, const Call& call, ledger::UsageSummary& summary)
      : service_(service), call_(call), summary_(summary), project_(call.text("project")) {}

  void add(const model::Posting& posting) {
    if (!project_.empty() && posting.project != project_) return;
    const auto [known, fresh] = sees_.try_emplace(posting.project, false);
    if (fresh) known->second = service_.access().can(call_.who, kAction, posting.project);
    if (known->second) summary_.add(posting);
  }

  Result<void> addAll(const ledger::UsageQuery& query, TimePoint now) {
    // What runs is copied first: an attempt that ends meanwhile is then counted from the copy or from the ledger, at
    // worst from both for a moment, and never from neither; those whose postings are read are taken out of the copy
    // again.
    auto running = copyRunning();
    control::PostingQuery postings{query.from, query.to, project_, {}};
    auto read = service_.control().store().readPostings(postings, [&](const model::Posting& posting) {
      running.erase(posting.attempt);
      add(posting);
      return true;
    });
    if (!read) return read;
    for (const auto& [id, pair] : running)
      for (const auto& posting : ledger::accruedPostings(pair.first, pair.second, now)) add(posting);
    return {};
  }

 private:
  using Running = std::map<model::AttemptId, std::pair<model::Workload, model::Attempt>>;
  Running copyRunning() {
    return service_.control().read([&](const control::State& state) {
      Running running;
      for (const auto id : state.liveAttempts()) {
        const auto* attempt = state.attempt(id);
        const auto* workload = attempt == nullptr ? nullptr : state.workload(attempt->workload);
        if (workload != nullptr && (project_.empty() || workload->project == project_))
          running.emplace(id, std::pair(*workload, *attempt));
      }
      return running;
    });
  }

  Service& service_;
  const Call& call_;
  ledger::UsageSummary& summary_;
  const std::string project_;
  std::map<std::string, bool> sees_;
};

void getUsage(Service& service, CallPtr call) {
  const auto now = service.deps().clock.now();
  auto query = queryOf(*call, now);
  if (!query) return call->fail(query.error());
  const std::string project(call->text("project"));
  if (!project.empty())
    if (auto may = service.mayRead(*call, kAction, project, "project " + project); !may) return call->fail(may.error());
  const auto prices = service.deps().prices();
  ledger::UsageSummary summary(*query, prices->book);
  if (auto read = Feeder(service, *call, summary).addAll(*query, now); !read) return call->fail(read.error());
  auto report = summary.report();
  if (report.rows.size() > kMostRows)
    return call->fail(Error{&kTooManyItems,
                            fmt::format("the report has {} rows, at most {} are given", report.rows.size(), kMostRows),
                            "query.groupBy",
                            {},
                            "take a shorter span or fewer dimensions"});
  UsageView view{query->from, query->to, {}, {std::move(report.total)}};
  for (auto& row : report.rows) {
    UsageLine line;
    for (std::size_t i = 0; i < row.key.size(); ++i) line.group.emplace_back(call->texts("groupBy")[i], row.key[i]);
    line.cost = {std::move(row)};
    view.items.push_back(std::move(line));
  }
  replyWith(*call, view);
}

void listPrices(Service& service, CallPtr call) {
  replyPage(*call, Page<model::Price>{service.deps().prices()->prices, {}});
}

}  // namespace

void addUsageRoutes(std::vector<Route>& table) {
  table.push_back(
      {.method = "GET",
       .path = "/api/v1/usage",
       .operation = "getUsage",
       .tag = "usage",
       .summary = "Device time and cost",
       .doc = "Sums of the ledger, and of what runs up to now, for the projects whose usage the caller may read.",
       .access = CallerCheck::authenticated,
       .action = kAction,
       .params = {{.name = "from",
                   .kind = ParamKind::time,
                   .doc = "Begin of the span; 30 days before its end unless given."},
                  {.name = "to", .kind = ParamKind::time, .doc = "End of the span, not included; now unless given."},
                  {.name = "groupBy",
                   .kind = ParamKind::choice,
                   .doc = "One row for each combination; none: one row.",
                   .choices = dimensionNames(),
                   .several = true},
                  projectParam()},
       .answer = &shapeOf<UsageView>(),
       .errors = {ErrorKind::invalid, ErrorKind::notFound, ErrorKind::tooLarge},
       .handler = getUsage});
  table.push_back({.method = "GET",
                   .path = "/api/v1/prices",
                   .operation = "listPrices",
                   .tag = "usage",
                   .summary = "List prices",
                   .doc = "As declared, past and future ones too.",
                   .access = CallerCheck::authenticated,
                   .action = "price.read",
                   .runsOn = RunsOn::io,
                   .answer = &shapeOf<model::Price>(),
                   .page = true,
                   .handler = listPrices});
}

}  // namespace fairlead::api
