#include "connection.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::net {
namespace {

constexpr std::size_t kFillLimit = 64 << 10;     // gathered for one write, but for a single larger answer
constexpr std::int64_t kSlowestRate = 64 << 10;  // bytes a second that a reader of a large answer must take
constexpr std::size_t kKeptBuffer = 128 << 10;   // a larger output buffer is given back after use
constexpr std::size_t kChunkHead = 10;           // eight hexadecimal digits, CR, LF

bool hasNoBody(int status) { return status == 204 || status == 304 || (status >= 100 && status < 200); }

void appendField(std::string& out, std::string_view name, std::string_view value) {
  out += name;
  out += ": ";
  for (const char c : value) out += c == '\r' || c == '\n' || c == '\0' ? ' ' : c;
  out += "\r\n";
}

bool isToken(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return c > ' ' && c < 0x7f && std::string_view("\"(),/:;<=>?@[\\]{}").find(c) == std::string_view::npos;
  });
}

}  // namespace

Connection::Slot* Connection::slotOf(std::uint64_t sequence) {
  if (phase_ != Phase::open || sequence < firstSequence_ || sequence - firstSequence_ >= slots_.size()) return nullptr;
  Slot& slot = slots_[sequence - firstSequence_];
  return slot.ready() ? nullptr : &slot;
}

void Connection::reply(std::uint64_t sequence, Response&& response) {
  Slot* slot = slotOf(sequence);
  if (slot == nullptr) return;
  slot->response = std::move(response);
  if (!slots_.front().ready() || writing_) return;
  consume();
}

void Connection::openStream(std::uint64_t sequence, const std::shared_ptr<StreamQueue>& queue) {
  Slot* slot = slotOf(sequence);
  if (slot == nullptr) return queue->finish();
  slot->stream = queue;
  if (loop_.draining()) queue->close();
  consume();
}

void Connection::wakeStream() {
  if (stream_) pump();
}

/// Gives back what a request holds: its place in the gauge and its body's share of the budget.
void Connection::settle(Slot& slot) {
  if (slot.counted) shared_.counters.inFlight.fetch_sub(1);
  slot.counted = false;
  if (slot.bodyBytes > 0) shared_.bodyBytes.fetch_sub(std::exchange(slot.bodyBytes, 0));
}

/// Writes all that can be written now. Does nothing while a write is under way: its end comes back here.
void Connection::pump() {
  while (phase_ == Phase::open && !writing_) {
    out_.clear();
    fill();
    if (out_.empty()) return nothingToWrite();
    write();
  }
}

void Connection::fill() {
  while (!stream_ && !closeAfterWrite_ && !slots_.empty() && slots_.front().ready() && out_.size() < kFillLimit) {
    Slot slot = std::move(slots_.front());
    slots_.pop_front();
    ++firstSequence_;
    settle(slot);
    slot.stream ? beginStream(slot) : serialise(slot);
  }
  if (stream_) return fillFromStream();
  if (continueOwed_ && slots_.empty()) {
    continueOwed_ = false;
    out_ += "HTTP/1.1 100 Continue\r\n\r\n";
  }
}

void Connection::head(const Slot& slot, int status, const std::string& contentType,
                      const std::vector<std::pair<std::string, std::string>>& headers) {
  fmt::format_to(std::back_inserter(out_), "HTTP/1.1 {} {}\r\n", status, statusPhrase(status));
  out_ += loop_.dateLine();
  if (!contentType.empty()) appendField(out_, "Content-Type", contentType);
  appendField(out_, "X-Request-Id", slot.requestId);
  for (const auto& [name, value] : headers)
    if (isToken(name)) appendField(out_, name, value);
}

void Connection::serialise(Slot& slot) {
  const Response& response = *slot.response;
  const bool last = !slot.keepAlive || (lastRequest_ && slots_.empty());
  head(slot, response.status, response.contentType, response.headers);
  if (last)
    out_ += "Connection: close\r\n";
  else if (slot.http10)
    out_ += "Connection: keep-alive\r\n";
  const bool bodyless = hasNoBody(response.status);
  if (!bodyless) fmt::format_to(std::back_inserter(out_), "Content-Length: {}\r\n", response.body.size());
  out_ += "\r\n";
  if (!slot.head && !bodyless) out_ += response.body;
  if (last) closeAfterWrite_ = lastRequest_ = true;
}

void Connection::beginStream(Slot& slot) {
  const auto& options = slot.stream->options();
  head(slot, 200, options.contentType, options.headers);
  out_ += "Cache-Control: no-store\r\nConnection: close\r\n";
  streamChunked_ = !slot.http10;
  if (streamChunked_) out_ += "Transfer-Encoding: chunked\r\n";
  out_ += "\r\n";
  lastRequest_ = true;
  for (Slot& later : slots_) {  // a stream is the last answer of its connection
    settle(later);
    if (later.stream) later.stream->finish();
  }
  slots_.clear();
  if (slot.head || inputEnded_) {
    closeAfterWrite_ = true;
    return slot.stream->finish();
  }
  bump(shared_.counters.streamsTotal);
  bump(shared_.counters.streamsOpen);
  stream_ = std::move(slot.stream);
}

void Connection::fillFromStream() {
  const auto start = out_.size();
  if (streamChunked_) out_.append(kChunkHead, '0');
  const auto body = out_.size();
  const bool over = stream_->take(out_, body + kFillLimit);
  const auto size = out_.size() - body;
  if (size == 0) {
    out_.resize(start);
  } else if (streamChunked_) {
    fmt::format_to(out_.begin() + static_cast<std::ptrdiff_t>(start), "{:08x}\r\n", size);
    out_ += "\r\n";
  }
  if (!over) return;
  if (streamChunked_) out_ += "0\r\n\r\n";
  closeAfterWrite_ = true;
  if (stream_->overflowed()) bump(shared_.counters.droppedStreams);
  bump(shared_.counters.streamsOpen, static_cast<std::uint64_t>(-1));
  std::exchange(stream_, nullptr)->finish();
}

void Connection::write() {
  lastWrite_ = loop_.now();
  bump(shared_.counters.bytesOut, out_.size());
  NetError ec;
  const auto sent = transport_.writeNow(out_, ec);
  if (ec && ec != asio::error::would_block && ec != asio::error::try_again) return abort();
  if (sent == out_.size()) return;
  const auto rest = out_.size() - sent;
  writing_ = true;
  writeDeadline_ = loop_.now() + chronoSpan(shared_.options.writeTimeout);
  if (rest > kFillLimit) writeDeadline_ += std::chrono::seconds(static_cast<std::int64_t>(rest) / kSlowestRate);
  transport_.write(out_.data() + sent, rest,
                   [self = shared_from_this()](NetError failed, std::size_t) { self->onWritten(failed); });
}

void Connection::onWritten(NetError ec) {
  writing_ = false;
  writeDeadline_ = Moment::max();
  if (phase_ != Phase::open) return;
  if (ec) return abort();
  lastWrite_ = loop_.now();
  consume();
}

void Connection::nothingToWrite() {
  if (out_.capacity() > kKeptBuffer) std::string().swap(out_);
  const bool idle = slots_.empty() && !stream_;
  if (closeAfterWrite_ || (idle && (inputEnded_ || (loop_.draining() && !partialRequest())))) linger();
}

/// The last answer is written. Closing at once could take it from a peer that still sends, so the peer gets time to
/// close first.
void Connection::linger() {
  if (inputEnded_) return endLinger();
  phase_ = Phase::lingering;
  auto limit = chronoSpan(shared_.options.lingerTimeout);
  if (loop_.draining()) limit = std::min(limit, std::chrono::milliseconds(300));
  readDeadline_ = loop_.now() + limit;
  if (!transport_.encrypted()) transport_.endOutput();
  read();
}

/// TLS owes the peer a farewell, which must not be lost behind data that the peer still sends; hence last.
void Connection::endLinger() {
  if (!transport_.encrypted() || std::exchange(goodbyeSent_, true)) return abort();
  phase_ = Phase::lingering;
  readDeadline_ = loop_.now() + std::chrono::milliseconds(500);
  transport_.sayGoodbye([self = shared_from_this()](NetError) { self->abort(); });
}

}  // namespace fairlead::net
