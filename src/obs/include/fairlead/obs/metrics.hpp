// Metrics: declared once as constants, counted with atomics, rendered for Prometheus.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::obs {

enum class MetricKind : std::uint8_t { counter, gauge, histogram };

/// The one declaration of a metric. Make it `inline constexpr` in the `metrics.hpp` of the module that counts it:
///
///   inline constexpr MetricDef kSubmitDuration{.name = "fairlead_submit_duration_seconds", .help = "Submit until
///   answered.",
///       .kind = MetricKind::histogram, .labels = {"class"}, .perUnit = 1'000'000, .buckets = kLatencyBucketsUs};
///   static_assert(wellFormed(kSubmitDuration));
struct MetricDef {
  static constexpr std::size_t kMaxLabels = 4;

  std::string_view name;  ///< `fairlead_` first, the base unit last; counters end in `_total`
  std::string_view help;  ///< one sentence
  MetricKind kind = MetricKind::counter;
  std::array<std::string_view, kMaxLabels> labels{};  ///< from the front; values are given in this order
  std::int64_t perUnit =
      1;  ///< recorded numbers are divided by this: 1'000 when milliseconds are recorded for `_seconds`
  std::span<const std::int64_t> buckets{};  ///< upper bounds in recorded numbers, rising; histograms only

  [[nodiscard]] constexpr std::size_t labelCount() const {
    std::size_t count = 0;
    while (count < kMaxLabels && !labels[count].empty()) ++count;
    return count;
  }
};

/// 100 us to 10 s, for durations recorded in microseconds (`perUnit = 1'000'000`).
inline constexpr std::array<std::int64_t, 14> kLatencyBucketsUs{
    100, 250, 500, 1'000, 2'500, 5'000, 10'000, 25'000, 50'000, 100'000, 250'000, 1'000'000, 2'500'000, 10'000'000};

/// Naming rules of Prometheus and of this project. Checked again when a metric is declared.
[[nodiscard]] constexpr bool wellFormed(const MetricDef& def);

namespace detail {
struct HistogramCells {
  explicit HistogramCells(std::span<const std::int64_t> upperBounds);
  std::span<const std::int64_t> bounds;
  std::unique_ptr<std::atomic<std::int64_t>[]> counts;  ///< one per bound and one above the last
  std::atomic<std::int64_t> sum{0};
};
}  // namespace detail

/// Handles: two words, copyable, wait-free, thread-safe. A default-made one counts nowhere. They must not outlive the
/// registry.
class Counter {
 public:
  Counter() = default;
  explicit Counter(std::atomic<std::int64_t>* cell) : cell_(cell) {}
  /// `amount` >= 0.
  void add(std::int64_t amount = 1) const {
    if (cell_ != nullptr) cell_->fetch_add(amount, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t>* cell_ = nullptr;
};

class Gauge {
 public:
  Gauge() = default;
  explicit Gauge(std::atomic<std::int64_t>* cell) : cell_(cell) {}
  void set(std::int64_t value) const {
    if (cell_ != nullptr) cell_->store(value, std::memory_order_relaxed);
  }
  void add(std::int64_t amount) const {
    if (cell_ != nullptr) cell_->fetch_add(amount, std::memory_order_relaxed);
  }

 private:
  std::atomic<std::int64_t>* cell_ = nullptr;
};

class Histogram {
 public:
  Histogram() = default;
  explicit Histogram(detail::HistogramCells* cells) : cells_(cells) {}
  void observe(std::int64_t value) const;

 private:
  detail::HistogramCells* cells_ = nullptr;
};

/// All metrics of one daemon. Thread-safe. Looking a handle up takes a lock: do it once and keep the handle.
/// A metric has at most 1,000 label combinations; later ones are counted together under the label value `other`.
class Metrics {
 public:
  using LabelValues = std::initializer_list<std::string_view>;

  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// Makes a metric known, so that documentation lists it, and shows it as 0 when it has no labels. Handles declare by
  /// themselves.
  void declare(std::initializer_list<const MetricDef*> definitions);

  [[nodiscard]] Counter counter(const MetricDef& def, LabelValues values = {});
  [[nodiscard]] Gauge gauge(const MetricDef& def, LabelValues values = {});
  [[nodiscard]] Histogram histogram(const MetricDef& def, LabelValues values = {});

  /// Text format 0.0.4, in order of name and label values; kMetricsContentType goes with it.
  [[nodiscard]] std::string render() const;
  /// All declared, in order of name.
  [[nodiscard]] std::vector<const MetricDef*> declarations() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

inline constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

/// A table of name, kind, labels and meaning, in Markdown.
[[nodiscard]] std::string metricsDocs(std::span<const MetricDef* const> definitions);

constexpr bool wellFormed(const MetricDef& def) {
  constexpr auto word = [](std::string_view text) {
    if (text.empty() || text.front() < 'a' || text.front() > 'z' || text.ends_with('_')) return false;
    for (char c : text)
      if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
    return true;
  };
  if (!word(def.name) || !def.name.starts_with("fairlead_") || def.help.empty() || def.perUnit < 1) return false;
  if (def.name.ends_with("_total") != (def.kind == MetricKind::counter)) return false;
  if (def.name.ends_with("_count") || def.name.ends_with("_sum") || def.name.ends_with("_bucket")) return false;
  if (def.buckets.empty() == (def.kind == MetricKind::histogram)) return false;
  for (std::size_t i = 1; i < def.buckets.size(); ++i)
    if (def.buckets[i] <= def.buckets[i - 1]) return false;
  for (std::size_t i = 0; i < MetricDef::kMaxLabels; ++i)
    if (i < def.labelCount() ? !word(def.labels[i]) || def.labels[i] == "le" : !def.labels[i].empty()) return false;
  return true;
}

}  // namespace fairlead::obs
