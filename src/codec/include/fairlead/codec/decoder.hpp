// Takes the fields of a tree one by one and collects everything that is wrong with them.
//
//   Decoder decoder;
//   MapReader map(decoder, decoder.root(tree.root()));
//   auto name = decoder.text(map.required("name"));
//   auto wait = decoder.duration(map.optional("wait"));
//   map.done();                                    // unknown fields
//   if (decoder.failed()) return tl::unexpected(decoder.takeErrors());
//
// Readers of absent fields give nothing and report nothing (`required` has reported it). Not thread-safe; one per
// document.
#pragma once

#include <fairlead/base/enum_text.hpp>
#include <fairlead/base/result.hpp>
#include <fairlead/base/units.hpp>
#include <fairlead/codec/errors.hpp>
#include <fairlead/codec/tree.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace fairlead::codec {

/// A place in a document where a value is, or would be. Points at its parent, which must live as long as it.
struct Field {
  const Field* parent = nullptr;
  const Node* node = nullptr;  ///< nullptr: absent
  std::string_view key;        ///< of a map's field
  std::int64_t index = -1;     ///< of a list's item
  bool secret = false;         ///< errors about it and what it holds never show the value

  [[nodiscard]] explicit operator bool() const { return node != nullptr; }
  /// `spec.roles[0].devices.count`; empty for a root.
  [[nodiscard]] std::string path() const;
};

class Decoder {
 public:
  [[nodiscard]] Field root(const Node& node) { return {nullptr, &node, {}, -1, false}; }

  /// Reports about a present field, or about where an absent one should be.
  void error(const Field& field, const ErrorCode& code, std::string message, std::string remedy = {});
  [[nodiscard]] bool failed() const { return !errors_.empty(); }
  [[nodiscard]] std::size_t errorCount() const { return errors_.size(); }
  /// In the order of their places.
  [[nodiscard]] Errors takeErrors();

  [[nodiscard]] std::optional<std::string_view> text(const Field& field);
  /// Text, or a scalar as it is written (`8080` in a command); not null.
  [[nodiscard]] std::optional<std::string_view> word(const Field& field);
  [[nodiscard]] std::optional<bool> boolean(const Field& field);
  [[nodiscard]] std::optional<std::int64_t> integer(const Field& field, std::int64_t min, std::int64_t max);
  /// `0.5` is 500.
  [[nodiscard]] std::optional<std::int64_t> thousandths(const Field& field, std::int64_t min, std::int64_t max);
  [[nodiscard]] std::optional<Milliseconds> duration(const Field& field);
  [[nodiscard]] std::optional<Bytes> bytes(const Field& field);
  /// RFC 3339.
  [[nodiscard]] std::optional<TimePoint> time(const Field& field);
  /// The items of a list of at most `limit`; nothing when absent or wrong.
  [[nodiscard]] std::optional<std::span<const Node>> list(const Field& field, std::size_t limit);
  [[nodiscard]] static Field item(const Field& list, std::size_t index) {
    return {&list, &list.node->items[index], {}, static_cast<std::int64_t>(index), false};
  }

  template <class E>
  [[nodiscard]] std::optional<E> choice(const Field& field) {
    const auto given = text(field);
    if (!given) return {};
    if (const auto value = parseEnum<E>(*given)) return value;
    badChoice(field, *given, enumChoices<E>());
    return {};
  }

 private:
  void badChoice(const Field& field, std::string_view given, const std::string& choices);
  void wrongType(const Field& field, std::string_view wanted, std::string remedy = {});

  Errors errors_;
};

/// The fields of one map. A value that is no map is reported once; every field is then absent.
class MapReader {
 public:
  MapReader(Decoder& decoder, const Field& field);
  MapReader(const MapReader&) = delete;
  MapReader& operator=(const MapReader&) = delete;

  /// The field when it is there. A `null` counts as absent.
  [[nodiscard]] Field optional(std::string_view key);
  /// Reports when it is not there.
  [[nodiscard]] Field required(std::string_view key);
  [[nodiscard]] bool isMap() const { return map_ != nullptr; }
  [[nodiscard]] const Field& field() const { return field_; }
  /// Reports the fields that nobody asked for, each with the nearest known name.
  void done();

 private:
  static constexpr std::size_t kMostFields = 40;

  Decoder& decoder_;
  Field field_;
  const Node* map_ = nullptr;
  std::array<std::string_view, kMostFields> known_;  // the first knownCount_
  std::size_t knownCount_ = 0;
};

}  // namespace fairlead::codec
