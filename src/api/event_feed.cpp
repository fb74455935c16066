#include "event_feed.hpp"

#include "shapes/record_views.hpp"

#include <fairlead/api/errors.hpp>
#include <fairlead/net/sse.hpp>

#include <fmt/format.h>

namespace fairlead::api {
namespace {

std::shared_ptr<const std::string> textOf(const model::Event& event) {
  return std::make_shared<const std::string>(
      net::formatEvent(std::to_string(event.sequence), event.kind, shapeOf<model::Event>().text(event)));
}

/// Tells the client that events are missing, where to go on, and that the state must be read again first.
std::string resetText(std::uint64_t head) {
  return net::formatEvent(
      std::to_string(head), "reset",
      fmt::format(
          R"({{"head":{},"reason":"events after the asked one are gone; read the state again, then go on from here"}})",
          head));
}

constexpr std::size_t kSweepAbove = 64;

bool isOver(const std::weak_ptr<net::EventStream>& weak) {
  const auto stream = weak.lock();
  return !stream || stream->closed();
}

}  // namespace

EventFeed::EventFeed(control::Control& control, std::size_t maxStreams, obs::Gauge open)
    : control_(control), limit_(maxStreams), gauge_(open) {}

/// One rendering serves all listeners of an event, who are told one after another.
std::shared_ptr<const std::string> EventFeed::render(const model::Event& event) {
  {
    const std::lock_guard lock(mutex_);
    if (renderedSequence_ == event.sequence && rendered_) return rendered_;
  }
  auto text = textOf(event);
  const std::lock_guard lock(mutex_);
  renderedSequence_ = event.sequence;
  rendered_ = text;
  return text;
}

void EventFeed::keep(const std::shared_ptr<net::EventStream>& stream) {
  const auto left = open_->fetch_add(1) + 1;
  gauge_.set(static_cast<std::int64_t>(left));
  stream->onClose([open = open_, gauge = gauge_] { gauge.set(static_cast<std::int64_t>(open->fetch_sub(1) - 1)); });
  bool many = false;
  {
    const std::lock_guard lock(mutex_);
    streams_.push_back(stream);
    many = streams_.size() > kSweepAbove + 2 * open_->load();
    if (many) std::erase_if(streams_, [](const auto& weak) { return isOver(weak); });
  }
  if (many) control_.events().sweep();
}

void EventFeed::open(const CallPtr& call, Filter filter, std::uint64_t after) {
  if (open_->load() >= limit_) {
    call->fail(Error{&kBusy,
                     fmt::format("{} event streams are open, which is the limit", limit_),
                     {},
                     {},
                     "close some, or read lists instead"});
    return;
  }
  net::StreamOptions options;
  options.headers.emplace_back("Cache-Control", "no-store");
  options.headers.emplace_back("X-Accel-Buffering", "no");
  auto stream = call->stream(std::move(options));
  keep(stream);
  stream->send(fmt::format(": from {}\nretry: 1000\n\n", after));
  const auto project = filter.project;
  auto listener = [this, stream, filter = std::move(filter)](const model::Event& event) {
    if (stream->closed()) return false;
    if (event.sequence == 0) return true;
    if (filter.workload && event.workload != filter.workload) return true;
    if (filter.visible && !filter.visible(event.project)) return true;
    return stream->send(render(event));
  };
  const auto outcome = control_.events().subscribe(project, after, std::move(listener));
  if (outcome && *outcome == control::SubscribeOutcome::live) return;
  if (outcome) stream->send(resetText(control_.events().head()));
  stream->close();
}

void EventFeed::closeAll() {
  std::vector<std::weak_ptr<net::EventStream>> streams;
  {
    const std::lock_guard lock(mutex_);
    streams.swap(streams_);
  }
  for (const auto& weak : streams)
    if (const auto stream = weak.lock()) stream->close();
  control_.events().sweep();
}

}  // namespace fairlead::api
