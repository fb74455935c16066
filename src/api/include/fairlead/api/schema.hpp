// Shapes: JSON objects declared field by field. From one declaration come the writer, the OpenAPI schema and the checks
// of tests.
#pragma once

#include <fairlead/api/json_of.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fairlead::api {

/// An object's declaration. `must` fields are always there; `may` fields are left out where they are empty (zero, "",
/// none).
template <class T>
class Shape : public ShapeInfo {
 public:
  using ShapeInfo::ShapeInfo;

  template <class Get>
  Shape& must(std::string_view field, std::string_view meaning, Get get) {
    return add(field, meaning, true, std::move(get));
  }
  template <class Get>
  Shape& may(std::string_view field, std::string_view meaning, Get get) {
    return add(field, meaning, false, std::move(get));
  }

  void write(codec::JsonWriter& json, const T& value) const {
    json.beginObject();
    for (const auto& writeField : writers_) writeField(json, value);
    json.endObject();
  }
  [[nodiscard]] std::string text(const T& value) const {
    std::string out;
    codec::JsonWriter json(out);
    write(json, value);
    return out;
  }

 private:
  template <class Get>
  Shape& add(std::string_view field, std::string_view meaning, bool required, Get get) {
    using Value = std::remove_cvref_t<std::invoke_result_t<Get&, const T&>>;
    fields_.push_back({field, meaning, JsonOf<Value>::type(), required});
    writers_.push_back([field, required, get = std::move(get)](codec::JsonWriter& json, const T& whole) {
      decltype(auto) value = std::invoke(get, whole);
      if (!required && JsonOf<Value>::empty(value)) return;
      json.key(field);
      JsonOf<Value>::write(json, value);
    });
    return *this;
  }

  std::vector<std::function<void(codec::JsonWriter&, const T&)>> writers_;
};

/// One page of a list.
template <class T>
struct Page {
  std::vector<T> items;
  std::string nextCursor;
};

}  // namespace fairlead::api
