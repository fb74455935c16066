#include "http_load.hpp"

#include "process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace fairlead::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::seconds(30);

int openUnix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return -1;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  const int file = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return file;
  ::close(file);
  return -1;
}

int openTcp(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const int file = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return file;
  ::close(file);
  return -1;
}

int tryConnect(const Endpoint& where) {
  return where.unixPath.empty() ? openTcp(where.port) : openUnix(where.unixPath);
}

/// Where an answer's parts lie; nothing while it is not whole. Both Content-Length and content-length are understood.
struct Frame {
  int status = 0;
  std::string_view body;
  std::size_t size = 0;
};

std::optional<Frame> frameOf(std::string_view bytes) {
  const auto head = bytes.find("\r\n\r\n");
  if (head == std::string_view::npos || head < 12) return {};
  Frame frame;
  frame.status = (bytes[9] - '0') * 100 + (bytes[10] - '0') * 10 + (bytes[11] - '0');
  std::size_t length = 0;
  for (const std::string_view name : {"ontent-Length: ", "ontent-length: "})
    if (const auto at = bytes.substr(0, head).find(name); at != std::string_view::npos)
      for (auto i = at + name.size(); i < head && bytes[i] >= '0' && bytes[i] <= '9'; ++i)
        length = length * 10 + static_cast<std::size_t>(bytes[i] - '0');
  frame.size = head + 4 + length;
  if (bytes.size() < frame.size) return {};
  frame.body = bytes.substr(head + 4, length);
  return frame;
}

/// A request under way on one connection.
struct Connection {
  int file = -1;
  std::string_view out;  // what is not sent yet
  std::string in;
  Clock::time_point begin;
  bool waitsToWrite = false;
};

class Load {
 public:
  Load(const Endpoint& where, const LoadPlan& plan) : plan_(plan), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    connections_.resize(plan.connections);
    for (std::size_t i = 0; i < connections_.size(); ++i) {
      connections_[i].file = connectTo(where);
      ::fcntl(connections_[i].file, F_SETFL, O_NONBLOCK);
      epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
      ::epoll_ctl(epoll_, EPOLL_CTL_ADD, connections_[i].file, &event);
    }
  }
  ~Load() {
    for (const auto& connection : connections_) ::close(connection.file);
    ::close(epoll_);
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  LoadResult run() {
    begin_ = Clock::now();
    end_ = plan_.duration.count() > 0 ? begin_ + plan_.duration : Clock::time_point::max();
    for (std::size_t i = 0; i < connections_.size(); ++i) issue(i);
    while (outstanding_ > 0) turn();
    const auto end = plan_.duration.count() > 0 ? end_ : Clock::now();
    result_.seconds = std::chrono::duration<double>(end - begin_).count();
    return std::move(result_);
  }

 private:
  void turn() {
    std::array<epoll_event, 256> events;
    const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()),
                                   static_cast<int>(std::chrono::milliseconds(kPatience).count()));
    if (count == 0) throw Failed("no answer within 30 s");
    for (int i = 0; i < count; ++i) {
      const auto& event = events[static_cast<std::size_t>(i)];
      if ((event.events & EPOLLOUT) != 0) send(event.data.u64);
      if ((event.events & ~static_cast<unsigned>(EPOLLOUT)) != 0) receive(event.data.u64);
    }
  }

  void issue(std::size_t i) {
    auto& connection = connections_[i];
    connection.out = plan_.next(i);
    if (connection.out.empty()) return;
    connection.begin = Clock::now();
    ++outstanding_;
    send(i);
  }

  void send(std::size_t i) {
    auto& connection = connections_[i];
    while (!connection.out.empty()) {
      const auto sent = ::send(connection.file, connection.out.data(), connection.out.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EAGAIN) throw Failed(fmt::format("sending a request: {}", std::strerror(errno)));
      if (sent < 0) return watch(i, true);
      connection.out.remove_prefix(static_cast<std::size_t>(sent));
    }
    watch(i, false);
  }

  void watch(std::size_t i, bool write) {
    auto& connection = connections_[i];
    if (connection.waitsToWrite == write) return;
    connection.waitsToWrite = write;
    epoll_event event{.events = EPOLLIN | (write ? static_cast<std::uint32_t>(EPOLLOUT) : 0U), .data = {.u64 = i}};
    ::epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.file, &event);
  }

  void receive(std::size_t i) {
    auto& connection = connections_[i];
    const auto got = ::recv(connection.file, buffer_.data(), buffer_.size(), 0);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) throw Failed("the server closed a connection");
    const std::string_view bytes(buffer_.data(), static_cast<std::size_t>(got));
    if (connection.in.empty()) {  // mostly an answer comes whole
      const auto frame = frameOf(bytes);
      if (frame) return finish(i, *frame);
    }
    connection.in += bytes;
    const auto frame = frameOf(connection.in);
    if (!frame) return;
    finish(i, *frame);
  }

  void finish(std::size_t i, const Frame& frame) {
    auto& connection = connections_[i];
    const auto now = Clock::now();
    if (frame.status != 200 && frame.status != 201)
      throw Failed(fmt::format("answered {}: {}", frame.status, frame.body.substr(0, 400)));
    if (now <= end_) ++result_.answers;
    result_.latenciesMs.push_back(std::chrono::duration<double, std::milli>(now - connection.begin).count());
    --outstanding_;
    if (plan_.answered) plan_.answered(i, frame.body);
    connection.in.clear();
    if (now < end_) issue(i);
  }

  const LoadPlan& plan_;
  int epoll_;
  std::vector<Connection> connections_;
  std::array<char, 64 << 10> buffer_{};
  std::size_t outstanding_ = 0;
  Clock::time_point begin_, end_;
  LoadResult result_;
};

}  // namespace

int connectTo(const Endpoint& where) {
  const int file = tryConnect(where);
  if (file < 0)
    throw Failed(fmt::format("cannot connect to {}: {}",
                             where.unixPath.empty() ? fmt::format("port {}", where.port) : where.unixPath,
                             std::strerror(errno)));
  return file;
}

std::string requestHead(const Endpoint& where, std::string_view method, std::string_view path, std::size_t body) {
  auto head = fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\n", method, path);
  if (!where.token.empty()) head += fmt::format("Authorization: Bearer {}\r\n", where.token);
  if (method == "POST") head += fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", body);
  return head + "\r\n";
}

Answer ask(const Endpoint& where, std::string_view method, std::string_view path, std::string_view body,
           std::chrono::milliseconds limit) {
  Answer answer;
  const int file = tryConnect(where);
  if (file < 0) return answer;
  const auto request = requestHead(where, method, path, body.size()) + std::string(body);
  const auto until = Clock::now() + limit;
  std::string bytes;
  if (::send(file, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size())) {
    std::array<char, 16 << 10> buffer;
    for (auto now = Clock::now(); now < until; now = Clock::now()) {
      pollfd waiting{.fd = file, .events = POLLIN, .revents = 0};
      if (::poll(&waiting, 1,
                 static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(until - now).count()) + 1) <= 0)
        break;
      const auto got = ::recv(file, buffer.data(), buffer.size(), 0);
      if (got <= 0) break;
      bytes.append(buffer.data(), static_cast<std::size_t>(got));
      if (const auto frame = frameOf(bytes)) {
        answer = {frame->status, std::string(frame->body)};
        break;
      }
    }
  }
  ::close(file);
  return answer;
}

LoadResult runLoad(const Endpoint& where, const LoadPlan& plan) { return Load(where, plan).run(); }

}  // namespace fairlead::bench
