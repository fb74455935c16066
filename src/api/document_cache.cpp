#include "document_cache.hpp"

namespace fairlead::api {
namespace {
constexpr std::size_t kLargestBody = 64 * 1024;
constexpr std::size_t kEntryOverhead = 1'024;
}  // namespace

ReadyPtr makeReady(codec::WorkloadDocument document) {
  auto ready = std::make_shared<ReadyDocument>();
  ready->name = std::move(document.name);
  ready->project = std::move(document.project);
  ready->labels = std::move(document.labels);
  ready->spec = codec::makeSpecDocument(std::move(document.spec));
  return ready;
}

ReadyPtr DocumentCache::find(std::string_view body) {
  const std::lock_guard lock(mutex_);
  const auto found = byBody_.find(body);
  if (found == byBody_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->document;
}

void DocumentCache::put(std::string_view body, ReadyPtr document) {
  if (body.size() > kLargestBody) return;
  const auto bytes = 3 * body.size() + kEntryOverhead;  // the body, the canonical text, the decoded spec
  const std::lock_guard lock(mutex_);
  if (byBody_.contains(body)) return;
  entries_.push_front({std::string(body), std::move(document), bytes});
  byBody_.emplace(entries_.front().body, entries_.begin());
  bytes_ += bytes;
  while (bytes_ > maxBytes_ && !entries_.empty()) {
    bytes_ -= entries_.back().bytes;
    byBody_.erase(entries_.back().body);
    entries_.pop_back();
  }
}

}  // namespace fairlead::api
