#include "event_watch.hpp"

#include "daemon.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fairlead::bench {
namespace {

constexpr std::string_view kQueued = "workload.queued";

std::string_view fieldOf(std::string_view event, std::string_view name) {
  for (std::size_t at = 0; at < event.size();) {
    auto end = event.find('\n', at);
    if (end == std::string_view::npos) end = event.size();
    const auto line = event.substr(at, end - at);
    if (line.starts_with(name) && line.size() > name.size() && line[name.size()] == ':')
      return line.substr(std::min(line.size(), name.size() + 2));
    at = end + 1;
  }
  return {};
}

}  // namespace

std::uint64_t idHash(std::string_view id) { return std::hash<std::string_view>{}(id); }

EventWatch::EventWatch(const Endpoint& where, std::size_t projects)
    : streams_(projects), seen_(projects), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  for (std::size_t i = 0; i < projects; ++i) open(where, i);
  thread_ = std::thread([this] { readAll(); });
}

EventWatch::~EventWatch() {
  ending_ = true;
  if (thread_.joinable()) thread_.join();
  for (const auto& stream : streams_) ::close(stream.file);
  ::close(epoll_);
}

/// Waits for the head of the answer, so that nothing that happens from now on is missed.
void EventWatch::open(const Endpoint& where, std::size_t project) {
  auto& stream = streams_[project];
  stream.file = connectTo(where);
  const auto request = requestHead(where, "GET", fmt::format("/api/v1/events?project=p{}", project), 0);
  if (::send(stream.file, request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size()))
    throw Failed("a stream cannot be asked for");
  std::array<char, 4096> buffer;
  while (stream.raw.find("\r\n\r\n") == std::string::npos) {
    const auto got = ::recv(stream.file, buffer.data(), buffer.size(), 0);
    if (got <= 0) throw Failed("a stream was closed before it began");
    stream.raw.append(buffer.data(), static_cast<std::size_t>(got));
  }
  if (!stream.raw.starts_with("HTTP/1.1 200")) throw Failed("a stream was refused: " + stream.raw.substr(0, 400));
  stream.raw.erase(0, stream.raw.find("\r\n\r\n") + 4);
  ::fcntl(stream.file, F_SETFL, O_NONBLOCK);
  epoll_event event{.events = EPOLLIN, .data = {.u64 = project}};
  ::epoll_ctl(epoll_, EPOLL_CTL_ADD, stream.file, &event);
}

void EventWatch::readAll() {
  std::array<epoll_event, 256> events;
  while (!ending_) {
    const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 50);
    for (int i = 0; i < count; ++i) read(events[static_cast<std::size_t>(i)].data.u64);
  }
}

void EventWatch::read(std::size_t i) {
  auto& stream = streams_[i];
  std::array<char, 16 << 10> buffer;
  const auto got = ::recv(stream.file, buffer.data(), buffer.size(), 0);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) {
    ::epoll_ctl(epoll_, EPOLL_CTL_DEL, stream.file, nullptr);
    return fault(i, "the server closed it");
  }
  stream.raw.append(buffer.data(), static_cast<std::size_t>(got));
  unpack(stream);
  std::size_t begin = 0;
  for (auto end = stream.text.find("\n\n"); end != std::string::npos; end = stream.text.find("\n\n", begin)) {
    takeEvent(i, std::string_view(stream.text).substr(begin, end - begin));
    begin = end + 2;
  }
  stream.text.erase(0, begin);
}

/// Takes whole chunks out of the transfer encoding.
void EventWatch::unpack(Stream& stream) const {
  std::size_t at = 0;
  while (true) {
    const auto line = stream.raw.find("\r\n", at);
    if (line == std::string::npos) break;
    std::size_t size = 0;
    std::from_chars(stream.raw.data() + at, stream.raw.data() + line, size, 16);
    if (size == 0 || stream.raw.size() < line + 2 + size + 2) break;
    stream.text.append(stream.raw, line + 2, size);
    at = line + 2 + size + 2;
  }
  stream.raw.erase(0, at);
}

void EventWatch::takeEvent(std::size_t i, std::string_view event) {
  const auto id = fieldOf(event, "id");
  if (id.empty()) return;  // a comment
  const auto kind = fieldOf(event, "event");
  if (kind == "reset") return fault(i, "events were lost");
  std::uint64_t sequence = 0;
  std::from_chars(id.data(), id.data() + id.size(), sequence);
  auto& seen = seen_[i];
  if (sequence <= seen.last) return fault(i, fmt::format("event {} came after {}", sequence, seen.last));
  seen.last = sequence;
  const auto data = fieldOf(event, "data");
  if (textMember(data, "project") != fmt::format("p{}", i)) return fault(i, "an event of another project came");
  if (kind != kQueued) return;
  ++seen.events;
  seen.idSum += idHash(textMember(data, "workload"));
  events_.fetch_add(1, std::memory_order_relaxed);
}

void EventWatch::fault(std::size_t i, std::string_view what) {
  if (fault_.empty()) fault_ = fmt::format("stream of p{}: {}", i, what);
}

bool EventWatch::await(std::uint64_t events, std::chrono::seconds limit) const {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (events_ < events) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

const std::vector<Seen>& EventWatch::finish() {
  ending_ = true;
  if (thread_.joinable()) thread_.join();
  if (!fault_.empty()) throw Failed(fault_);
  return seen_;
}

}  // namespace fairlead::bench
