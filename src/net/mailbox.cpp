#include "mailbox.hpp"

#include <fairlead/base/assert.hpp>
#include <fairlead/net/http_server.hpp>

namespace fairlead::net {
namespace {

/// Posts that a ReplyBatch of this thread holds back.
struct Batch {
  int depth = 0;
  std::vector<std::pair<std::shared_ptr<Mailbox>, std::vector<Post>>> boxes;

  void add(const std::shared_ptr<Mailbox>& box, Post post) {
    for (auto& [candidate, posts] : boxes)
      if (candidate == box) {
        posts.push_back(std::move(post));
        return;
      }
    boxes.emplace_back(box, std::vector<Post>{}).second.push_back(std::move(post));
  }
};

thread_local Batch batch;

/// A stream that reaches nobody is over.
void dispose(std::vector<Post>& posts) {
  for (Post& post : posts)
    if (const auto* queue = std::get_if<std::shared_ptr<StreamQueue>>(&post.what)) (*queue)->finish();
}

}  // namespace

void Mailbox::post(const std::shared_ptr<Mailbox>& box, Post post) {
  if (batch.depth > 0) return batch.add(box, std::move(post));
  {
    const std::lock_guard lock(box->mutex_);
    if (!box->closed_) {
      box->posts_.push_back(std::move(post));
      if (!std::exchange(box->awake_, true)) box->wake_();
      return;
    }
  }
  if (const auto* queue = std::get_if<std::shared_ptr<StreamQueue>>(&post.what)) (*queue)->finish();
}

void Mailbox::putAll(std::vector<Post>&& posts) {
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      posts_.insert(posts_.end(), std::make_move_iterator(posts.begin()), std::make_move_iterator(posts.end()));
      if (!std::exchange(awake_, true)) wake_();
      return;
    }
  }
  dispose(posts);
}

bool Mailbox::take(std::vector<Post>& into) {
  const std::lock_guard lock(mutex_);
  posts_.swap(into);
  if (!into.empty()) return true;
  awake_ = false;
  return false;
}

void Mailbox::close() {
  std::vector<Post> posts;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    wake_ = nullptr;
    posts.swap(posts_);
  }
  dispose(posts);
}

ReplyBatch::ReplyBatch() { ++batch.depth; }

ReplyBatch::~ReplyBatch() {
  if (--batch.depth > 0) return;
  for (auto& [box, posts] : batch.boxes) box->putAll(std::move(posts));
  batch.boxes.clear();
}

Responder::Responder(std::shared_ptr<Mailbox> mailbox, std::uint64_t connection, std::uint64_t sequence)
    : mailbox_(std::move(mailbox)), connection_(connection), sequence_(sequence) {}

Responder::~Responder() {
  if (mailbox_) reply(plainProblem(500, "the request was dropped without an answer"));
}

Responder::Responder(Responder&& other) noexcept
    : mailbox_(std::move(other.mailbox_)), connection_(other.connection_), sequence_(other.sequence_) {}

Responder& Responder::operator=(Responder&& other) noexcept {
  std::swap(mailbox_, other.mailbox_);
  std::swap(connection_, other.connection_);
  std::swap(sequence_, other.sequence_);
  return *this;
}

void Responder::reply(Response response) {
  FL_ASSERT(mailbox_ != nullptr, "a request is answered once");
  const auto box = std::move(mailbox_);
  Mailbox::post(box, Post{connection_, sequence_, std::move(response)});
}

std::shared_ptr<EventStream> Responder::stream(StreamOptions options) {
  FL_ASSERT(mailbox_ != nullptr, "a request is answered once");
  const auto box = std::move(mailbox_);
  auto queue = std::make_shared<StreamQueue>(box, connection_, std::move(options));
  Mailbox::post(box, Post{connection_, sequence_, queue});
  return std::make_shared<EventStream>(std::move(queue));
}

EventStream::EventStream(std::shared_ptr<StreamQueue> queue) : queue_(std::move(queue)) {}
EventStream::~EventStream() { queue_->close(); }
bool EventStream::send(std::shared_ptr<const std::string> chunk) { return queue_->send(std::move(chunk)); }
void EventStream::close() { queue_->close(); }
Bytes EventStream::queued() const { return queue_->queued(); }
bool EventStream::closed() const { return queue_->closed(); }
void EventStream::onClose(std::function<void()> callback) { queue_->onClose(std::move(callback)); }

StreamQueue::StreamQueue(std::shared_ptr<Mailbox> mailbox, std::uint64_t connection, StreamOptions options)
    : options_(std::move(options)), mailbox_(std::move(mailbox)), connection_(connection) {}

void StreamQueue::signal(bool needed) {
  if (needed) Mailbox::post(mailbox_, Post{connection_, 0, Post::Wake{}});
}

bool StreamQueue::send(std::shared_ptr<const std::string> chunk) {
  bool fits = false;
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (closing_ || finished_) return false;
    if (chunk->empty()) return true;
    const auto size = static_cast<std::int64_t>(chunk->size());
    fits = queuedBytes_ + size <= options_.maxQueued.count;
    if (fits) {
      queuedBytes_ += size;
      chunks_.push_back(std::move(chunk));
    } else {
      closing_ = overflowed_ = true;
    }
    wake = !std::exchange(signalled_, true);
  }
  signal(wake);
  return fits;
}

void StreamQueue::close() {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    if (closing_ || finished_) return;
    closing_ = true;
    wake = !std::exchange(signalled_, true);
  }
  signal(wake);
}

bool StreamQueue::closed() const {
  const std::lock_guard lock(mutex_);
  return closing_ || finished_;
}

Bytes StreamQueue::queued() const {
  const std::lock_guard lock(mutex_);
  return {queuedBytes_};
}

bool StreamQueue::overflowed() const {
  const std::lock_guard lock(mutex_);
  return overflowed_;
}

void StreamQueue::onClose(std::function<void()> callback) {
  {
    const std::lock_guard lock(mutex_);
    if (!finished_) {
      callbacks_.push_back(std::move(callback));
      return;
    }
  }
  callback();
}

bool StreamQueue::take(std::string& out, std::size_t limit) {
  const std::lock_guard lock(mutex_);
  while (!chunks_.empty() && out.size() < limit) {
    out += *chunks_.front();
    queuedBytes_ -= static_cast<std::int64_t>(chunks_.front()->size());
    chunks_.pop_front();
  }
  if (!chunks_.empty()) return false;
  signalled_ = false;
  return closing_;
}

void StreamQueue::beat() {
  const std::lock_guard lock(mutex_);
  if (!chunks_.empty() || options_.heartbeatText.empty()) return;
  chunks_.push_back(std::make_shared<const std::string>(options_.heartbeatText));
  queuedBytes_ += static_cast<std::int64_t>(options_.heartbeatText.size());
}

void StreamQueue::finish() {
  std::vector<std::function<void()>> callbacks;
  {
    const std::lock_guard lock(mutex_);
    if (finished_) return;
    finished_ = true;
    chunks_.clear();
    callbacks.swap(callbacks_);
  }
  for (auto& callback : callbacks) callback();
}

}  // namespace fairlead::net
