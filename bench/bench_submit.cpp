// How many durable submissions a second, beside a trial server that does the least a durable submission can be.
#include "benches.hpp"
#include "daemon.hpp"
#include "documents.hpp"

#include <fmt/format.h>

#include <thread>

namespace fairlead::bench {
namespace {

constexpr std::size_t kConnections = 64;
constexpr std::size_t kBatchConnections = 4;
constexpr std::size_t kBatchDocuments = 1'000;
constexpr int kRounds = 5;
constexpr double kRoundMs = 3'000;

std::chrono::milliseconds milliseconds(double count) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(count));
}

/// The trial server on a port of its own.
class Trial {
 public:
  explicit Trial(const std::filesystem::path& helpers) {
    endpoint_.port = freePort();
    child_ = std::make_unique<Child>(
        std::vector<std::string>{helpers / "fairlead_bench_trial", std::to_string(endpoint_.port), folder_.path()},
        folder_.path() / "log");
    for (int i = 0; i < 500 && ask(endpoint_, "POST", "/", workloadDocument(0, 0)).status != 201; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  [[nodiscard]] const Endpoint& endpoint() const { return endpoint_; }
  [[nodiscard]] const Child& process() const { return *child_; }

 private:
  TemporaryFolder folder_;
  Endpoint endpoint_;
  std::unique_ptr<Child> child_;
};

class Submitter {
 public:
  Submitter(const Endpoint& where, std::string_view path, std::size_t connections, std::size_t documents)
      : where_(where) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < documents; ++i) texts.push_back(workloadDocument(0, static_cast<std::uint32_t>(i)));
    requests_.assign(connections, NumberedRequest(where, path, texts));
  }
  LoadResult run(std::chrono::milliseconds duration) {
    LoadPlan plan;
    plan.connections = requests_.size();
    plan.duration = duration;
    plan.next = [this](std::size_t i) {
      next_ += requests_[i].documents();
      return requests_[i].number(next_ - requests_[i].documents());
    };
    return runLoad(where_, plan);
  }

 private:
  Endpoint where_;
  std::vector<NumberedRequest> requests_;
  std::uint64_t next_ = 1;
};

struct Side {
  std::vector<double> perSecond, p50, p99;
  double cpuSeconds = 0;
  std::uint64_t answers = 0;

  void take(const LoadResult& load, double cpu) {
    perSecond.push_back(load.perSecond());
    p50.push_back(percentile(load.latenciesMs, 0.5));
    p99.push_back(percentile(load.latenciesMs, 0.99));
    answers += load.latenciesMs.size();
    cpuSeconds += cpu;
  }
  [[nodiscard]] std::string line(std::string_view name) const {
    std::string rounds;
    for (const auto rate : perSecond) rounds += fmt::format(" {:.0f}", rate);
    return fmt::format("{}: p50 {:.2f} ms, p99 {:.2f} ms, {:.1f} us CPU of the server a submission; rounds:{}", name,
                       median(p50), median(p99), answers > 0 ? cpuSeconds * 1e6 / static_cast<double>(answers) : 0,
                       rounds);
  }
};

void measure(Side& side, Submitter& submitter, const Child& server, std::chrono::milliseconds duration) {
  const auto before = server.cpuTime();
  const auto load = submitter.run(duration);
  side.take(load, (server.cpuTime() - before).count());
}

void measureSingles(const Setting& setting, const Daemon& daemon, Report& report) {
  const Trial trial(setting.helpers);
  Submitter overUnix(daemon.unixSocket(), "/api/v1/workloads", kConnections, 1);
  Submitter overTcp(daemon.tcp(), "/api/v1/workloads", kConnections, 1);
  Submitter least(trial.endpoint(), "/", kConnections, 1);
  const auto round = milliseconds(kRoundMs * setting.scale);
  Side unixSide, tcpSide, leastSide;
  for (auto* submitter : {&overUnix, &overTcp, &least}) (void)submitter->run(round / 3);  // warm
  for (int i = 0; i < kRounds; ++i) {
    measure(tcpSide, overTcp, daemon.process(), round);
    measure(leastSide, least, trial.process(), round);
    measure(unixSide, overUnix, daemon.process(), round);
  }
  report.note(tcpSide.line("daemon, TCP on loopback"));
  report.note(unixSide.line("daemon, unix socket"));
  report.note(leastSide.line("trial server, TCP on loopback"));
  report.add({"submit.per_s", median(tcpSide.perSecond), "1/s", Better::higher, 30'000, median(leastSide.perSecond)});
  report.add({"submit.p99_ms", median(tcpSide.p99), "ms", Better::lower, 10, median(leastSide.p99)});
  report.add({"submit.unix_per_s", median(unixSide.perSecond), "1/s", Better::higher, {}, {}});
}

void measureBatches(const Setting& setting, const Daemon& daemon, Report& report) {
  Submitter batches(daemon.unixSocket(), "/api/v1/workloads:batch", kBatchConnections, kBatchDocuments);
  const auto round = milliseconds(kRoundMs * setting.scale);
  (void)batches.run(round / 3);
  Side side;
  for (int i = 0; i < kRounds; ++i) measure(side, batches, daemon.process(), round);
  report.note(
      fmt::format("batches of {} on {} connections: {}", kBatchDocuments, kBatchConnections, side.line("daemon")));
  report.add({"submit.batch_per_s", median(side.perSecond) * kBatchDocuments, "1/s", Better::higher, 100'000, {}});
}

}  // namespace

void benchSubmit(const Setting& setting, Report& report) {
  {
    Daemon daemon({.binary = setting.binary, .tcp = true});
    (void)daemon.start();
    const Blocker blocker(daemon.unixSocket(), 1);
    measureSingles(setting, daemon, report);
  }
  Daemon daemon({.binary = setting.binary});
  (void)daemon.start();
  const Blocker blocker(daemon.unixSocket(), 1);
  measureBatches(setting, daemon, report);
}

}  // namespace fairlead::bench
