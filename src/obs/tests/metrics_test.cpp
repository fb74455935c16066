#include <fairlead/obs/metrics.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace fairlead::obs {
namespace {

constexpr MetricDef kSubmits{
    .name = "fairlead_submits_total", .help = "Workloads accepted.", .labels = {"class", "project"}};
constexpr MetricDef kQueued{
    .name = "fairlead_queued_workloads", .help = "Workloads that wait.", .kind = MetricKind::gauge};
constexpr MetricDef kBusy{.name = "fairlead_busy_seconds_total", .help = "Time spent planning.", .perUnit = 1000};
constexpr std::array<std::int64_t, 2> kBounds{1000, 5000};
constexpr MetricDef kDuration{.name = "fairlead_request_duration_seconds",
                              .help = "Request until answered.",
                              .kind = MetricKind::histogram,
                              .perUnit = 1000,
                              .buckets = kBounds};
static_assert(wellFormed(kSubmits) && wellFormed(kQueued) && wellFormed(kBusy) && wellFormed(kDuration));

bool has(const std::string& text, std::string_view line) {
  return text.find(std::string(line) + "\n") != std::string::npos;
}

TEST(Metrics, countersAndGaugesRender) {
  Metrics metrics;
  const auto submits = metrics.counter(kSubmits, {"training", "nlp"});
  submits.add();
  submits.add(2);
  metrics.counter(kSubmits, {"training", "nlp"}).add();
  metrics.gauge(kQueued).set(7);
  metrics.gauge(kQueued).add(-2);
  metrics.counter(kBusy).add(1500);
  const auto text = metrics.render();
  EXPECT_TRUE(has(text, R"(fairlead_submits_total{class="training",project="nlp"} 4)")) << text;
  EXPECT_TRUE(has(text, "# TYPE fairlead_submits_total counter")) << text;
  EXPECT_TRUE(has(text, "fairlead_queued_workloads 5")) << text;
  EXPECT_TRUE(has(text, "fairlead_busy_seconds_total 1.5")) << text;
}

TEST(Metrics, histogramBucketsAreCumulativeAndBoundsInclusive) {
  Metrics metrics;
  const auto duration = metrics.histogram(kDuration);
  for (const std::int64_t ms : {0, 1000, 1001, 5000, 5001}) duration.observe(ms);
  const auto text = metrics.render();
  EXPECT_TRUE(has(text, R"(fairlead_request_duration_seconds_bucket{le="1"} 2)")) << text;
  EXPECT_TRUE(has(text, R"(fairlead_request_duration_seconds_bucket{le="5"} 4)")) << text;
  EXPECT_TRUE(has(text, R"(fairlead_request_duration_seconds_bucket{le="+Inf"} 5)")) << text;
  EXPECT_TRUE(has(text, "fairlead_request_duration_seconds_count 5")) << text;
  EXPECT_NE(text.find("fairlead_request_duration_seconds_sum 12.002"), std::string::npos) << text;
}

TEST(Metrics, declaredWithoutLabelsShowsZeroAndIsListed) {
  Metrics metrics;
  metrics.declare({&kQueued, &kSubmits});
  EXPECT_TRUE(has(metrics.render(), "fairlead_queued_workloads 0"));
  EXPECT_EQ(metrics.declarations(), (std::vector<const MetricDef*>{&kQueued, &kSubmits}));
  const auto docs = metricsDocs(metrics.declarations());
  EXPECT_NE(docs.find("| `fairlead_submits_total` | counter | `class`, `project` | Workloads accepted. |"),
            std::string::npos);
}

TEST(Metrics, untrustedLabelValuesAreEscapedAndTheirNumberIsBounded) {
  Metrics metrics;
  metrics.counter(kSubmits, {"a\"b\\c\nd\xff", "p"}).add();
  for (int i = 0; i < 5000; ++i) metrics.counter(kSubmits, {"training", std::to_string(i)}).add();
  const auto text = metrics.render();
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 1010);
  EXPECT_TRUE(has(text, R"(fairlead_submits_total{class="other",project="other"} 4001)"));
  EXPECT_NE(text.find(R"(class="a\"b\\c\\x0ad\\xff")"), std::string::npos) << text.substr(0, 500);
}

TEST(Metrics, handlesAreSafeFromManyThreadsAndSilentWhenDefaultMade) {
  Metrics metrics;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&metrics] {
      const auto counter = metrics.counter(kSubmits, {"training", "nlp"});
      const auto histogram = metrics.histogram(kDuration);
      for (int i = 0; i < 10'000; ++i) {
        counter.add();
        histogram.observe(i);
      }
    });
  for (auto& thread : threads) thread.join();
  const auto text = metrics.render();
  EXPECT_TRUE(has(text, R"(fairlead_submits_total{class="training",project="nlp"} 40000)"));
  EXPECT_TRUE(has(text, "fairlead_request_duration_seconds_count 40000"));
  Counter{}.add();
  Gauge{}.set(1);
  Histogram{}.observe(1);
}

TEST(Metrics, badDeclarationsAreToldApart) {
  constexpr auto with = [](std::string_view name, MetricKind kind) {
    return MetricDef{.name = name, .help = "x", .kind = kind};
  };
  static_assert(!wellFormed(with("fairlead_submits", MetricKind::counter)), "counters end in _total");
  static_assert(!wellFormed(with("fairlead_queue_total", MetricKind::gauge)), "only counters end in _total");
  static_assert(!wellFormed(with("submits_total", MetricKind::counter)), "prefix");
  static_assert(!wellFormed(with("fairlead_Submits_total", MetricKind::counter)), "case");
  static_assert(!wellFormed(with("fairlead_duration_seconds", MetricKind::histogram)), "no buckets");
  Metrics metrics;
  const auto bad = with("fairlead_submits", MetricKind::counter);
  EXPECT_DEATH((void)metrics.counter(bad), "fairlead_submits");
}

TEST(Metrics, promtoolFindsNothingToSay) {
  const auto missing = std::system("command -v promtool >/dev/null 2>&1");  // tidy: allow shell: a fixed text
  if (missing != 0) GTEST_SKIP() << "promtool (package prometheus) is not installed";
  Metrics metrics;
  metrics.counter(kSubmits, {"a\"b\n", "p"}).add();
  metrics.gauge(kQueued).set(1);
  metrics.counter(kBusy).add(1);
  metrics.histogram(kDuration).observe(3);
  std::string path = (std::filesystem::temp_directory_path() / "fairlead-metrics-XXXXXX").string();
  close(mkstemp(path.data()));
  std::ofstream(path) << metrics.render();
  const auto command = "promtool check metrics < " + path;
  EXPECT_EQ(std::system(command.c_str()), 0);  // tidy: allow shell: the path is our own
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace fairlead::obs
