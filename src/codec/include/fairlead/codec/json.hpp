// JSON out: a writer that only appends, and the rows that the store and the API keep as JSON. No doubles anywhere.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/model/workload.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairlead::codec {

/// Appends `text` quoted and escaped. Invalid UTF-8 and NUL become U+FFFD, so the result is always valid JSON.
void appendJsonString(std::string& out, std::string_view text);

/// Writes one JSON value into a string. Commas are its work; balance is the caller's. Members are written in call
/// order.
///   JsonWriter json(out);
///   json.beginObject().member("id", "w-7k3f9").member("devices", std::int64_t{4}).endObject();
class JsonWriter {
 public:
  explicit JsonWriter(std::string& out) : out_(out) {}

  JsonWriter& beginObject() { return open('{'); }
  JsonWriter& endObject() { return close('}'); }
  JsonWriter& beginArray() { return open('['); }
  JsonWriter& endArray() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(std::int32_t number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(std::uint32_t number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(std::uint64_t number);
  JsonWriter& value(bool truth);
  JsonWriter& null();
  /// Appends `json`, which must be one valid JSON value.
  JsonWriter& raw(std::string_view json);
  template <class T>
  JsonWriter& member(std::string_view name, const T& content) {
    return key(name).value(content);
  }
  template <std::size_t N>
  JsonWriter& member(std::string_view name, const char (&content)[N]) {
    return key(name).value(std::string_view(content));
  }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void separate();

  std::string& out_;
  bool comma_ = false;
};

using TextPairs = std::vector<std::pair<std::string, std::string>>;

// Rows. `...FromJson` reads what `...ToJson` wrote and fails with kBadRow for anything else.
[[nodiscard]] std::string placementToJson(const std::vector<model::MemberPlacement>& placement);
[[nodiscard]] Result<std::vector<model::MemberPlacement>> placementFromJson(std::string_view json);
[[nodiscard]] std::string endsToJson(const std::vector<model::MemberEnd>& ends);
[[nodiscard]] Result<std::vector<model::MemberEnd>> endsFromJson(std::string_view json);
/// `native` is set.
[[nodiscard]] std::string nativeToJson(const model::NativePtr& native);
[[nodiscard]] Result<model::NativePtr> nativeFromJson(std::string_view json);
/// An object; keys in the order given.
[[nodiscard]] std::string labelsToJson(const model::Labels& labels);
[[nodiscard]] Result<model::Labels> labelsFromJson(std::string_view json);
[[nodiscard]] std::string metricsToJson(const TextPairs& metrics);
[[nodiscard]] Result<TextPairs> metricsFromJson(std::string_view json);
[[nodiscard]] std::string stringsToJson(const std::vector<std::string>& strings);
[[nodiscard]] Result<std::vector<std::string>> stringsFromJson(std::string_view json);

// The same onto the end of a writer, for larger documents.
void writePlacement(JsonWriter& json, const std::vector<model::MemberPlacement>& placement);
void writeEnds(JsonWriter& json, const std::vector<model::MemberEnd>& ends);
void writePairs(JsonWriter& json, const TextPairs& pairs);

}  // namespace fairlead::codec
