// Structured, synchronous logging. A Logger is a small value that is passed to whoever logs; there is no global one.
#pragma once

#include <fairlead/base/clock.hpp>
#include <fairlead/base/enum_text.hpp>
#include <fairlead/base/ids.hpp>
#include <fairlead/base/result.hpp>
#include <fairlead/base/secret.hpp>
#include <fairlead/base/text.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fairlead {

namespace obs {

enum class LogLevel : std::uint8_t { debug, info, warn, error };
enum class LogFormat : std::uint8_t { text, json };

}  // namespace obs

template <>
inline constexpr auto kEnumNames<obs::LogLevel> =
    std::to_array<std::pair<obs::LogLevel, std::string_view>>({{obs::LogLevel::debug, "debug"},
                                                               {obs::LogLevel::info, "info"},
                                                               {obs::LogLevel::warn, "warn"},
                                                               {obs::LogLevel::error, "error"}});
template <>
inline constexpr auto kEnumNames<obs::LogFormat> = std::to_array<std::pair<obs::LogFormat, std::string_view>>(
    {{obs::LogFormat::text, "text"}, {obs::LogFormat::json, "json"}});

namespace obs {

/// The keys that tie lines of one story together. Use these, not spellings of your own.
inline constexpr std::string_view kRequestKey = "request";
inline constexpr std::string_view kWorkloadKey = "workload";
inline constexpr std::string_view kAttemptKey = "attempt";
inline constexpr std::string_view kModuleKey = "module";
inline constexpr std::string_view kErrorKey = "error";

/// One key and value. The key is a string literal; the value is copied. Values may be untrusted: they are escaped and
/// cut when written, never before.
struct Field {
  Field(std::string_view name, std::string text) : key(name), value(std::move(text)) {}
  Field(std::string_view name, std::string_view text) : key(name), value(std::string(text)) {}
  Field(std::string_view name, const char* text) : key(name), value(std::string(text)) {}
  template <std::integral Number>
  Field(std::string_view name, Number number) : key(name) {
    if constexpr (std::same_as<Number, bool>)
      value = number;
    else if (std::in_range<std::int64_t>(number))
      value = static_cast<std::int64_t>(number);
    else
      value = std::to_string(number);
  }
  template <class Tag>
  Field(std::string_view name, Id<Tag> id) : key(name), value(toText(id)) {}
  Field(std::string_view name, Milliseconds span) : key(name), value(toText(span)) {}
  Field(std::string_view name, TimePoint moment) : key(name), value(toText(moment)) {}
  Field(std::string_view name, const Error& error) : key(name), value(toText(error)) {}
  Field(std::string_view name, const Secret& secret) : key(name), value(toText(secret)) {}

  std::string_view key;
  std::variant<std::string, std::int64_t, bool> value;
};

/// One line, as a sink sees it. The views live during the call only.
struct LogRecord {
  TimePoint at;
  LogLevel level = LogLevel::info;
  std::string_view message;
  std::span<const Field> fields;
};

/// The line without its newline. Messages and values are cut to 2 KiB, fields to 64; control characters and broken
/// UTF-8 are escaped, so one record is always one line. Keys that the line itself uses (time, level, message) get a
/// trailing underscore.
[[nodiscard]] std::string formatRecord(const LogRecord& record, LogFormat format);

/// Where lines go. Thread-safe; must not throw: a full disk costs lines, not the daemon.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void write(const LogRecord& record) = 0;
  /// Opens the file anew (after logrotate moved it). On failure the old file stays in use.
  virtual Result<void> reopen() { return {}; }
  /// Lines that could not be written.
  [[nodiscard]] virtual std::int64_t dropped() const { return 0; }
};

struct LogConfig {
  LogFormat format = LogFormat::text;
  std::string file;  ///< appended to; empty: standard error
};

[[nodiscard]] Result<std::shared_ptr<LogSink>> openLogSink(const LogConfig& config);

/// Cheap to copy, thread-safe. A default-made one is silent.
class Logger {
 public:
  Logger() = default;
  /// `clock` must outlive every copy.
  Logger(std::shared_ptr<LogSink> sink, const ClockPort& clock, LogLevel lowest = LogLevel::info);

  /// The same logger with these fields on every line; a field of the call replaces one of the same key.
  [[nodiscard]] Logger with(std::initializer_list<Field> fields) const;

  [[nodiscard]] bool enabled(LogLevel level) const;
  /// For this logger and all that share its origin.
  void setLevel(LogLevel lowest) const;

  void log(LogLevel level, std::string_view message, std::initializer_list<Field> fields = {}) const;
  void debug(std::string_view message, std::initializer_list<Field> fields = {}) const {
    log(LogLevel::debug, message, fields);
  }
  void info(std::string_view message, std::initializer_list<Field> fields = {}) const {
    log(LogLevel::info, message, fields);
  }
  void warn(std::string_view message, std::initializer_list<Field> fields = {}) const {
    log(LogLevel::warn, message, fields);
  }
  void error(std::string_view message, std::initializer_list<Field> fields = {}) const {
    log(LogLevel::error, message, fields);
  }

 private:
  struct Core;
  std::shared_ptr<Core> core_;
  std::shared_ptr<const std::vector<Field>> context_;
};

}  // namespace obs
}  // namespace fairlead
