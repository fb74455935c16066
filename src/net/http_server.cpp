#include "connection.hpp"
#include "listen_socket.hpp"
#include "tls.hpp"

#include <fairlead/base/clock.hpp>
#include <fairlead/base/ids.hpp>
#include <fairlead/net/http_server.hpp>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/post.hpp>
#include <fmt/chrono.h>

#include <algorithm>
#include <future>
#include <netinet/tcp.h>
#include <sys/random.h>
#include <thread>

namespace fairlead::net {
namespace {

using Acceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol>;

constexpr std::uint64_t kRejectPlaces = 64;  // connections over the limit that are told so; more are just closed

std::chrono::milliseconds tickSpanOf(const ServerOptions& options) {
  auto shortest = options.idleTimeout.count;
  for (const auto span : {options.headerTimeout, options.bodyTimeout, options.bodyProgressTimeout, options.writeTimeout,
                          options.lingerTimeout})
    shortest = std::min(shortest, span.count);
  return std::chrono::milliseconds(std::clamp<std::int64_t>(shortest / 8, 10, 250));
}

std::string randomPrefix() {
  std::uint32_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number)
    number = static_cast<std::uint32_t>(SystemClock().now().msSinceEpoch);
  return encodeSequence(number & ((1U << 25) - 1)) + "-";
}

}  // namespace

std::string ServerShared::newRequestId() {
  return requestPrefix + encodeSequence(nextRequest.fetch_add(1, std::memory_order_relaxed));
}

Loop::Loop(std::shared_ptr<ServerShared> shared)
    : shared_(std::move(shared)),
      guard_(asio::make_work_guard(context_)),
      timer_(context_),
      tickSpan_(tickSpanOf(shared_->options)) {
  mailbox_ = std::make_shared<Mailbox>([this] { asio::post(context_, [this] { deliver(); }); });
  refreshClock();
}

Loop::~Loop() { mailbox_->close(); }

void Loop::run() {
  armTick();
  context_.run();
}

void Loop::refreshClock() {
  now_ = std::chrono::steady_clock::now();
  const auto second = SystemClock().now().msSinceEpoch / 1000;
  if (second == dateSecond_) return;
  dateSecond_ = second;
  dateLine_ = fmt::format("Date: {:%a, %d %b %Y %H:%M:%S} GMT\r\n", fmt::gmtime(static_cast<std::time_t>(second)));
}

void Loop::armTick() {
  timer_.expires_after(tickSpan_);
  timer_.async_wait([this](NetError ec) {
    if (ec || finished_) return;
    tick();
    armTick();
  });
}

void Loop::tick() {
  refreshClock();
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (const auto connection = places_[i].connection) connection->tick();
}

/// One round of posts, then back to the queue of the context so that sockets get their turn; awake until a round was
/// empty.
void Loop::deliver() {
  if (!mailbox_->take(posts_)) return;
  for (Post& post : posts_) deliver(post);
  posts_.clear();
  asio::post(context_, [this] { deliver(); });
}

void Loop::deliver(Post& post) {
  const auto connection = find(post.connection);
  auto* queue = std::get_if<std::shared_ptr<StreamQueue>>(&post.what);
  if (!connection) {
    if (queue != nullptr) (*queue)->finish();
    return;
  }
  if (auto* response = std::get_if<Response>(&post.what)) return connection->reply(post.sequence, std::move(*response));
  queue != nullptr ? connection->openStream(post.sequence, *queue) : connection->wakeStream();
}

std::shared_ptr<Connection> Loop::find(std::uint64_t id) {
  const auto place = static_cast<std::uint32_t>(id);
  if (place >= places_.size() || places_[place].generation != static_cast<std::uint32_t>(id >> 32)) return nullptr;
  return places_[place].connection;
}

std::uint64_t Loop::nextId() {
  if (freePlaces_.empty()) {
    freePlaces_.push_back(static_cast<std::uint32_t>(places_.size()));
    places_.emplace_back();
  }
  const auto place = freePlaces_.back();
  return (std::uint64_t{places_[place].generation} << 32) | place;
}

void Loop::add(const std::shared_ptr<Connection>& connection) {
  freePlaces_.pop_back();  // the one that nextId() named
  places_[static_cast<std::uint32_t>(connection->id())].connection = connection;
  connection->start();
}

void Loop::remove(std::uint64_t id) {
  const auto place = static_cast<std::uint32_t>(id);
  ++places_[place].generation;
  places_[place].connection.reset();
  freePlaces_.push_back(place);
}

void Loop::drain() {
  draining_ = true;
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (const auto connection = places_[i].connection) connection->drain();
}

void Loop::finish() {
  draining_ = finished_ = true;
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (const auto connection = places_[i].connection) connection->abort();
  mailbox_->close();
  timer_.cancel();
  guard_.reset();
}

class HttpServer::Impl {
 public:
  Impl(ServerOptions options, Handler handler) : shared_(std::make_shared<ServerShared>()) {
    shared_->options = std::move(options);
    shared_->handler = std::move(handler);
    shared_->requestPrefix = randomPrefix();
  }

  Result<void> start();
  void stop(Milliseconds drain);
  std::vector<std::string> addresses() const;
  const Counters& counters() const { return shared_->counters; }

 private:
  struct Door {
    ListenSocket socket;
    std::shared_ptr<asio::ssl::context> tls;
    std::unique_ptr<Acceptor> acceptor;
    std::unique_ptr<asio::steady_timer> pause;
  };
  Result<Door> openDoor(const Listener& listener);
  void accept(Door& door);
  void admit(Socket socket, Door& door, Loop& loop);
  void onEachLoop(void (Loop::*action)());

  std::shared_ptr<ServerShared> shared_;
  std::vector<Door> doors_;  // used by the first loop while it runs
  std::vector<std::unique_ptr<Loop>> loops_;
  std::vector<std::thread> threads_;
  std::size_t nextLoop_ = 0;
  std::vector<std::string> addresses_;
  bool stopped_ = false;
};

Result<HttpServer::Impl::Door> HttpServer::Impl::openDoor(const Listener& listener) {
  Door door;
  if (listener.tls) {
    auto context = makeServerTls(*listener.tls);
    if (!context) return tl::unexpected<Error>(std::move(context.error()));
    door.tls = std::make_shared<asio::ssl::context>(*context);
  }
  auto socket = ListenSocket::open(listener);
  if (!socket) return tl::unexpected<Error>(std::move(socket.error()));
  door.socket = std::move(*socket);
  return door;
}

Result<void> HttpServer::Impl::start() {
  FL_ASSERT(loops_.empty() && !stopped_, "a server is started once");
  std::vector<Door> doors;
  for (const Listener& listener : shared_->options.listeners) {
    auto door = openDoor(listener);
    if (!door) return tl::unexpected<Error>(std::move(door.error()));
    doors.push_back(std::move(*door));
  }
  doors_ = std::move(doors);
  for (int i = 0; i < std::clamp(shared_->options.ioThreads, 1, 64); ++i)
    loops_.push_back(std::make_unique<Loop>(shared_));
  for (Door& door : doors_) {
    addresses_.push_back(door.socket.address());
    door.acceptor = std::make_unique<Acceptor>(loops_[0]->context());
    door.acceptor->assign({door.socket.family(), 0}, door.socket.release());
    door.pause = std::make_unique<asio::steady_timer>(loops_[0]->context());
    accept(door);
  }
  for (auto& loop : loops_) threads_.emplace_back([&loop = *loop] { loop.run(); });
  return {};
}

void HttpServer::Impl::accept(Door& door) {
  Loop& loop = *loops_[nextLoop_++ % loops_.size()];
  door.acceptor->async_accept(loop.context(), [this, &door, &loop](NetError ec, Socket socket) {
    if (!door.acceptor->is_open()) return;
    if (!ec) {
      admit(std::move(socket), door, loop);
      return accept(door);
    }
    bump(shared_->counters.acceptErrors);  // out of descriptors, mostly: come back a little later
    door.pause->expires_after(std::chrono::milliseconds(100));
    door.pause->async_wait([this, &door](NetError failed) {
      if (!failed && door.acceptor->is_open()) accept(door);
    });
  });
}

void HttpServer::Impl::admit(Socket socket, Door& door, Loop& loop) {
  const auto open = shared_->counters.connectionsOpen.load();
  const auto most = static_cast<std::uint64_t>(shared_->options.maxConnections);
  const bool rejecting = open >= most;
  if (rejecting) bump(shared_->counters.rejectedConnections);
  if (open >= most + kRejectPlaces) return;
  NetError ignored;
  socket.non_blocking(true, ignored);
  if (door.socket.family() != AF_UNIX)
    socket.set_option(asio::detail::socket_option::boolean<IPPROTO_TCP, TCP_NODELAY>(true), ignored);
  auto peer = peerOf(socket.native_handle(), door.tls != nullptr);
  auto enter = [&loop, tls = door.tls, socket = std::move(socket), peer = std::move(peer), rejecting]() mutable {
    if (loop.draining()) return;
    loop.add(std::make_shared<Connection>(loop, Transport(std::move(socket), tls.get()), std::move(peer), loop.nextId(),
                                          rejecting));
  };
  &loop == loops_[0].get() ? enter() : asio::post(loop.context(), std::move(enter));
}

void HttpServer::Impl::onEachLoop(void (Loop::*action)()) {
  for (auto& loop : loops_) {
    std::promise<void> done;
    asio::post(loop->context(), [&] {
      ((*loop).*action)();
      done.set_value();
    });
    done.get_future().wait();
  }
}

void HttpServer::Impl::stop(Milliseconds drain) {
  if (std::exchange(stopped_, true) || loops_.empty()) return;
  std::promise<void> closed;
  asio::post(loops_[0]->context(), [&] {
    for (Door& door : doors_) {
      NetError ignored;
      door.acceptor->close(ignored);
      door.pause->cancel();
    }
    closed.set_value();
  });
  closed.get_future().wait();
  onEachLoop(&Loop::drain);
  const auto deadline = std::chrono::steady_clock::now() + chronoSpan(drain);
  while (shared_->counters.connectionsOpen.load() > 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  onEachLoop(&Loop::finish);
  for (auto& thread : threads_) thread.join();
  threads_.clear();
  doors_.clear();
  loops_.clear();
}

std::vector<std::string> HttpServer::Impl::addresses() const { return addresses_; }

HttpServer::HttpServer(ServerOptions options, Handler handler)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(handler))) {}
HttpServer::~HttpServer() { impl_->stop({0}); }
Result<void> HttpServer::start() { return impl_->start(); }
std::vector<std::string> HttpServer::addresses() const { return impl_->addresses(); }
void HttpServer::stop(Milliseconds drain) { impl_->stop(drain); }

ServerStats HttpServer::stats() const {
  const Counters& c = impl_->counters();
  const auto read = [](const std::atomic<std::uint64_t>& counter) { return counter.load(std::memory_order_relaxed); };
  ServerStats stats;
  stats.connectionsTotal = read(c.connectionsTotal);
  stats.connectionsOpen = read(c.connectionsOpen);
  stats.requests = read(c.requests);
  stats.inFlight = read(c.inFlight);
  stats.streamsTotal = read(c.streamsTotal);
  stats.streamsOpen = read(c.streamsOpen);
  stats.bytesIn = read(c.bytesIn);
  stats.bytesOut = read(c.bytesOut);
  stats.rejectedMalformed = read(c.rejectedMalformed);
  stats.rejectedTooLarge = read(c.rejectedTooLarge);
  stats.rejectedTimeout = read(c.rejectedTimeout);
  stats.rejectedBusy = read(c.rejectedBusy);
  stats.rejectedConnections = read(c.rejectedConnections);
  stats.tlsFailed = read(c.tlsFailed);
  stats.droppedSlowReaders = read(c.droppedSlowReaders);
  stats.droppedStreams = read(c.droppedStreams);
  stats.acceptErrors = read(c.acceptErrors);
  stats.handlerFailures = read(c.handlerFailures);
  return stats;
}

}  // namespace fairlead::net
