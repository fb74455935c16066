#include <fairlead/base/assert.hpp>
#include <fairlead/base/text.hpp>
#include <fairlead/obs/metrics.hpp>

#include <fmt/format.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

namespace fairlead::obs {

detail::HistogramCells::HistogramCells(std::span<const std::int64_t> upperBounds)
    : bounds(upperBounds), counts(new std::atomic<std::int64_t>[upperBounds.size() + 1]()) {}

void Histogram::observe(std::int64_t value) const {
  if (cells_ == nullptr) return;
  const auto bucket = std::lower_bound(cells_->bounds.begin(), cells_->bounds.end(), value) - cells_->bounds.begin();
  cells_->counts[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
  cells_->sum.fetch_add(value, std::memory_order_relaxed);
}

namespace {

constexpr std::size_t kMaxSeries = 1000;
using Labels = std::vector<std::string>;

/// Cells never move or go while the registry lives: handles point at them.
struct Series {
  std::atomic<std::int64_t> value{0};
  std::unique_ptr<detail::HistogramCells> histogram;
};

struct Family {
  const MetricDef* def = nullptr;
  std::map<Labels, std::unique_ptr<Series>> series;
};

double scaled(const MetricDef& def, std::int64_t recorded) {
  return static_cast<double>(recorded) / static_cast<double>(def.perUnit);
}

prometheus::ClientMetric::Histogram histogramValue(const MetricDef& def, const detail::HistogramCells& cells) {
  prometheus::ClientMetric::Histogram out;
  out.sample_sum = scaled(def, cells.sum.load(std::memory_order_relaxed));
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i <= cells.bounds.size(); ++i) {
    cumulative += static_cast<std::uint64_t>(cells.counts[i].load(std::memory_order_relaxed));
    const double bound =
        i < cells.bounds.size() ? scaled(def, cells.bounds[i]) : std::numeric_limits<double>::infinity();
    out.bucket.push_back({cumulative, bound});
  }
  out.sample_count = cumulative;
  return out;
}

prometheus::ClientMetric metricOf(const MetricDef& def, const Labels& labels, const Series& series) {
  prometheus::ClientMetric metric;
  for (std::size_t i = 0; i < labels.size(); ++i) metric.label.push_back({std::string(def.labels[i]), labels[i]});
  if (def.kind == MetricKind::histogram)
    metric.histogram = histogramValue(def, *series.histogram);
  else if (def.kind == MetricKind::counter)
    metric.counter.value = scaled(def, series.value.load(std::memory_order_relaxed));
  else
    metric.gauge.value = scaled(def, series.value.load(std::memory_order_relaxed));
  return metric;
}

prometheus::MetricType typeOf(MetricKind kind) {
  switch (kind) {
    case MetricKind::counter:
      return prometheus::MetricType::Counter;
    case MetricKind::gauge:
      return prometheus::MetricType::Gauge;
    case MetricKind::histogram:
      return prometheus::MetricType::Histogram;
  }
  FL_ASSERT(false, "metric kind");
}

std::string_view kindText(MetricKind kind) {
  switch (kind) {
    case MetricKind::counter:
      return "counter";
    case MetricKind::gauge:
      return "gauge";
    case MetricKind::histogram:
      return "histogram";
  }
  FL_ASSERT(false, "metric kind");
}

Series& seriesAt(Family& family, Labels labels) {
  if (family.series.size() >= kMaxSeries && !family.series.contains(labels)) labels.assign(labels.size(), "other");
  auto& series = family.series[std::move(labels)];
  if (!series) {
    series = std::make_unique<Series>();
    if (family.def->kind == MetricKind::histogram)
      series->histogram = std::make_unique<detail::HistogramCells>(family.def->buckets);
  }
  return *series;
}

}  // namespace

struct Metrics::State {
  mutable std::mutex mutex;
  std::map<std::string_view, Family> families;

  Family& declared(const MetricDef& def) {
    FL_ASSERT(wellFormed(def), def.name);
    auto& family = families[def.name];
    FL_ASSERT(family.def == nullptr || family.def == &def || family.def->kind == def.kind, "two metrics of one name");
    if (family.def == nullptr) {
      family.def = &def;
      if (def.labelCount() == 0) seriesAt(family, {});
    }
    return family;
  }

  Series& find(const MetricDef& def, MetricKind kind, LabelValues values) {
    FL_ASSERT(def.kind == kind && values.size() == def.labelCount(), def.name);
    Labels labels;
    for (const auto value : values) labels.push_back(printable(value, 100));
    const std::lock_guard lock(mutex);
    return seriesAt(declared(def), std::move(labels));
  }
};

Metrics::Metrics() : state_(std::make_unique<State>()) {}
Metrics::~Metrics() = default;

void Metrics::declare(std::initializer_list<const MetricDef*> definitions) {
  const std::lock_guard lock(state_->mutex);
  for (const auto* def : definitions) state_->declared(*def);
}

Counter Metrics::counter(const MetricDef& def, LabelValues values) {
  return Counter(&state_->find(def, MetricKind::counter, values).value);
}

Gauge Metrics::gauge(const MetricDef& def, LabelValues values) {
  return Gauge(&state_->find(def, MetricKind::gauge, values).value);
}

Histogram Metrics::histogram(const MetricDef& def, LabelValues values) {
  return Histogram(state_->find(def, MetricKind::histogram, values).histogram.get());
}

std::string Metrics::render() const {
  std::vector<prometheus::MetricFamily> families;
  {
    const std::lock_guard lock(state_->mutex);
    for (const auto& [name, family] : state_->families) {
      prometheus::MetricFamily out{std::string(name), std::string(family.def->help), typeOf(family.def->kind), {}};
      for (const auto& [labels, series] : family.series) out.metric.push_back(metricOf(*family.def, labels, *series));
      if (!out.metric.empty()) families.push_back(std::move(out));
    }
  }
  return prometheus::TextSerializer().Serialize(families);
}

std::vector<const MetricDef*> Metrics::declarations() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<const MetricDef*> definitions;
  for (const auto& [name, family] : state_->families) definitions.push_back(family.def);
  return definitions;
}

std::string metricsDocs(std::span<const MetricDef* const> definitions) {
  std::string text = "| metric | kind | labels | meaning |\n| --- | --- | --- | --- |\n";
  for (const auto* def : definitions) {
    std::string labels;
    for (std::size_t i = 0; i < def->labelCount(); ++i)
      labels += fmt::format("{}`{}`", i > 0 ? ", " : "", def->labels[i]);
    text += fmt::format("| `{}` | {} | {} | {} |\n", def->name, kindText(def->kind), labels, def->help);
  }
  return text;
}

}  // namespace fairlead::obs
