#include "document_cache.hpp"

#include "json_slices.hpp"

namespace fairlead::api {
namespace {

constexpr std::size_t kLargestText = 64 * 1024;
constexpr std::size_t kEntryOverhead = 1'024;

/// Stands in for a spec that is known already.
constexpr std::string_view kPlainSpec = R"({"class":"training","roles":[{"name":"x","command":["x"]}]})";

ReadyPtr readyOf(codec::WorkloadDocument&& document, model::SpecPtr spec) {
  auto ready = std::make_shared<ReadyDocument>();
  ready->name = std::move(document.name);
  ready->project = std::move(document.project);
  ready->labels = std::move(document.labels);
  ready->spec = std::move(spec);
  return ready;
}

}  // namespace

ReadyPtr makeReady(codec::WorkloadDocument document) {
  auto spec = codec::makeSpecDocument(std::move(document.spec));
  return readyOf(std::move(document), std::move(spec));
}

/// Null when the spec is not known or the rest is wrong: the whole text then tells where.
ReadyPtr DocumentCache::decodeAround(std::string_view document, std::string_view spec) {
  auto known = find(spec);
  if (!known) return nullptr;
  const auto begin = static_cast<std::size_t>(spec.data() - document.data());
  std::string rest;
  rest.reserve(document.size() - spec.size() + kPlainSpec.size());
  rest.append(document.substr(0, begin)).append(kPlainSpec).append(document.substr(begin + spec.size()));
  auto decoded = codec::decodeWorkloadJson(rest);
  if (!decoded) return nullptr;
  return readyOf(std::move(*decoded), std::move(known));
}

Checked<ReadyPtr> DocumentCache::decode(std::string_view document) {
  const auto spec = sliceMember(document, "spec");
  if (!spec.empty())
    if (auto ready = decodeAround(document, spec)) return ready;
  auto decoded = codec::decodeWorkloadJson(document);
  if (!decoded) return tl::unexpected(std::move(decoded.error()));
  auto ready = makeReady(std::move(*decoded));
  if (!spec.empty()) put(spec, ready->spec);
  return ready;
}

model::SpecPtr DocumentCache::find(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const auto found = byText_.find(text);
  if (found == byText_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, found->second);
  return found->second->spec;
}

void DocumentCache::put(std::string_view text, model::SpecPtr spec) {
  if (text.size() > kLargestText) return;
  const auto bytes = 3 * text.size() + kEntryOverhead;  // the text, the canonical text, the decoded spec
  const std::lock_guard lock(mutex_);
  if (byText_.contains(text)) return;
  entries_.push_front({std::string(text), std::move(spec), bytes});
  byText_.emplace(entries_.front().text, entries_.begin());
  bytes_ += bytes;
  while (bytes_ > maxBytes_ && !entries_.empty()) {
    bytes_ -= entries_.back().bytes;
    byText_.erase(entries_.back().text);
    entries_.pop_back();
  }
}

}  // namespace fairlead::api
