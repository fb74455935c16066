#include "json_check.hpp"

#include <fairlead/model/ids.hpp>

#include <algorithm>

namespace fairlead::api::testing {

namespace json = boost::json;

namespace {

std::string misfitText(const json::value& value, const Type& type, const std::string& path) {
  if (!value.is_string()) return path + " is no text";
  const std::string_view text(value.as_string());
  if (!type.choices.empty() && std::find(type.choices.begin(), type.choices.end(), text) == type.choices.end())
    return path + " is none of its choices: " + std::string(text);
  if (type.format == "workload-id" && !parseId<model::WorkloadTag>(text))
    return path + " is no workload id: " + std::string(text);
  if (type.format == "attempt-id" && !parseId<model::AttemptTag>(text))
    return path + " is no attempt id: " + std::string(text);
  return {};
}

std::string misfitItems(const json::value& value, const Type& type, const std::string& path) {
  if (type.kind == JsonKind::list) {
    if (!value.is_array()) return path + " is no list";
    for (std::size_t i = 0; i < value.as_array().size(); ++i)
      if (auto wrong = misfit(value.as_array()[i], type.item.front(), path + "[" + std::to_string(i) + "]");
          !wrong.empty())
        return wrong;
    return {};
  }
  if (!value.is_object()) return path + " is no map";
  for (const auto& entry : value.as_object())
    if (auto wrong = misfit(entry.value(), type.item.front(), path + "." + std::string(entry.key())); !wrong.empty())
      return wrong;
  return {};
}

}  // namespace

std::string misfit(const json::value& value, const Type& type, const std::string& path) {
  switch (type.kind) {
    case JsonKind::text:
      return misfitText(value, type, path);
    case JsonKind::time:
      if (!value.is_string() || !parseTime(std::string_view(value.as_string()))) return path + " is no time";
      return {};
    case JsonKind::integer:
      return value.is_int64() || value.is_uint64() ? std::string() : path + " is no integer";
    case JsonKind::boolean:
      return value.is_bool() ? std::string() : path + " is no boolean";
    case JsonKind::list:
    case JsonKind::map:
      return misfitItems(value, type, path);
    case JsonKind::object:
      return misfit(value, *type.shape, path);
    case JsonKind::any:
      return {};
  }
  return path + " has an unknown type";
}

std::string misfit(const json::value& value, const ShapeInfo& shape, const std::string& path) {
  if (!value.is_object()) return path + " is no object";
  const auto& object = value.as_object();
  for (const auto& field : shape.fields()) {
    const auto* found = object.if_contains(field.name);
    if (found == nullptr && field.required) return path + "." + std::string(field.name) + " is missing";
    if (found == nullptr) continue;
    if (auto wrong = misfit(*found, field.type, path + "." + std::string(field.name)); !wrong.empty()) return wrong;
  }
  for (const auto& entry : object) {
    const std::string_view key(entry.key());
    const bool known = std::any_of(shape.fields().begin(), shape.fields().end(),
                                   [&](const FieldInfo& field) { return field.name == key; });
    if (!known) return path + "." + std::string(key) + " is not declared";
  }
  return {};
}

}  // namespace fairlead::api::testing
