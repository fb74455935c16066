#include <fairlead/control/event_hub.hpp>

#include <algorithm>

namespace fairlead::control {

EventHub::EventHub(StorePort& store, std::size_t kept) : store_(store), kept_(kept) {}

void EventHub::reset(std::uint64_t head, std::uint64_t oldestInStore) {
  const std::lock_guard lock(mutex_);
  head_ = head;
  oldestInStore_ = oldestInStore;
}

void EventHub::dropped(std::uint64_t oldestInStore) {
  const std::lock_guard lock(mutex_);
  oldestInStore_ = std::max(oldestInStore_, oldestInStore);
}

std::uint64_t EventHub::head() const {
  const std::lock_guard lock(mutex_);
  return head_;
}

std::size_t EventHub::listeners() const {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& [project, listeners] : byProject_) count += listeners.size();
  return count;
}

void EventHub::sweep() {
  const std::lock_guard lock(mutex_);
  const model::Event question;
  for (auto& [project, listeners] : byProject_)
    std::erase_if(listeners, [&](const EventListener& listener) { return !listener(question); });
  std::erase_if(byProject_, [](const auto& entry) { return entry.second.empty(); });
}

void EventHub::publish(const std::vector<model::Event>& events) {
  const std::lock_guard lock(mutex_);
  const auto tell = [&](const std::string& project, const model::Event& event) {
    const auto found = byProject_.find(project);
    if (found == byProject_.end()) return;
    std::erase_if(found->second, [&](const EventListener& listener) { return !listener(event); });
    if (found->second.empty()) byProject_.erase(found);
  };
  for (const auto& event : events) {
    head_ = event.sequence;
    if (oldestInStore_ == 0) oldestInStore_ = event.sequence;
    ring_.push_back(event);
    if (ring_.size() > kept_) ring_.pop_front();
    tell({}, event);
    if (!event.project.empty()) tell(event.project, event);
  }
}

bool EventHub::replayKept(const std::string& project, std::uint64_t after, const EventListener& listener) {
  const auto from = std::upper_bound(ring_.begin(), ring_.end(), after,
                                     [](std::uint64_t a, const model::Event& e) { return a < e.sequence; });
  for (auto it = from; it != ring_.end(); ++it)
    if ((project.empty() || it->project == project) && !listener(*it)) return false;
  return true;
}

Result<SubscribeOutcome> EventHub::subscribe(const std::string& project, std::uint64_t after, EventListener listener) {
  // Old events come from the store without the lock; then, under the lock, what was published meanwhile comes from
  // memory and the listener is entered, so nothing falls between. When memory has moved past what the store gave,
  // another round follows. A commit is in the store a moment before it is published: what lies beyond `head` is left
  // to that.
  while (true) {
    std::uint64_t head = 0;
    {
      const std::lock_guard lock(mutex_);
      if (after > head_ || (oldestInStore_ > 0 && after + 1 < oldestInStore_)) return SubscribeOutcome::tooOld;
      if (after == head_ || (!ring_.empty() && ring_.front().sequence <= after + 1)) {
        if (replayKept(project, after, listener)) byProject_[project].push_back(std::move(listener));
        return SubscribeOutcome::live;
      }
      head = head_;
    }
    bool gone = false;
    std::uint64_t last = after;
    // All projects are read so that `last` tells how far the store went, also where no event of this project lies.
    auto read = store_.readEvents(after, {}, [&](const model::Event& event) {
      if (event.sequence > head) return false;
      last = event.sequence;
      gone = (project.empty() || event.project == project) && !listener(event);
      return !gone;
    });
    if (!read) return tl::unexpected(read.error());
    if (gone) return SubscribeOutcome::live;
    if (last == after) return SubscribeOutcome::tooOld;  // the store has nothing between here and memory
    after = last;
  }
}

}  // namespace fairlead::control
