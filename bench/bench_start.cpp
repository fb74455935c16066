// From sending a submission to its process running, on an idle daemon.
#include "benches.hpp"
#include "daemon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <thread>
#include <time.h>

namespace fairlead::bench {
namespace {

constexpr int kStarts = 200;
constexpr auto kLimit = std::chrono::seconds(20);

std::int64_t monotonicNanoseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::int64_t stampIn(const std::filesystem::path& file) {
  std::int64_t stamp = 0;
  std::ifstream(file) >> stamp;
  return stamp;
}

/// Milliseconds from the first byte sent to the first instruction of the workload's program.
double startOne(const Daemon& daemon, const Setting& setting, int number) {
  const auto file = daemon.folder() / fmt::format("stamp-{}", number);
  const auto body = fmt::format(
      R"({{"apiVersion":"fairlead.io/v1","kind":"Workload","metadata":{{"name":"start-{}","project":"p0"}},"spec":{{"class":"training",)"
      R"("roles":[{{"name":"stamp","count":1,"devices":{{"model":"h100","count":1}},"command":["{}","{}"]}}]}}}})",
      number, (setting.helpers / "fairlead_bench_stamp").string(), file.string());
  const auto begin = monotonicNanoseconds();
  const auto answer = ask(daemon.unixSocket(), "POST", "/api/v1/workloads", body);
  if (answer.status != 201) throw Failed(fmt::format("submit: {} {}", answer.status, answer.body));
  const auto until = std::chrono::steady_clock::now() + kLimit;
  while (stampIn(file) == 0) {
    if (std::chrono::steady_clock::now() > until) throw Failed("a workload did not start within 20 s");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return static_cast<double>(stampIn(file) - begin) / 1e6;
}

/// Until it has ended and the daemon has nothing left to do for it.
void settle(const Daemon& daemon) {
  const auto until = std::chrono::steady_clock::now() + kLimit;
  while (ask(daemon.unixSocket(), "GET", "/api/v1/workloads?limit=1").body.find("\"id\"") != std::string::npos) {
    if (std::chrono::steady_clock::now() > until) throw Failed("a workload did not end within 20 s");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

}  // namespace

void benchStart(const Setting& setting, Report& report) {
  Daemon daemon({.binary = setting.binary, .devices = 4});
  (void)daemon.start();
  const int starts = std::max(3, static_cast<int>(kStarts * setting.scale));
  std::vector<double> times;
  for (int i = -3; i < starts; ++i) {  // the first three are not counted
    const auto time = startOne(daemon, setting, i + 3);
    if (i >= 0) times.push_back(time);
    settle(daemon);
  }
  report.note(fmt::format("{} starts, one after another: fastest {:.1f} ms, slowest {:.1f} ms", starts,
                          percentile(times, 0), percentile(times, 1)));
  report.add({"start.p50_ms", percentile(times, 0.5), "ms", Better::lower, 20, {}});
  report.add({"start.p99_ms", percentile(times, 0.99), "ms", Better::lower, 100, {}});
}

}  // namespace fairlead::bench
