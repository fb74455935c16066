// Which part of the past has been read. Pure.
#pragma once

#include <fairlead/base/units.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::engine::slurm {

/// Half open: `from` belongs to it, `to` does not.
struct Window {
  TimePoint from, to;
  bool operator==(const Window&) const = default;
};

class Coverage {
 public:
  void add(Window window);
  /// Forgets that anything at or after `from` was read.
  void cut(TimePoint from);
  /// The latest part of [floor, top) that was not read, at most `span` of it; nothing: all was.
  [[nodiscard]] std::optional<Window> next(TimePoint floor, TimePoint top, Milliseconds span) const;
  /// Rising, apart from each other.
  [[nodiscard]] const std::vector<Window>& parts() const { return parts_; }

 private:
  std::vector<Window> parts_;
};

/// With a checksum; ends in a line break.
[[nodiscard]] std::string encodeCoverage(const Coverage& coverage);
/// Nothing for a text that is not whole.
[[nodiscard]] std::optional<Coverage> decodeCoverage(std::string_view text);

}  // namespace fairlead::engine::slurm
