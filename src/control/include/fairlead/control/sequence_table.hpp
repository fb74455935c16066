// Rows keyed by a sequence number: look-up in one step, iteration in order, no per-row node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace fairlead::control {

/// Keys are dense positive numbers that rise with time, so pages of 256 rows waste little. Not thread-safe by itself.
template <class Row>
class SequenceTable {
 public:
  [[nodiscard]] const Row* find(std::uint64_t key) const {
    const auto page = key / kPageRows;
    if (page >= pages_.size() || !pages_[page]) return nullptr;
    const auto& slot = (*pages_[page])[key % kPageRows];
    return slot ? &*slot : nullptr;
  }
  /// Inserts or replaces.
  void put(std::uint64_t key, Row row) {
    const auto page = key / kPageRows;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (!pages_[page]) pages_[page] = std::make_unique<Page>();
    auto& slot = (*pages_[page])[key % kPageRows];
    if (!slot) ++size_;
    slot = std::move(row);
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Visits rows with key < before (0: all) in falling order until `visit` returns false.
  template <class Visit>
  void visitDown(std::uint64_t before, Visit&& visit) const {
    std::uint64_t key = before == 0 ? pages_.size() * kPageRows : before;
    while (key-- > 0) {
      const auto page = key / kPageRows;
      if (page >= pages_.size() || !pages_[page]) {
        key = page * kPageRows;
        continue;
      }
      const auto& slot = (*pages_[page])[key % kPageRows];
      if (slot && !visit(*slot)) return;
    }
  }

 private:
  static constexpr std::size_t kPageRows = 256;
  using Page = std::array<std::optional<Row>, kPageRows>;
  std::vector<std::unique_ptr<Page>> pages_;
  std::size_t size_ = 0;
};

}  // namespace fairlead::control
