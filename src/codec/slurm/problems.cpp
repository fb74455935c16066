// Numbers of slurm_errno.h (22.05 to 26.05 agree about them) and the shapes in which problems come: v0.0.38 calls the
// number errno, error_code or error_number.
#include "answer_reader.hpp"
#include "text.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/slurm/rest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fairlead::codec::slurm {
namespace {

using enum ProblemKind;

struct NumberRow {
  std::int64_t number;
  ProblemKind kind;
};

// clang-format off
constexpr std::array kNumbers = std::to_array<NumberRow>({
    {1007, authentication}, {1800, unavailable}, {1801, unavailable}, {1802, unavailable}, {1803, unavailable},
    {1804, unavailable}, {1805, unavailable}, {1001, unavailable}, {1002, unavailable}, {1003, unavailable},
    {1004, unavailable}, {1005, unavailable},
    {2000, badPartition}, {2001, badPartition}, {2002, denied}, {2003, badPartition}, {2004, badNode},
    {2005, impossible}, {2006, impossible}, {2007, limit}, {2008, badRequest}, {2009, badScript}, {2010, badRequest},
    {2011, badRequest}, {2012, badRequest}, {2013, notAllowedNow}, {2014, impossible}, {2015, impossible},
    {2016, notAllowedNow}, {2017, notFound}, {2018, notFound}, {2019, unavailable}, {2020, notAllowedNow}, {2021, alreadyEnded},
    {2023, badRequest}, {2024, notAllowedNow}, {2025, badRequest}, {2027, unavailable}, {2028, notAllowedNow},
    {2029, badFeature}, {2036, notAllowedNow}, {2037, notAllowedNow}, {2038, badDependency}, {2039, notAllowedNow},
    {2040, badLicense}, {2042, heldInfo}, {2044, badMemory}, {2045, badAccount}, {2048, badLicense}, {2050, limit},
    {2051, badTime}, {2052, badReservation}, {2053, badReservation}, {2054, badTime}, {2055, badReservation},
    {2056, badReservation}, {2057, badRequest}, {2061, notAllowedNow}, {2063, badWorkDir}, {2066, badQos},
    {2068, badNode}, {2069, impossible}, {2070, badPartition}, {2071, badDependency}, {2072, badGres},
    {2073, notAllowedNow}, {2074, limit}, {2076, limit}, {2077, notAllowedNow}, {2078, notAllowedNow}, {2081, badArray},
    {2083, notAllowedNow}, {2084, alreadyEnded}, {2085, notAllowedNow}, {2086, alreadyEnded}, {2087, notAllowedNow},
    {2088, notAllowedNow}, {2090, unavailable}, {2101, badPartition}, {2102, badGres}, {2105, unavailable},
    {2115, badGres}, {2119, badGres}, {2122, badGres}, {2123, badRequest}, {2124, badTime}, {2127, badScript},
    {2130, badPartition}, {2131, unavailable}, {2134, badGres}, {2135, badRequest}, {2136, badRequest},
    {2137, badRequest}, {2138, badRequest}, {2139, badRequest}, {2140, badRequest}, {2141, badArray}, {2142, badArray},
    {2143, badArray}, {2144, badArray}, {2179, impossible},
    {5003, unavailable}, {5004, unavailable}, {5005, unavailable},
    {6000, authentication}, {6001, authentication}, {6004, authentication}, {6007, authentication},
    {7000, unavailable}, {7008, unavailable}, {8000, badTime},
    {9000, badRequest}, {9001, badRequest}, {9002, badRequest}, {9003, notFound}, {9004, badRequest}, {9006, notFound},
    {9007, notFound}, {9008, authentication}, {9009, badRequest}, {9202, badRequest},
});
// clang-format on

std::string cut(std::string_view text) { return printable(text, 400); }

/// One object of errors[], warnings[] or results[].
SlurmProblem readProblem(JsonCursor& json) {
  SlurmProblem problem;
  json.object([&](std::string_view key) {
    const std::string name(key);
    std::string_view text;
    JsonNumber number;
    const bool isText = json.kind() == JsonKind::string;
    if (isText && (name == "description" || name == "error" || name == "source" || name == "why")) {
      if (!json.readString(text)) return;
      (name == "error" ? problem.error : name == "source" ? problem.source : problem.description) = cut(text);
    } else if (name == "error_number" || name == "error_code" || name == "errno") {
      if (json.readNumber(number) && number.set) problem.number = number.value;
    } else if (name == "job_id") {
      if (json.readNumber(number) && number.set && number.value > 0 && number.value <= 0xFFFF'FFFF)
        problem.jobId = static_cast<std::uint32_t>(number.value);
    } else {
      json.skipValue();
    }
  });
  problem.kind = problemKind(problem.number);
  return problem;
}

/// One object of status[]: `{"error": {"string", "code", "message"}, "step_id", "job_id"}`.
SlurmProblem readStatus(JsonCursor& json) {
  SlurmProblem problem;
  json.object([&](std::string_view key) {
    const std::string name(key);
    if (name == "error" && json.kind() == JsonKind::object) {
      json.object([&](std::string_view inner) {
        const std::string part(inner);
        JsonNumber number;
        std::string_view text;
        if (part == "code") {
          if (json.readNumber(number) && number.set) problem.number = number.value;
        } else if (json.kind() == JsonKind::string && json.readString(text)) {
          (part == "string" ? problem.error : problem.description) = cut(text);
        } else if (json.good()) {
          json.skipValue();
        }
      });
    } else if (name == "job_id") {
      JsonNumber number;
      if (json.readNumber(number) && number.set && number.value > 0 && number.value <= 0xFFFF'FFFF)
        problem.jobId = static_cast<std::uint32_t>(number.value);
    } else {
      json.skipValue();
    }
  });
  problem.kind = problemKind(problem.number);
  return problem;
}

constexpr std::size_t kMostProblems = 1000;

/// A list of problems; `always` counts entries without a number too. False for a value that is no list.
template <class Read>
void readProblems(JsonCursor& json, std::vector<SlurmProblem>& out, bool always, Read&& read) {
  if (json.kind() != JsonKind::array) {
    json.skipValue();
    return;
  }
  std::vector<SlurmProblem> found;
  json.array([&] {
    if (json.kind() != JsonKind::object) {
      json.skipValue();
      return;
    }
    auto problem = read(json);
    if (found.size() < kMostProblems && (always || problem.number != 0)) found.push_back(std::move(problem));
  });
  if (json.good()) out.insert(out.end(), found.begin(), found.end());
}

void readMeta(JsonCursor& json, SlurmAnswer& answer) {
  json.object([&](std::string_view key) {
    if ((key != "slurm" && key != "Slurm") || json.kind() != JsonKind::object) {
      json.skipValue();
      return;
    }
    json.object([&](std::string_view inner) {
      auto* target = inner == "release" ? &answer.release : inner == "cluster" ? &answer.cluster : nullptr;
      std::string_view text;
      if (target != nullptr && json.kind() == JsonKind::string && json.readString(text))
        *target = cut(text);
      else if (json.good())
        json.skipValue();
    });
  });
}

}  // namespace

ProblemKind problemKind(std::int64_t number) {
  const auto row = std::find_if(kNumbers.begin(), kNumbers.end(), [&](auto& r) { return r.number == number; });
  return row == kNumbers.end() ? unknown : row->kind;
}

void SlurmAnswer::report(std::string where, std::string_view value, std::string why) {
  if (reports.size() >= kMaxReports) {
    ++reportsLeftOut;
    return;
  }
  reports.push_back({std::move(where), printable(value, 120), std::move(why)});
}

bool readAnswerMember(std::string_view key, JsonCursor& json, SlurmAnswer& answer) {
  if (key == "errors") {
    readProblems(json, answer.problems, true, readProblem);
  } else if (key == "warnings") {
    const auto before = answer.warnings.size();
    readProblems(json, answer.warnings, true, readProblem);
    for (auto i = before; i < answer.warnings.size(); ++i) answer.warnings[i].warning = true;
  } else if (key == "status") {
    readProblems(json, answer.problems, false, readStatus);
  } else if (key == "results") {
    readProblems(json, answer.problems, false, readProblem);
  } else if (key == "meta" && json.kind() == JsonKind::object) {
    readMeta(json, answer);
  } else if (key == "last_update") {
    JsonNumber number;
    if (json.readNumber(number) && number.set && number.value > 0 && number.value < 253'402'300'799)
      answer.lastUpdate = TimePoint{number.value * 1000};
  } else {
    return false;
  }
  return true;
}

std::optional<SlurmProblem> problemOfAnswer(const RestAnswer& answer) {
  if (answer.status == 0 || answer.contentType.starts_with("application/json")) return {};
  SlurmProblem problem;
  problem.number = answer.status;
  problem.error = fmt::format("HTTP status {}", answer.status);
  problem.description = cut(trim(answer.body.substr(0, 1000)));
  if (answer.status == 401 || answer.status == 511)
    problem.kind = authentication;
  else if (answer.status == 403)
    problem.kind = denied;
  else if (answer.status == 404 || answer.status == 405)
    problem.kind = notFound;
  else if (answer.status >= 500)
    problem.kind = unavailable;
  else if (answer.status >= 400)
    problem.kind = badRequest;
  return problem;
}

}  // namespace fairlead::codec::slurm
