#include "slurm/rest_calls.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/slurm/requests.hpp>
#include <fairlead/engine/errors.hpp>
#include <fairlead/net/http.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>

namespace fairlead::engine::slurm {
namespace {

wire::RestAnswer view(const net::ClientResponse& answer) {
  return {answer.status, answer.headers.get("Content-Type").value_or(""), answer.body};
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

std::string_view scopeFlag(wire::SignalScope scope) {
  switch (scope) {
    case wire::SignalScope::steps:
      return "FULL_STEPS_ONLY";
    case wire::SignalScope::batchShell:
      return "BATCH_JOB";
    default:
      return "FULL_JOB";
  }
}

std::string instant(TimePoint at) { return fmt::format("uts{}", at.msSinceEpoch / 1000); }

}  // namespace

Result<std::string> RestCalls::path(std::string_view service, std::string_view rest) const {
  const int version = version_;
  if (version == 0) return fail(kSlurmUnreachable, "slurmrestd has not answered yet which versions it serves");
  return fmt::format("/{}/{}/{}", service, toText(static_cast<wire::ApiVersion>(version)), rest);
}

Result<ServerInfo> RestCalls::connect() {
  constexpr int kNewest = static_cast<int>(wire::kNewestApi), kOldest = static_cast<int>(wire::kOldestApi);
  for (int tried = kOldest; tried <= kNewest; ++tried) {
    const int number = next_;
    const auto version = static_cast<wire::ApiVersion>(number);
    const auto answer = transport_.exchange({"GET", fmt::format("/slurm/{}/ping", toText(version)), {}, {}});
    if (!answer) return tl::unexpected(answer.error());
    if (answer->status == 404) {
      next_ = number > kOldest ? number - 1 : kNewest;
      continue;
    }
    const auto pings = wire::decodePings(version, view(*answer));
    if (const auto* problem = failureIn(pings.answer)) return tl::unexpected(refusalOf(*problem, "pinging slurmctld"));
    if (answer->status != 200)
      return fail(kSlurmMalformed, fmt::format("ping was answered with status {}", answer->status));
    version_ = number;
    return ServerInfo{"REST " + toText(version), pings.answer.release, pings.answer.cluster};
  }
  return fail(kSlurmUnsupported,
              fmt::format("slurmrestd serves none of {} to {}", toText(wire::kOldestApi), toText(wire::kNewestApi)),
              "load one of them (slurmrestd -s), or connect through the commands");
}

template <class Decode>
auto RestCalls::list(std::string_view service, const std::string& rest, Decode decode)
    -> Result<decltype(decode(wire::ApiVersion::v38, wire::RestAnswer{}))> {
  const auto target = path(service, rest);
  if (!target) return tl::unexpected(target.error());
  const auto answer = transport_.exchange({"GET", *target, {}, {}});
  if (!answer) return tl::unexpected(answer.error());
  auto read = decode(static_cast<wire::ApiVersion>(version_.load()), view(*answer));
  if (const auto problem = wire::problemOfAnswer(view(*answer)))
    return tl::unexpected(refusalOf(*problem, fmt::format("reading {}", rest.substr(0, rest.find('?')))));
  return read;
}

Result<wire::SlurmList<wire::SlurmJob>> RestCalls::jobs(std::optional<TimePoint> changedSince) {
  const auto query = changedSince ? fmt::format("?update_time={}", changedSince->msSinceEpoch / 1000) : std::string();
  return list("slurm", "jobs" + query, wire::decodeJobs);
}

Result<wire::SlurmList<wire::SlurmNode>> RestCalls::nodes() { return list("slurm", "nodes", wire::decodeNodes); }

Result<wire::SlurmList<wire::SlurmPartition>> RestCalls::partitions() {
  return list("slurm", "partitions", wire::decodePartitions);
}

Result<wire::SlurmList<wire::SlurmAccountedJob>> RestCalls::history(const HistoryQuery& query) {
  net::QueryPairs pairs;
  if (query.from) pairs.emplace_back("start_time", instant(*query.from));
  if (query.to) pairs.emplace_back("end_time", instant(*query.to));
  if (!query.names.empty()) pairs.emplace_back("job_name", joined(query.names));
  std::vector<std::string> ids;
  for (const auto id : query.ids) ids.push_back(std::to_string(id));
  // v0.0.38 heeds the last `step` only and takes a list; later versions take one each and refuse a list.
  if (version_ < static_cast<int>(wire::ApiVersion::v40) && !ids.empty()) ids = {joined(ids)};
  for (auto& id : ids) pairs.emplace_back("step", std::move(id));
  if (query.everyRun && version_ >= static_cast<int>(wire::ApiVersion::v40))
    pairs.emplace_back("show_duplicates", "true");
  auto read = list("slurmdb", "jobs" + net::encodeQuery(pairs), wire::decodeAccountedJobs);
  // "Nothing found" is an answer, and a whole one.
  if (read) std::erase_if(read->answer.problems, [](const auto& p) { return p.kind == wire::ProblemKind::notFound; });
  return read;
}

Result<wire::SlurmSubmitted> RestCalls::submit(const wire::SlurmSubmit& job, const std::string& user) {
  const auto target = path("slurm", "job/submit");
  if (!target) return tl::unexpected(target.error());
  const auto version = static_cast<wire::ApiVersion>(version_.load());
  auto body = wire::submitBody(version, job);
  if (!body) return tl::unexpected(wrongRequest(body.error(), "the job cannot be handed over"));
  const auto answer = transport_.exchange({"POST", *target, std::move(*body), user});
  if (!answer) return tl::unexpected(answer.error());
  auto read = wire::decodeSubmitted(version, view(*answer));
  if (read.accepted) return std::move(*read.accepted);
  if (const auto* problem = failureIn(read.answer))
    return tl::unexpected(refusedChange(*problem, "submitting the job"));
  return fail(kSlurmUncertain, fmt::format("submitting the job: status {} and no job id", answer->status));
}

Result<void> RestCalls::change(RestRequest request, std::string_view rest, const std::string& what) {
  auto target = path("slurm", rest);
  if (!target) return tl::unexpected(target.error());
  request.target = std::move(*target);
  const auto answer = transport_.exchange(request);
  if (!answer) return tl::unexpected(answer.error());
  const auto read = wire::decodeDone(static_cast<wire::ApiVersion>(version_.load()), view(*answer));
  if (const auto* problem = failureIn(read)) return tl::unexpected(refusedChange(*problem, what));
  if (answer->status >= 300) return fail(kSlurmUncertain, fmt::format("{}: status {}", what, answer->status));
  return {};
}

Result<void> RestCalls::cancel(std::uint32_t job, const std::string& user) {
  return change({"DELETE", {}, {}, user}, fmt::format("job/{}", job), fmt::format("cancelling job {}", job));
}

Result<void> RestCalls::signal(std::uint32_t job, int number, wire::SignalScope scope, const std::string& user) {
  if (number < 1 || number > SIGRTMAX) return fail(kSlurmRefused, fmt::format("there is no signal {}", number));
  const auto what = fmt::format("sending signal {} to job {}", number, job);
  auto rest = fmt::format("job/{}?signal={}", job, number);
  // Without flags every version signals the batch script; the older ones know none.
  const int version = version_;
  if (version >= static_cast<int>(wire::ApiVersion::v40))
    rest += fmt::format("&flags={}", scopeFlag(scope));
  else if (version != 0 && scope != wire::SignalScope::batchScript)
    return fail(kSlurmUnsupported, what + ": slurmrestd before v0.0.40 reaches the batch script only",
                "connect the cluster through the commands, or bring Slurm to 23.11 or later");
  return change({"DELETE", {}, {}, user}, rest, what);
}

Result<void> RestCalls::update(std::uint32_t job, const wire::SlurmJobUpdate& changed, const std::string& user) {
  auto body = wire::updateBody(static_cast<wire::ApiVersion>(version_.load()), changed);
  if (!body) return tl::unexpected(wrongRequest(body.error(), "the change cannot be handed over"));
  return change({"POST", {}, std::move(*body), user}, fmt::format("job/{}", job), fmt::format("changing job {}", job));
}

Result<void> RestCalls::requeue(std::uint32_t job, const std::string& user) {
  const auto what = fmt::format("requeuing job {}", job);
  const int version = version_;
  if (version != 0 && version < static_cast<int>(wire::ApiVersion::v45))
    return fail(kSlurmUnsupported, what + ": slurmrestd before v0.0.45 (Slurm 26.05) cannot",
                "connect the cluster through the commands, or cancel the attempt: it is then tried again");
  return change({"POST", {}, fmt::format(R"({{"jobs":["{}"]}})", job), user}, "jobs/requeue", what);
}

Result<std::vector<std::pair<std::string, std::string>>> RestCalls::settings() {
  return fail(kSlurmUnsupported, "slurmrestd does not tell the configuration");
}

Result<void> RestCalls::setSuspended(std::uint32_t job, bool suspended) {
  return fail(kSlurmUnsupported,
              fmt::format("slurmrestd has no way to {} job {}", suspended ? "suspend" : "resume", job),
              "connect the cluster through the commands");
}

Result<void> RestCalls::orderNode(wire::NodeAction action, const std::string& node, const std::string& reason) {
  auto body = wire::nodeBody(static_cast<wire::ApiVersion>(version_.load()), action, node, reason);
  if (!body) return tl::unexpected(wrongRequest(body.error(), "the node cannot be changed"));
  return change({"POST", {}, std::move(*body), {}}, "node/" + node,
                fmt::format("changing node {}", printable(node, 80)));
}

}  // namespace fairlead::engine::slurm
