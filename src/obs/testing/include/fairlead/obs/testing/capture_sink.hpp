// A log sink that keeps lines, for tests.
#pragma once

#include <fairlead/obs/log.hpp>

#include <mutex>
#include <string>
#include <vector>

namespace fairlead::obs::testing {

/// Thread-safe. Keeps every line as it would be written.
class CaptureSink final : public LogSink {
 public:
  explicit CaptureSink(LogFormat format = LogFormat::text) : format_(format) {}

  void write(const LogRecord& record) override {
    const std::lock_guard lock(mutex_);
    lines_.push_back(formatRecord(record, format_));
  }

  [[nodiscard]] std::vector<std::string> lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

  /// True when a line holds all of `parts`.
  [[nodiscard]] bool contains(std::initializer_list<std::string_view> parts) const {
    for (const auto& line : lines()) {
      bool all = true;
      for (const auto part : parts) all = all && line.find(part) != std::string::npos;
      if (all) return true;
    }
    return false;
  }

 private:
  LogFormat format_;
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace fairlead::obs::testing
