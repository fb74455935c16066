#include <fairlead/obs/log_limit.hpp>

#include <algorithm>

namespace fairlead::obs {

namespace {
constexpr std::size_t kMaxKeys = 1024;
}  // namespace

std::optional<LogLimit::Pass> LogLimit::pass(std::string_view key, Milliseconds monotonic) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(key);
  if (found == entries_.end()) {
    if (entries_.size() >= kMaxKeys) forgetOldest();
    entries_.emplace(std::string(key), Entry{monotonic});
    return Pass{};
  }
  auto& entry = found->second;
  if (monotonic - entry.lastPassed < interval_) {
    ++entry.suppressed;
    return {};
  }
  const Pass pass{entry.suppressed};
  entry = Entry{monotonic};
  return pass;
}

void LogLimit::forgetOldest() {
  entries_.erase(std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
    return a.second.lastPassed < b.second.lastPassed;
  }));
}

}  // namespace fairlead::obs
