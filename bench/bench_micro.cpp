// The parts of a submission and of a planning on their own, to see where time goes: no goals.
#include "benches.hpp"
#include "documents.hpp"
#include "process.hpp"

#include <fairlead/codec/spec_codec.hpp>
#include <fairlead/policy/plan.hpp>
#include <fairlead/store/sqlite.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <time.h>

namespace fairlead::bench {
namespace {

constexpr int kRounds = 7;

double secondsOf(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

/// Microseconds of one of `times` calls: the median of several rounds. Pure work is measured in the thread's own time,
/// so that neighbours on the machine do not count; what waits for a disk in real time.
template <class Work>
double microsecondsOf(clockid_t clock, int times, Work&& work) {
  std::vector<double> rounds;
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = secondsOf(clock);
    for (int i = 0; i < times; ++i) work();
    rounds.push_back((secondsOf(clock) - begin) * 1e6 / times);
  }
  return median(rounds);
}

model::SpecPtr decoded(const std::string& text) {
  auto document = codec::decodeWorkloadJson(text);
  if (!document) throw Failed("the document of the benchmark is refused: " + document.error().front().message);
  return codec::makeSpecDocument(std::move(document->spec));
}

/// 16 full nodes of 8 devices, and 1,000 that wait; every tenth could start.
policy::Snapshot busyCluster(const model::SpecPtr& spec) {
  policy::Snapshot snapshot;
  for (int n = 0; n < 16; ++n) {
    policy::NodeView view;
    view.node.cluster = "local";
    view.node.name = fmt::format("n{:02}", n);
    view.node.cpus = view.cpusFree = {64'000};
    view.node.memory = view.memoryFree = {512LL << 30};
    for (int d = 0; d < 8; ++d) {
      model::Device device;
      device.index = d;
      device.vendor = "nvidia";
      device.model = "h100-sxm5-80gb";
      view.node.devices.push_back(device);
      view.deviceFree.push_back({d == 0 && n % 2 == 0 ? 1000 : 0});
    }
    snapshot.nodes.push_back(std::move(view));
  }
  for (std::uint64_t i = 1; i <= 1'000; ++i)
    snapshot.queue.push_back({{i}, "p0", 0, {static_cast<std::int64_t>(i)}, spec, {}, 1, 0});
  snapshot.queueLength = snapshot.queue.size();
  return snapshot;
}

/// What control writes for a group of submissions.
control::ChangeSet groupOf(std::uint64_t first, std::size_t count, const model::SpecPtr& spec) {
  control::ChangeSet changes;
  changes.specs.push_back(spec);
  for (auto n = first; n < first + count; ++n) {
    model::Workload row;
    row.id = {n};
    row.name = fmt::format("job-{:010}", n);
    row.project = "p0";
    row.submitter = row.unixUser = "root";
    row.spec = spec;
    row.submittedAt = row.queuedAt = {1'700'000'000'000};
    changes.workloads.push_back(row);
    changes.events.push_back({n, {1'700'000'000'000}, "workload.queued", "p0", {n}, {}, {}});
    model::AuditRecord audit;
    audit.sequence = n;
    audit.at = {1'700'000'000'000};
    audit.principal = "root";
    audit.action = "workload.submit";
    audit.object = toText(row.id);
    audit.project = "p0";
    audit.rule = "role admin of project p0";
    changes.audits.push_back(std::move(audit));
  }
  return changes;
}

double commitMicros(const Setting& setting, std::size_t group, const model::SpecPtr& spec) {
  const TemporaryFolder folder;
  auto store = store::openSqlite({.path = folder.path() / "bench.db"});
  if (!store) throw Failed(toText(store.error()));
  if (auto loaded = (*store)->load({.spec = [](auto&&) {},
                                    .workload = [](auto&&) {},
                                    .attempt = [](auto&&) {},
                                    .intent = [](auto&&) {},
                                    .version = [](auto&&) {},
                                    .idempotency = [](auto&&) {}});
      !loaded)
    throw Failed(toText(loaded.error()));
  std::uint64_t next = 1;
  const int commits = std::max(2, static_cast<int>(100 * setting.scale));
  return microsecondsOf(CLOCK_MONOTONIC, commits,
                        [&] {
                          if (auto done = (*store)->commit(groupOf(next, group, spec)); !done)
                            throw Failed(toText(done.error()));
                          next += group;
                        }) /
         static_cast<double>(group);
}

}  // namespace

void benchMicro(const Setting& setting, Report& report) {
  const auto add = [&](std::string name, double micros) {
    report.add({std::move(name), micros, "us", Better::lower, {}, {}});
  };
  const auto scaled = [&](int times) { return std::max(2, static_cast<int>(times * setting.scale)); };
  const auto text = workloadDocument(0, 7);
  const auto spec = decoded(text);
  add("micro.decode_us", microsecondsOf(CLOCK_THREAD_CPUTIME_ID, scaled(5'000), [&] { (void)decoded(text); }));
  const auto snapshot = busyCluster(spec);
  const auto planAt = [&](std::int64_t now) {
    return microsecondsOf(CLOCK_THREAD_CPUTIME_ID, scaled(20), [&] { (void)policy::plan(snapshot, {}, {now}); });
  };
  add("micro.plan1000_us", planAt(2'000));
  add("micro.plan1000_reserved_us", planAt(2'000'000));  // the first blocked one has waited long enough
  add("micro.commit64_us", commitMicros(setting, 64, spec));
  add("micro.commit1000_us", commitMicros(setting, 1'000, spec));
}

}  // namespace fairlead::bench
