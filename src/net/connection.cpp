#include "connection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace fairlead::net {
namespace {

constexpr std::size_t kSmallBuffer = 2 << 10;   // idle connections hold this much
constexpr std::size_t kLargeBuffer = 64 << 10;  // while a body is read
constexpr Moment kNever = Moment::max();

ParserLimits limitsOf(const ServerOptions& options) {
  return {static_cast<std::size_t>(options.maxHeader.count), static_cast<std::size_t>(options.maxHeaderCount),
          static_cast<std::size_t>(options.maxBody.count)};
}

bool isRequestId(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  });
}

}  // namespace

Connection::Connection(Loop& loop, Transport transport, Peer peer, std::uint64_t id, bool rejecting)
    : loop_(loop),
      shared_(loop.shared()),
      transport_(std::move(transport)),
      peer_(std::move(peer)),
      id_(id),
      rejecting_(rejecting),
      parser_(limitsOf(shared_.options)),
      readDeadline_(kNever),
      writeDeadline_(kNever),
      lastWrite_(loop.now()) {
  bump(shared_.counters.connectionsTotal);
  bump(shared_.counters.connectionsOpen);
}

Connection::~Connection() { bump(shared_.counters.connectionsOpen, static_cast<std::uint64_t>(-1)); }

void Connection::start() {
  readDeadline_ = loop_.now() + chronoSpan(rejecting_ ? shared_.options.lingerTimeout : shared_.options.headerTimeout);
  if (!transport_.encrypted()) return read();
  transport_.handshake([self = shared_from_this()](NetError ec) {
    if (self->phase_ == Phase::closed) return;
    if (!ec) return self->read();
    bump(self->shared_.counters.tlsFailed);
    self->abort();
  });
}

void Connection::makeRoom() {
  const bool body = headerSeen_ || phase_ == Phase::lingering;
  if (inBegin_ == inEnd_) inBegin_ = inEnd_ = 0;
  if (inBegin_ > 0) {
    std::memmove(in_.data(), in_.data() + inBegin_, inEnd_ - inBegin_);
    inEnd_ -= inBegin_;
    inBegin_ = 0;
  }
  if (inEnd_ == 0 && !body && in_.size() > kSmallBuffer) std::string().swap(in_);
  const std::size_t wanted = std::max(body ? kLargeBuffer : kSmallBuffer, inEnd_ + kSmallBuffer);
  if (in_.size() < wanted) in_.resize(wanted);
}

void Connection::read() {
  if (reading_ || inputEnded_ || phase_ == Phase::closed) return;
  makeRoom();
  reading_ = true;
  transport_.read(in_.data() + inEnd_, in_.size() - inEnd_,
                  [self = shared_from_this()](NetError ec, std::size_t size) { self->onRead(ec, size); });
}

void Connection::onRead(NetError ec, std::size_t size) {
  reading_ = false;
  if (phase_ == Phase::closed) return;
  if (ec == asio::error::eof || ec == asio::ssl::error::stream_truncated) return onEnd();
  if (ec) return abort();
  bump(shared_.counters.bytesIn, size);
  if (phase_ == Phase::lingering || stream_ || lastRequest_) return read();  // what comes now is not a request: dropped
  inEnd_ += size;
  consume();
}

/// The peer has closed its side. A half-closed peer still gets what it is owed; the reader of a stream is gone.
void Connection::onEnd() {
  inputEnded_ = true;
  lastRequest_ = true;
  if (phase_ == Phase::lingering || stream_ || slots_.empty()) return abort();
  readDeadline_ = kNever;
  pump();
}

void Connection::consume() {
  const auto most = static_cast<std::size_t>(shared_.options.maxPipelined);
  for (bool full = true; full;) {
    while (phase_ == Phase::open && !lastRequest_ && inBegin_ < inEnd_ && slots_.size() < most)
      if (!feedParser()) break;
    full = slots_.size() >= most;
    if (phase_ == Phase::open) pump();
    if (phase_ != Phase::open) return;
    full = full && slots_.size() < most;  // room again: requests may wait in the buffer
  }
  setReadDeadline();
  if (lastRequest_ || slots_.size() < most) read();
}

/// False when more bytes are needed.
bool Connection::feedParser() {
  if (!parser_.started()) headerDeadline_ = loop_.now() + chronoSpan(shared_.options.headerTimeout);
  const auto step = parser_.feed({in_.data() + inBegin_, inEnd_ - inBegin_});
  inBegin_ += step.used;
  if (step.state == RequestParser::State::failed) {
    refuse(parser_.failureStatus(), parser_.failureDetail());
    return true;
  }
  if (parser_.headerDone() && !headerSeen_) onHeaderDone();
  if (headerSeen_) chargeBody();
  if (lastRequest_) return true;  // refused just now
  if (step.state == RequestParser::State::done) {
    dispatch();
    return true;
  }
  const auto rest = inEnd_ - inBegin_;
  if (rest > static_cast<std::size_t>(shared_.options.maxHeader.count) + kSmallBuffer)
    refuse(431, "a line of the request is over the limit");
  return false;
}

void Connection::onHeaderDone() {
  headerSeen_ = true;
  bodyDeadline_ = loop_.now() + chronoSpan(shared_.options.bodyTimeout);
  continueOwed_ = parser_.expectsContinue() && inBegin_ == inEnd_;
  if (rejecting_) refuse(503, "too many connections");
}

void Connection::chargeBody() {
  const auto size = static_cast<std::int64_t>(parser_.bodySize());
  const auto added = size - charged_;
  if (added <= 0) return;
  charged_ = size;
  if (shared_.bodyBytes.fetch_add(added) + added > shared_.options.maxBodies.count && !lastRequest_)
    refuse(503, "too many request bodies are being held");
}

std::string Connection::pickRequestId(const Request& request) {
  if (const auto given = request.headers.get("X-Request-Id"); given && isRequestId(*given)) return std::string(*given);
  return shared_.newRequestId();
}

void Connection::dispatch() {
  Slot& slot = slots_.emplace_back();
  slot.head = parser_.isHead();
  slot.http10 = parser_.http10();
  slot.keepAlive = parser_.keepAlive() && !loop_.draining();
  slot.bodyBytes = std::exchange(charged_, 0);
  if (!slot.keepAlive) lastRequest_ = true;
  Request request = parser_.take();
  parser_.reset();
  firstRequest_ = headerSeen_ = continueOwed_ = false;
  request.peer = peer_;
  request.requestId = slot.requestId = pickRequestId(request);
  bump(shared_.counters.requests);
  const auto sequence = firstSequence_ + slots_.size() - 1;
  slot.counted = true;
  if (shared_.counters.inFlight.fetch_add(1) >= static_cast<std::uint64_t>(shared_.options.maxInFlight)) {
    bump(shared_.counters.rejectedBusy);
    slot.response = shared_.options.renderError(503, "too many requests are waiting for an answer");
    slot.response->headers.emplace_back("Retry-After", "1");
    return;
  }
  try {
    shared_.handler(std::move(request), Responder(loop_.mailbox(), id_, sequence));
  } catch (...) {  // the Responder was destroyed on the way here and has answered 500
    bump(shared_.counters.handlerFailures);
  }
}

/// Answers the request being read, which cannot be served, and reads no other.
void Connection::refuse(int status, std::string_view detail) {
  countRefusal(status);
  Slot& slot = slots_.emplace_back();
  slot.head = parser_.isHead();
  slot.http10 = parser_.http10();
  slot.keepAlive = false;
  slot.bodyBytes = std::exchange(charged_, 0);
  slot.requestId = shared_.newRequestId();
  slot.response = shared_.options.renderError(status, detail);
  if (status == 503) slot.response->headers.emplace_back("Retry-After", "1");
  lastRequest_ = true;
  headerSeen_ = continueOwed_ = false;
  inBegin_ = inEnd_ = 0;
}

void Connection::countRefusal(int status) {
  Counters& counters = shared_.counters;
  if (rejecting_) return;
  if (status == 408) return bump(counters.rejectedTimeout);
  if (status == 413 || status == 431) return bump(counters.rejectedTooLarge);
  bump(status == 503 ? counters.rejectedBusy : counters.rejectedMalformed);
}

void Connection::setReadDeadline() {
  const auto& options = shared_.options;
  if (lastRequest_) {
    readDeadline_ = kNever;
  } else if (headerSeen_) {
    readDeadline_ = std::min(bodyDeadline_, loop_.now() + chronoSpan(options.bodyProgressTimeout));
  } else if (parser_.started() || inBegin_ < inEnd_) {
    readDeadline_ = slots_.size() < static_cast<std::size_t>(options.maxPipelined) ? headerDeadline_ : kNever;
  } else if (!slots_.empty() || stream_) {
    readDeadline_ = kNever;
  } else if (!firstRequest_) {
    readDeadline_ = loop_.now() + chronoSpan(options.idleTimeout);
  }  // else the deadline of start() stays: a client that connects has the header time-out for its first byte
}

void Connection::tick() {
  const auto now = loop_.now();
  if (now >= writeDeadline_) {
    bump(shared_.counters.droppedSlowReaders);
    return abort();
  }
  if (now >= readDeadline_) {
    readDeadline_ = kNever;
    if (phase_ == Phase::lingering) return endLinger();
    if (!partialRequest()) return abort();
    refuse(408, headerSeen_ ? "the body did not come in time" : "the header did not come in time");
    return pump();
  }
  if (!stream_ || writing_) return;
  const auto heartbeat = stream_->options().heartbeat;
  if (heartbeat.count > 0 && now - lastWrite_ >= chronoSpan(heartbeat)) {
    stream_->beat();
    pump();
  }
}

bool Connection::partialRequest() const { return !lastRequest_ && (parser_.started() || inBegin_ < inEnd_); }

void Connection::drain() {
  if (phase_ != Phase::open) return;
  if (stream_) stream_->close();
  for (Slot& slot : slots_) {
    if (slot.stream) slot.stream->close();
    slot.keepAlive = slot.keepAlive && &slot != &slots_.back();
  }
  if (partialRequest()) return;
  if (!slots_.empty()) lastRequest_ = true;
  if (slots_.empty() && !stream_ && !writing_) abort();
}

void Connection::abort() {
  if (phase_ == Phase::closed) return;
  const auto self = shared_from_this();  // the loop drops its reference below
  phase_ = Phase::closed;
  transport_.close();
  loop_.remove(id_);
  shared_.bodyBytes.fetch_sub(std::exchange(charged_, 0));
  for (Slot& slot : slots_) {
    settle(slot);
    if (slot.stream) slot.stream->finish();
  }
  slots_.clear();
  if (!stream_) return;
  bump(shared_.counters.streamsOpen, static_cast<std::uint64_t>(-1));
  std::exchange(stream_, nullptr)->finish();
}

}  // namespace fairlead::net
