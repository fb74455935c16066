// Values as lists of named texts: one description of a value serves writing and reading.
#pragma once

#include "local/fields.hpp"

#include <fairlead/model/spec.hpp>

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairlead::engine::data {

/// Writes what `describe` names.
struct FieldWriter {
  local::Fields fields;

  void value(std::string_view key, const std::string& text) { fields.emplace_back(std::string(key), text); }
  template <std::integral Number>
  void value(std::string_view key, Number number) {
    fields.emplace_back(std::string(key), std::to_string(number));
  }
  template <class Item>
  std::size_t count(std::string_view key, std::vector<Item>& list) {
    value(key, list.size());
    return list.size();
  }
};

/// Reads the same names in the same order.
struct FieldReader {
  const local::Fields& fields;
  std::size_t at = 0;
  bool good = true;

  std::string_view next(std::string_view key) {
    good = good && at < fields.size() && fields[at].first == key;
    return good ? std::string_view(fields[at++].second) : std::string_view();
  }
  void value(std::string_view key, std::string& text) { text = next(key); }
  template <std::integral Number>
  void value(std::string_view key, Number& number) {
    const auto parsed = local::parseNumber(next(key));
    good = good && parsed.has_value();
    if (parsed) number = static_cast<Number>(*parsed);
  }
  template <class Item>
  std::size_t count(std::string_view key, std::vector<Item>& list) {
    std::size_t size = 0;
    value(key, size);
    if (size > fields.size()) good = false;  // each item takes a field at least
    list.resize(good ? size : 0);
    return list.size();
  }
};

template <class Archive>
void describe(Archive& a, std::string_view key, std::vector<std::string>& words) {
  a.count(key, words);
  for (auto& word : words) a.value("word", word);
}

template <class Archive>
void describe(Archive& a, model::OutputRule& output) {
  a.value("output", output.name);
  a.value("path", output.path);
  a.value("metrics", output.metrics);
}

template <class Archive>
void describe(Archive& a, std::optional<model::CheckpointRule>& rule) {
  int present = rule ? 1 : 0;
  a.value("checkpoint", present);
  if (present == 0) return;
  if (!rule) rule.emplace();
  int kind = static_cast<int>(rule->valid.kind);
  a.value("path", rule->path);
  a.value("validKind", kind);
  rule->valid.kind = static_cast<model::CheckpointValidity::Kind>(kind);
  a.value("validFile", rule->valid.file);
  describe(a, "validCommand", rule->valid.command);
  a.value("signal", rule->signal);
  a.value("grace", rule->grace.count);
}

}  // namespace fairlead::engine::data
