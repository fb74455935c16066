#include "log_follower.hpp"

#include <fairlead/api/errors.hpp>
#include <fairlead/net/sse.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::api {
namespace {

constexpr std::size_t kChunk = 64 * 1024;
constexpr std::int64_t kQueuedEnough = 256 * 1024;
constexpr auto kLongestPause = std::chrono::milliseconds(1'000);

net::StreamOptions optionsOf(const LogFollower::Order& order) {
  net::StreamOptions options;
  options.headers.emplace_back("Cache-Control", "no-store");
  options.headers.emplace_back("X-Content-Type-Options", "nosniff");
  if (order.events) return options;
  options.contentType = "text/plain; charset=utf-8";
  options.heartbeat = {0};
  return options;
}

}  // namespace

LogFollower::LogFollower(control::Control& control, std::size_t limit, Milliseconds poll, obs::Gauge open)
    : control_(control), limit_(limit), poll_(std::chrono::milliseconds(poll.count)), gauge_(open), thread_([this] {
        run();
      }) {}

void LogFollower::follow(const CallPtr& call, Order order) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || open_ >= limit_) {
      call->fail(Error{
          &kBusy, fmt::format("{} logs are being followed, which is the limit", open_), {}, {}, "read without follow"});
      return;
    }
    ++open_;
    gauge_.set(static_cast<std::int64_t>(open_));
  }
  auto follower = std::make_unique<Follower>();
  follower->stream = call->stream(optionsOf(order));
  follower->order = std::move(order);
  follower->next = Clock::now();
  follower->pause = poll_;
  {
    const std::lock_guard lock(mutex_);
    arrived_.push_back(std::move(follower));
  }
  wake_.notify_one();
}

void LogFollower::closeAll() {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  wake_.notify_one();
}

void LogFollower::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void LogFollower::run() {
  std::vector<std::unique_ptr<Follower>> all;
  while (true) {
    auto due = Clock::time_point::max();
    for (const auto& follower : all) due = std::min(due, follower->next);
    {
      std::unique_lock lock(mutex_);
      const auto woken = [&] { return stopping_ || closing_ || !arrived_.empty(); };
      if (due == Clock::time_point::max())
        wake_.wait(lock, woken);
      else
        wake_.wait_until(lock, due, woken);
      std::move(arrived_.begin(), arrived_.end(), std::back_inserter(all));
      arrived_.clear();
      if (stopping_ || std::exchange(closing_, false)) all.clear();
      open_ = all.size();
      gauge_.set(static_cast<std::int64_t>(open_));
      if (stopping_) return;
    }
    const auto now = Clock::now();
    std::erase_if(all, [&](const auto& follower) {
      if (follower->next > now) return false;
      const auto progress = advance(*follower);
      follower->pause =
          progress == Progress::grew ? poll_ : std::min<Clock::duration>(follower->pause * 3 / 2, kLongestPause);
      follower->next = now + follower->pause;
      return progress == Progress::over;
    });
    const std::lock_guard lock(mutex_);
    open_ = all.size() + arrived_.size();
    gauge_.set(static_cast<std::int64_t>(open_));
  }
}

bool LogFollower::findAttempt(Follower& follower, bool& over) const {
  auto& order = follower.order;
  if (order.query.attempt) return true;
  control_.read([&](const control::State& state) {
    const auto* row = state.workload(order.workload);
    if (row == nullptr) {
      over = true;
      return;
    }
    order.query.attempt = row->currentAttempt;
    over = !row->currentAttempt && model::isFinal(row->state);
  });
  return static_cast<bool>(order.query.attempt);
}

bool LogFollower::attemptOver(model::AttemptId attempt) const {
  return control_.read([&](const control::State& state) {
    const auto* row = state.attempt(attempt);
    return row == nullptr || model::isFinal(row->state);
  });
}

LogFollower::Progress LogFollower::advance(Follower& follower) {
  if (follower.stream->closed()) return Progress::over;
  bool over = false;
  if (!findAttempt(follower, over)) return over ? Progress::over : Progress::idle;
  auto& query = follower.order.query;
  bool grew = false;
  while (follower.stream->queued().count < kQueuedEnough) {
    query.limit = kChunk;
    const bool ended = attemptOver(query.attempt);  // before the read: what is read after the end is all there is
    const auto chunk = control_.readLog(query);
    if (!chunk) return ended ? Progress::over : Progress::idle;
    query.offset = chunk->end;
    query.tailBytes = -1;
    if (!chunk->bytes.empty()) {
      grew = true;
      auto text =
          follower.order.events ? net::formatEvent(std::to_string(chunk->end), "log", chunk->bytes) : chunk->bytes;
      if (!follower.stream->send(std::move(text))) return Progress::over;
    }
    if (chunk->complete || (ended && chunk->bytes.empty())) {
      follower.stream->close();
      return Progress::over;
    }
    if (chunk->bytes.empty()) break;
  }
  return grew ? Progress::grew : Progress::idle;
}

}  // namespace fairlead::api
