#include "file.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/tree.hpp>
#include <fairlead/config/errors.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::config {
namespace {

using codec::Node;
using codec::NodeKind;

bool isScalar(const Node& node) {
  return node.kind != NodeKind::list && node.kind != NodeKind::map && node.kind != NodeKind::null;
}

struct Reader {
  std::span<const OptionDef> options;
  std::map<std::string, FileValue, std::less<>> values;
  Errors& errors;

  void wrong(const ErrorCode& code, const std::string& field, const codec::Place& place, Problem problem,
             std::string value = {}) {
    errors.push_back({&code, std::move(problem.message), field, std::move(value), std::move(problem.remedy), place.line,
                      place.column});
  }

  void wrongKind(const OptionDef& def, const std::string& field, const Node& node) {
    wrong(kInvalidValue, field, node.place,
          {fmt::format("is {}, must be {}", codec::describe(node.kind), describe(def.type)), {}});
  }

  /// Nothing when it was wrong, and said so.
  std::optional<Scalar> scalar(const OptionDef& def, const std::string& field, const Node& node) {
    if (!isScalar(node)) {
      wrongKind(def, field, node);
      return {};
    }
    auto value = parseScalar(def, node.text);
    if (value) return std::move(*value);
    wrong(kInvalidValue, field, node.place, value.error(),
          def.secret ? std::string(kSecretMask) : printable(node.text));
    return {};
  }

  void texts(const OptionDef& def, const Node& node) {
    std::vector<std::string> items;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const auto& item = node.items[i];
      if (isScalar(item))
        items.emplace_back(item.text);
      else
        wrong(kInvalidValue, fmt::format("{}[{}]", def.name, i), item.place,
              {fmt::format("is {}, must be a text", codec::describe(item.kind)), {}});
    }
    store(def, node, Value{std::move(items)});
  }

  std::optional<Record> record(const OptionDef& def, const std::string& field, const Node& node) {
    if (node.kind != NodeKind::map) {
      wrong(kInvalidValue, field, node.place, {fmt::format("is {}, must be a map", codec::describe(node.kind)), {}});
      return {};
    }
    for (const auto& entry : node.entries)
      if (std::none_of(def.fields.begin(), def.fields.end(),
                       [&](const OptionDef& known) { return known.name == entry.key; }))
        unknown(fmt::format("{}.{}", field, printable(entry.key)), entry, def.fields, {});
    Record record;
    for (const auto& known : def.fields) {
      const auto* given = node.find(known.name);
      const auto name = fmt::format("{}.{}", field, known.name);
      if (given != nullptr) {
        if (auto value = scalar(known, name, *given)) record.emplace_back(known.name, std::move(*value));
      } else if (auto value = parseScalar(known, known.fallback)) {
        record.emplace_back(known.name, std::move(*value));
      } else {
        wrong(kInvalidValue, name, node.place, {"is missing", {}});
      }
    }
    return record.size() == def.fields.size() ? std::optional(std::move(record)) : std::nullopt;
  }

  void records(const OptionDef& def, const Node& node) {
    std::vector<Record> all;
    for (std::size_t i = 0; i < node.items.size(); ++i)
      if (auto one = record(def, fmt::format("{}[{}]", def.name, i), node.items[i])) all.push_back(std::move(*one));
    store(def, node, Value{std::move(all)});
  }

  void store(const OptionDef& def, const Node& node, Value value) {
    values.emplace(std::string(def.name), FileValue{std::move(value), node.place.line, node.place.column});
  }

  void option(const OptionDef& def, const Node& node) {
    const bool list = def.type == OptionType::texts || def.type == OptionType::records;
    if (!list) {
      if (auto value = scalar(def, std::string(def.name), node)) store(def, node, Value{std::move(*value)});
    } else if (node.kind != NodeKind::list) {
      wrongKind(def, std::string(def.name), node);
    } else if (auto fits = checkLength(def, node.items.size()); !fits) {
      wrong(kInvalidValue, std::string(def.name), node.place, fits.error());
    } else if (def.type == OptionType::texts) {
      texts(def, node);
    } else {
      records(def, node);
    }
  }

  void unknown(const std::string& field, const codec::Entry& entry, std::span<const OptionDef> known,
               std::string_view prefix) {
    std::vector<std::string_view> words;
    for (const auto& def : known) {
      if (!def.name.starts_with(prefix)) continue;
      const auto rest = def.name.substr(prefix.size());
      words.push_back(rest.substr(0, rest.find('.')));
    }
    const auto near = nearest(entry.key, words);
    wrong(kUnknownOption, field, entry.place,
          {"is no option", near ? fmt::format("did you mean {}?", *near) : "see: fairlead config docs"});
  }

  /// `prefix` is empty or ends with a dot.
  void group(const std::string& prefix, const Node& node) {
    for (const auto& entry : node.entries) {
      const auto name = prefix + std::string(entry.key);
      const auto found =
          std::find_if(options.begin(), options.end(), [&](const OptionDef& def) { return def.name == name; });
      const auto inside = name + ".";
      const bool isGroup = std::any_of(options.begin(), options.end(),
                                       [&](const OptionDef& def) { return def.name.starts_with(inside); });
      if (found != options.end())
        option(*found, entry.value);
      else if (!isGroup)
        unknown(prefix + printable(entry.key), entry, options, prefix);
      else if (entry.value.kind == NodeKind::map)
        group(inside, entry.value);
      else if (entry.value.kind != NodeKind::null)
        wrong(kInvalidValue, name, entry.value.place,
              {fmt::format("is {}, must be a map of options", codec::describe(entry.value.kind)), {}});
    }
  }
};

}  // namespace

std::map<std::string, FileValue, std::less<>> readFile(std::span<const OptionDef> options, const std::string& text,
                                                       Errors& errors) {
  const auto documents = codec::parseYamlDocuments(text);
  if (!documents) {
    errors.insert(errors.end(), documents.error().begin(), documents.error().end());
    return {};
  }
  Reader reader{options, {}, errors};
  if (documents->empty()) return {};
  const auto& root = documents->front().root();
  if (documents->size() > 1)
    reader.wrong(kInvalidValue, {}, (*documents)[1].root().place,
                 {"a configuration is one document", "remove the --- before it"});
  else if (root.kind == NodeKind::map)
    reader.group({}, root);
  else if (root.kind != NodeKind::null)
    reader.wrong(kInvalidValue, {}, root.place,
                 {fmt::format("the file is {}, must be a map of options", codec::describe(root.kind)), {}});
  return std::move(reader.values);
}

}  // namespace fairlead::config
