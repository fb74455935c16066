// Versions, single answers and figures.
#include "rest_list.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::codec::slurm {
namespace {

constexpr std::string_view kPrefix = "v0.0.";

/// An answer whose members are read by `member`; no list of records in it.
SlurmAnswer readMembers(const RestAnswer& answer, std::function<bool(std::string_view, JsonCursor&)> member) {
  SlurmAnswer out;
  if (auto problem = problemOfAnswer(answer)) {
    out.problems.push_back(std::move(*problem));
    return out;
  }
  AnswerReader reader({{}, std::move(member)}, [](auto&, auto, auto&) {}, answer.body.size() + 1);
  reader.feed(answer.body);
  out = reader.finish();
  requireProblem(answer, out);
  return out;
}

bool refuses(const SlurmProblem& problem) {
  return problem.kind != ProblemKind::heldInfo && problem.kind != ProblemKind::warningInfo;
}

std::string messageOf(const SlurmProblem& problem) {
  return problem.error.empty() ? problem.description : problem.error;
}

/// Integers of an object become figures, and the counts of the list of messages.
void readFigures(JsonCursor& json, std::vector<std::pair<std::string, std::int64_t>>& out) {
  constexpr std::size_t kMostFigures = 4096;
  json.object([&](std::string_view key) {
    std::string name(key);
    if (name == "rpcs_by_message_type" && json.kind() == JsonKind::array) {
      json.array([&] {
        std::string type;
        JsonNumber count;
        json.object([&](std::string_view inner) {
          std::string_view text;
          if (inner == "message_type" && json.kind() == JsonKind::string) {
            if (json.readString(text)) type = text;
          } else if (inner == "count") {
            json.readNumber(count);
          } else {
            json.skipValue();
          }
        });
        if (json.good() && count.set && !type.empty() && out.size() < kMostFigures)
          out.emplace_back("rpc." + type, count.value);
      });
      return;
    }
    if (json.kind() != JsonKind::number && json.kind() != JsonKind::object) {
      json.skipValue();
      return;
    }
    JsonNumber number;
    if (json.readNumber(number) && number.set && out.size() < kMostFigures)
      out.emplace_back(std::move(name), number.value);
  });
}

}  // namespace

std::string toText(ApiVersion version) { return fmt::format("{}{}", kPrefix, static_cast<int>(version)); }

std::optional<ApiVersion> parseApiVersion(std::string_view text) {
  const auto at = text.find(kPrefix);
  if (at == std::string_view::npos) return {};
  const auto number = parseCount(text.substr(at + kPrefix.size()));
  if (!number || *number < static_cast<int>(kOldestApi) || *number > static_cast<int>(kNewestApi)) return {};
  return static_cast<ApiVersion>(*number);
}

void requireProblem(const RestAnswer& answer, SlurmAnswer& out) {
  if (answer.status == 0 || (answer.status >= 200 && answer.status < 300) || !out.problems.empty()) return;
  SlurmProblem problem;
  problem.number = answer.status;
  problem.error = fmt::format("HTTP status {}", answer.status);
  problem.kind = answer.status == 401 || answer.status == 511 ? ProblemKind::authentication
                 : answer.status >= 500                       ? ProblemKind::unavailable
                                                              : ProblemKind::badRequest;
  out.problems.push_back(std::move(problem));
}

SubmitAnswer decodeSubmitted(ApiVersion, const RestAnswer& answer) {
  SubmitAnswer out;
  std::uint32_t id = 0;
  std::string message;
  out.answer = readMembers(answer, [&](std::string_view key, JsonCursor& json) {
    JsonNumber number;
    std::string_view text;
    if (key == "job_id") {
      if (json.readNumber(number) && number.set && number.value > 0 && number.value < 0xFFFF'FFFE)
        id = static_cast<std::uint32_t>(number.value);
    } else if (key == "job_submit_user_msg" && json.kind() == JsonKind::string) {
      if (json.readString(text)) message = text.substr(0, 4096);
    } else {
      return false;
    }
    return true;
  });
  if (id == 0 || answer.status >= 300) return out;
  out.accepted.emplace();
  out.accepted->jobId = id;
  if (!message.empty()) out.accepted->messages.push_back(std::move(message));
  for (const auto* list : {&out.answer.problems, &out.answer.warnings})
    for (const auto& problem : *list) out.accepted->messages.push_back(messageOf(problem));
  std::erase_if(out.answer.problems, [](const SlurmProblem& problem) { return !refuses(problem); });
  return out;
}

SlurmAnswer decodeDone(ApiVersion, const RestAnswer& answer) {
  auto out = readMembers(answer, {});
  std::erase_if(out.problems, [](const SlurmProblem& problem) { return !refuses(problem); });
  return out;
}

SlurmList<std::pair<std::string, std::int64_t>> decodeDiag(ApiVersion, const RestAnswer& answer) {
  SlurmList<std::pair<std::string, std::int64_t>> list;
  list.answer = readMembers(answer, [&](std::string_view key, JsonCursor& json) {
    if (key != "statistics" || json.kind() != JsonKind::object) return false;
    list.records.clear();
    readFigures(json, list.records);
    return true;
  });
  return list;
}

}  // namespace fairlead::codec::slurm
