// Documents that came in before, by their exact bytes.
#pragma once

#include <fairlead/codec/spec_codec.hpp>

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace fairlead::api {

/// A checked document with its spec made shareable.
struct ReadyDocument {
  std::string name;
  std::string project;
  model::Labels labels;
  model::SpecPtr spec;
};
using ReadyPtr = std::shared_ptr<const ReadyDocument>;

[[nodiscard]] ReadyPtr makeReady(codec::WorkloadDocument document);

/// Bounded by bytes, the longest unused goes first. Thread-safe. Keys are compared whole: equal bytes mean equal
/// documents, because decoding reads nothing but the body and its key.
class DocumentCache {
 public:
  explicit DocumentCache(std::size_t maxBytes) : maxBytes_(maxBytes) {}

  [[nodiscard]] ReadyPtr find(std::string_view body);
  /// Bodies over 64 KiB are not kept.
  void put(std::string_view body, ReadyPtr document);

 private:
  struct Entry {
    std::string body;
    ReadyPtr document;
    std::size_t bytes = 0;
  };
  using Entries = std::list<Entry>;

  const std::size_t maxBytes_;
  std::mutex mutex_;
  Entries entries_;  // newest first
  std::unordered_map<std::string_view, Entries::iterator> byBody_;
  std::size_t bytes_ = 0;
};

}  // namespace fairlead::api
