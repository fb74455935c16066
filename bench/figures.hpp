// Figures: what a measurement found, beside its goal and its peer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::bench {

enum class Better : unsigned char { higher, lower };

/// `submit.per_s`: the part before the dot names the measurement. The names and goals of the promised ones are fixed.
struct Figure {
  std::string name;
  double value = 0;
  std::string unit;
  Better better = Better::lower;
  std::optional<double> goal;
  std::optional<double> peer;  ///< the same measured on the peer, in the same run
};

/// Prints each figure as it comes: lines for people, or one JSON object a line. One thread.
class Report {
 public:
  explicit Report(bool json);
  void add(const Figure& figure);
  /// What a reader of the figures should know; people only.
  void note(std::string_view text) const;

 private:
  bool json_;
  std::string machine_, commit_;
};

[[nodiscard]] double median(std::vector<double> values);
/// `share` 0.99 gives the 99th percentile; 0 of an empty list.
[[nodiscard]] double percentile(std::vector<double> values, double share);

}  // namespace fairlead::bench
