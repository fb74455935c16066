// fairlead_bench [NAME] [--json] [--scale X] [--binary FILE]
#include "benches.hpp"
#include "process.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

using namespace fairlead::bench;

struct Bench {
  std::string_view name;
  void (*run)(const Setting&, Report&);
};
constexpr std::array<Bench, 6> kBenches{{
    {"submit", benchSubmit},
    {"start", benchStart},
    {"streams", benchStreams},
    {"queue", benchQueue},
    {"micro", benchMicro},
    {"slurm", benchSlurmWire},
}};

int usage() {
  fmt::print(stderr, "fairlead_bench [submit|start|streams|queue|micro|slurm] [--json] [--scale X] [--binary FILE]\n");
  return 2;
}

}  // namespace

int main(int count, char** words) {
  Setting setting;
  const auto here = std::filesystem::canonical("/proc/self/exe").parent_path();
  setting.helpers = here;
  setting.binary = here.parent_path() / "fairlead";
  bool json = false;
  std::string_view only;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--json")
      json = true;
    else if (word == "--scale" && i + 1 < count)
      setting.scale = std::atof(words[++i]);
    else if (word == "--binary" && i + 1 < count)
      setting.binary = std::filesystem::absolute(words[++i]);
    else if (only.empty() && !word.starts_with('-'))
      only = word;
    else
      return usage();
  }
  bool known = false;
  int code = 0;
  Report report(json);
  for (const auto& bench : kBenches) {
    if (!only.empty() && only != bench.name) continue;
    known = true;
    try {
      bench.run(setting, report);
    } catch (const std::exception& failure) {
      fmt::print(stderr, "{}: {}\n", bench.name, failure.what());
      code = 1;
    }
  }
  return known ? code : usage();
}
