#include <fairlead/obs/errors.hpp>
#include <fairlead/obs/log.hpp>

#include <fmt/format.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <atomic>
#include <mutex>

namespace fairlead::obs {
namespace {

using SpdSink = std::shared_ptr<spdlog::sinks::sink>;

SpdSink makeSpdSink(const LogConfig& config) {
  SpdSink sink;
  if (config.file.empty())
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  else
    sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(config.file);
  sink->set_formatter(std::make_unique<spdlog::pattern_formatter>("%v", spdlog::pattern_time_type::utc));
  return sink;
}

Result<SpdSink> tryMakeSpdSink(const LogConfig& config) {
  try {
    return makeSpdSink(config);
  } catch (const std::exception& e) {
    return fail(kLogFileNotOpened, fmt::format("log file {}: {}", printable(config.file), printable(e.what())),
                "check that the folder exists and may be written");
  }
}

class SpdLogSink final : public LogSink {
 public:
  SpdLogSink(LogConfig config, SpdSink sink) : config_(std::move(config)), sink_(std::move(sink)) {}

  void write(const LogRecord& record) override {
    const auto line = formatRecord(record, config_.format);
    const std::lock_guard lock(mutex_);
    try {
      sink_->log(spdlog::details::log_msg(spdlog::string_view_t{}, spdlog::level::info, line));
      sink_->flush();  // a line that was logged survives a crash of the process
    } catch (const std::exception&) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  Result<void> reopen() override {
    auto fresh = tryMakeSpdSink(config_);
    if (!fresh) return tl::unexpected(std::move(fresh).error());
    const std::lock_guard lock(mutex_);
    sink_ = std::move(*fresh);
    return {};
  }

  [[nodiscard]] std::int64_t dropped() const override { return dropped_.load(std::memory_order_relaxed); }

 private:
  const LogConfig config_;
  std::mutex mutex_;
  SpdSink sink_;
  std::atomic<std::int64_t> dropped_{0};
};

}  // namespace

Result<std::shared_ptr<LogSink>> openLogSink(const LogConfig& config) {
  auto sink = tryMakeSpdSink(config);
  if (!sink) return tl::unexpected(std::move(sink).error());
  return std::make_shared<SpdLogSink>(config, std::move(*sink));
}

}  // namespace fairlead::obs
