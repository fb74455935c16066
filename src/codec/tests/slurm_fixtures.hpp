// Recorded answers in tests/golden/slurm.
#pragma once

#include <fairlead/codec/slurm/rest.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace fairlead::codec::slurm {

struct Release {
  std::string name;
  ApiVersion version;
};
inline const std::vector<Release> kReleases = {
    {"22.05", ApiVersion::v38}, {"24.11", ApiVersion::v42}, {"26.05", ApiVersion::v45}};

inline std::string readFixture(const std::string& source, const std::string& release, const std::string& name) {
  const auto path = source + "/tests/golden/slurm/" + release + "/" + name;
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

inline std::string problemsText(const SlurmAnswer& answer) {
  std::string text;
  for (const auto& problem : answer.problems) text += problem.error + "/" + problem.description + "; ";
  for (const auto& report : answer.reports) text += report.where + " `" + report.value + "` " + report.why + "; ";
  return text;
}

template <class Record, class Wanted>
const Record& the(const std::vector<Record>& records, Wanted&& wanted) {
  const auto found = std::find_if(records.begin(), records.end(), wanted);
  EXPECT_NE(found, records.end());
  static const Record none{};
  return found == records.end() ? none : *found;
}

inline const SlurmJob& jobOf(const std::vector<SlurmJob>& jobs, std::uint32_t id) {
  return the(jobs, [&](const SlurmJob& job) { return job.id == id; });
}

}  // namespace fairlead::codec::slurm
