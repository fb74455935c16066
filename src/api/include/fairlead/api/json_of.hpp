// JSON types as data, and how values of C++ become JSON.
#pragma once

#include <fairlead/base/enum_text.hpp>
#include <fairlead/base/ids.hpp>
#include <fairlead/base/text.hpp>
#include <fairlead/base/units.hpp>
#include <fairlead/codec/json.hpp>

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fairlead::api {

class ShapeInfo;

enum class JsonKind : std::uint8_t { text, time, integer, boolean, list, map, object, any };

/// What a JSON value is.
struct Type {
  JsonKind kind = JsonKind::text;
  std::vector<Type> item = {};                 ///< one, for list and map
  const ShapeInfo* shape = nullptr;            ///< for object
  std::vector<std::string_view> choices = {};  ///< for text: nothing else is allowed
  std::string_view format = {};                ///< for text: `workload-id`, `sha-256`
};

struct FieldInfo {
  std::string_view name;
  std::string_view doc;
  Type type;
  bool required = true;  ///< else left out where it does not apply
};

/// Name, meaning and fields of an object.
class ShapeInfo {
 public:
  ShapeInfo(std::string_view shapeName, std::string_view meaning) : name_(shapeName), doc_(meaning) {}
  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] std::string_view doc() const { return doc_; }
  [[nodiscard]] const std::vector<FieldInfo>& fields() const { return fields_; }

 protected:
  std::string_view name_;
  std::string_view doc_;
  std::vector<FieldInfo> fields_;
};

/// JSON text that is written as it is.
struct RawJson {
  std::string_view text;
};

template <class T>
class Shape;
/// The one shape of a view; specialised next to the view.
template <class T>
const Shape<T>& shapeOf();

/// How a C++ value becomes JSON: its type, its text, and when an optional field of it is left out.
template <class V>
struct JsonOf {
  static Type type() { return {.kind = JsonKind::object, .shape = &shapeOf<V>()}; }
  static void write(codec::JsonWriter& json, const V& value) { shapeOf<V>().write(json, value); }
  static bool empty(const V&) { return false; }
};

template <class V>
  requires std::is_convertible_v<const V&, std::string_view>
struct JsonOf<V> {
  static Type type() { return {.kind = JsonKind::text}; }
  static void write(codec::JsonWriter& json, std::string_view value) { json.value(value); }
  static bool empty(std::string_view value) { return value.empty(); }
};

template <std::integral V>
  requires(!std::same_as<V, bool>)
struct JsonOf<V> {
  static Type type() { return {.kind = JsonKind::integer}; }
  static void write(codec::JsonWriter& json, V value) {
    if constexpr (std::is_signed_v<V>)
      json.value(static_cast<std::int64_t>(value));
    else
      json.value(static_cast<std::uint64_t>(value));
  }
  static bool empty(V value) { return value == 0; }
};

template <>
struct JsonOf<bool> {
  static Type type() { return {.kind = JsonKind::boolean}; }
  static void write(codec::JsonWriter& json, bool value) { json.value(value); }
  static bool empty(bool value) { return !value; }
};

template <>
struct JsonOf<TimePoint> {
  static Type type() { return {.kind = JsonKind::time}; }
  static void write(codec::JsonWriter& json, TimePoint value) { json.value(toText(value)); }
  static bool empty(TimePoint value) { return !value; }
};

template <class Unit>
struct JsonOf<Quantity<Unit>> {
  static Type type() { return {.kind = JsonKind::integer}; }
  static void write(codec::JsonWriter& json, Quantity<Unit> value) { json.value(value.count); }
  static bool empty(Quantity<Unit> value) { return value.count == 0; }
};

template <class Tag>
struct JsonOf<Id<Tag>> {
  static Type type() { return {.kind = JsonKind::text, .format = Tag::prefix == "w" ? "workload-id" : "attempt-id"}; }
  static void write(codec::JsonWriter& json, Id<Tag> value) { json.value(toText(value)); }
  static bool empty(Id<Tag> value) { return !value; }
};

template <class E>
  requires std::is_enum_v<E>
struct JsonOf<E> {
  static Type type() {
    Type type{.kind = JsonKind::text};
    for (const auto& entry : kEnumNames<E>) type.choices.push_back(entry.second);
    return type;
  }
  static void write(codec::JsonWriter& json, E value) { json.value(toText(value)); }
  static bool empty(E) { return false; }
};

template <>
struct JsonOf<RawJson> {
  static Type type() { return {.kind = JsonKind::any}; }
  static void write(codec::JsonWriter& json, RawJson value) { json.raw(value.text); }
  static bool empty(RawJson value) { return value.text.empty(); }
};

template <class V>
struct JsonOf<std::optional<V>> {
  static Type type() { return JsonOf<V>::type(); }
  static void write(codec::JsonWriter& json, const std::optional<V>& value) { JsonOf<V>::write(json, *value); }
  static bool empty(const std::optional<V>& value) { return !value; }
};

template <class V>
struct JsonOf<std::vector<V>> {
  static Type type() { return {.kind = JsonKind::list, .item = {JsonOf<V>::type()}}; }
  static void write(codec::JsonWriter& json, const std::vector<V>& values) {
    json.beginArray();
    for (const auto& value : values) JsonOf<V>::write(json, value);
    json.endArray();
  }
  static bool empty(const std::vector<V>& values) { return values.empty(); }
};

template <class V>
struct JsonOf<std::vector<std::pair<std::string, V>>> {
  static Type type() { return {.kind = JsonKind::map, .item = {JsonOf<V>::type()}}; }
  static void write(codec::JsonWriter& json, const std::vector<std::pair<std::string, V>>& pairs) {
    json.beginObject();
    for (const auto& [key, value] : pairs) {
      json.key(key);
      JsonOf<V>::write(json, value);
    }
    json.endObject();
  }
  static bool empty(const std::vector<std::pair<std::string, V>>& pairs) { return pairs.empty(); }
};

}  // namespace fairlead::api
