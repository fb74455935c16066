#include <fairlead/obs/log.hpp>

#include <algorithm>
#include <atomic>

namespace fairlead::obs {

struct Logger::Core {
  std::shared_ptr<LogSink> sink;
  const ClockPort& clock;
  std::atomic<LogLevel> lowest;
};

namespace {

/// `context` without what `fields` says anew, then `fields`.
std::vector<Field> merged(const std::vector<Field>* context, std::initializer_list<Field> fields) {
  std::vector<Field> all;
  all.reserve((context != nullptr ? context->size() : 0) + fields.size());
  if (context != nullptr)
    for (const auto& field : *context)
      if (std::none_of(fields.begin(), fields.end(), [&](const Field& newer) { return newer.key == field.key; }))
        all.push_back(field);
  all.insert(all.end(), fields.begin(), fields.end());
  return all;
}

}  // namespace

Logger::Logger(std::shared_ptr<LogSink> sink, const ClockPort& clock, LogLevel lowest)
    : core_(std::shared_ptr<Core>(new Core{std::move(sink), clock, lowest})) {}

Logger Logger::with(std::initializer_list<Field> fields) const {
  Logger child = *this;
  if (core_) child.context_ = std::make_shared<const std::vector<Field>>(merged(context_.get(), fields));
  return child;
}

bool Logger::enabled(LogLevel level) const { return core_ && level >= core_->lowest.load(std::memory_order_relaxed); }

void Logger::setLevel(LogLevel lowest) const {
  if (core_) core_->lowest.store(lowest, std::memory_order_relaxed);
}

void Logger::log(LogLevel level, std::string_view message, std::initializer_list<Field> fields) const {
  if (!enabled(level)) return;
  const auto all = merged(context_.get(), fields);
  core_->sink->write({core_->clock.now(), level, message, all});
}

}  // namespace fairlead::obs
