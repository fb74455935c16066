#include "slurm/calls.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

namespace fairlead::engine::slurm {
namespace {

using Kind = wire::ProblemKind;

const ErrorCode& codeOf(Kind kind) {
  switch (kind) {
    case Kind::authentication:
      return kSlurmCredentials;
    case Kind::denied:
      return kSlurmDenied;
    case Kind::notFound:
    case Kind::alreadyEnded:
      return kSlurmUnknownJob;
    case Kind::unavailable:
    case Kind::unknown:
      return kSlurmUnreachable;
    default:
      return kSlurmRefused;
  }
}

std::string_view remedyOf(Kind kind) {
  switch (kind) {
    case Kind::authentication:
      return "check the token's user, its end and the JWT key of the cluster (scontrol token)";
    case Kind::denied:
      return "let this user do it, or give the operation to one who may (sacctmgr modify user ... set adminlevel)";
    case Kind::badPartition:
      return "name a partition that `sinfo -s` shows";
    case Kind::badAccount:
      return "give the user an association with this account (sacctmgr add user ... account=...)";
    case Kind::badQos:
      return "name a QOS that the association may use (sacctmgr show assoc format=user,account,qos)";
    case Kind::badGres:
      return "ask for a type and a count that a node has (sinfo -o '%N %G')";
    case Kind::badFeature:
      return "name a feature that `sinfo -o '%N %f'` shows";
    case Kind::badNode:
      return "name nodes that `sinfo -N` shows";
    case Kind::badArray:
      return "keep the indices below the cluster's MaxArraySize";
    case Kind::badMemory:
    case Kind::impossible:
      return "ask for what one node of the partition has (scontrol show node)";
    case Kind::limit:
      return "stay within the limits of QOS and association, or have them raised (sacctmgr show qos)";
    case Kind::notAllowedNow:
      return "look at the job's state; requeue needs a job that may be requeued";
    case Kind::unavailable:
      return "look at slurmctld and slurmdbd (scontrol ping, sacctmgr ping)";
    default:
      return {};
  }
}

}  // namespace

bool mayWorkLater(const Error& error) {
  return error.code == &kSlurmUnreachable || error.code == &kSlurmUncertain || error.code == &kSlurmCredentials ||
         error.code == &kSlurmMalformed;
}

Error refusalOf(const wire::SlurmProblem& problem, const std::string& what) {
  std::string said = printable(problem.error, 300);
  if (!problem.description.empty() && problem.description != problem.error)
    said += (said.empty() ? "" : ": ") + printable(problem.description, 300);
  if (said.empty()) said = "no text";
  auto message = problem.number > 0 ? fmt::format("{}: Slurm says {} (error {})", what, said, problem.number)
                                    : fmt::format("{}: Slurm says {}", what, said);
  return {&codeOf(problem.kind), std::move(message), {}, {}, std::string(remedyOf(problem.kind))};
}

Error refusedChange(const wire::SlurmProblem& problem, const std::string& what) {
  // Numbers below are of messages that did not get through; 1001: slurmctld was never reached.
  constexpr std::int64_t kFirstRefusal = 2000, kConnectFailed = 1001;
  auto error = refusalOf(problem, what);
  if (error.code != &kSlurmUnreachable || problem.number == kConnectFailed) return error;
  const bool said = problem.kind == Kind::unknown && problem.number >= kFirstRefusal;
  error.code = said ? &kSlurmRefused : &kSlurmUncertain;
  return error;
}

const wire::SlurmProblem* failureIn(const wire::SlurmAnswer& answer) {
  for (const auto& problem : answer.problems)
    if (problem.kind != Kind::heldInfo && problem.kind != Kind::warningInfo) return &problem;
  return nullptr;
}

Error wrongRequest(const Errors& errors, const std::string& what) {
  std::string text = what;
  for (const auto& error : errors) text += ": " + toText(error);
  return {&kSlurmRefused, std::move(text), {}, {}, {}};
}

}  // namespace fairlead::engine::slurm
