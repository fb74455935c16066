// Documents in JSON, decoded with the help of specs that came in before.
#pragma once

#include <fairlead/base/result.hpp>
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

/// Specs by the exact bytes they were written in. Equal bytes mean equal specs, because decoding reads nothing else;
/// keys are compared whole. Bounded by bytes, the longest unused goes first. Thread-safe.
class DocumentCache {
 public:
  explicit DocumentCache(std::size_t maxBytes) : maxBytes_(maxBytes) {}

  /// All errors of the document at once. Many workloads differ in their name only: where the text of the spec is known,
  /// the rest alone is decoded, and the spec is neither decoded nor digested again.
  [[nodiscard]] Checked<ReadyPtr> decode(std::string_view document);

  [[nodiscard]] model::SpecPtr find(std::string_view text);
  /// Texts over 64 KiB are not kept.
  void put(std::string_view text, model::SpecPtr spec);

 private:
  struct Entry {
    std::string text;
    model::SpecPtr spec;
    std::size_t bytes = 0;
  };
  using Entries = std::list<Entry>;

  [[nodiscard]] ReadyPtr decodeAround(std::string_view document, std::string_view spec);

  const std::size_t maxBytes_;
  std::mutex mutex_;
  Entries entries_;  // newest first
  std::unordered_map<std::string_view, Entries::iterator> byText_;
  std::size_t bytes_ = 0;
};

}  // namespace fairlead::api
