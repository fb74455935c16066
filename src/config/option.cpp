#include <fairlead/base/assert.hpp>
#include <fairlead/base/text.hpp>
#include <fairlead/config/option.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace fairlead::config {
namespace {

using ScalarResult = tl::expected<Scalar, Problem>;

tl::unexpected<Problem> wrong(std::string message, std::string remedy = {}) {
  return tl::unexpected(Problem{std::move(message), std::move(remedy)});
}

/// The value as a message may show it.
std::string shown(const OptionDef& def, std::string_view text) {
  return def.secret ? std::string(kSecretMask) : fmt::format("\"{}\"", printable(text));
}

std::string numberText(const OptionDef& def, std::int64_t number) {
  if (def.type == OptionType::duration) return fairlead::toText(Milliseconds{number});
  if (def.type == OptionType::bytes) return fairlead::toText(Bytes{number});
  return fmt::format("{}", number);
}

std::string rangeText(const OptionDef& def) {
  if (def.most == std::numeric_limits<std::int64_t>::max())
    return fmt::format("at least {}", numberText(def, def.least));
  return fmt::format("{} to {}", numberText(def, def.least), numberText(def, def.most));
}

std::optional<std::int64_t> parseInteger(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return {};
  return number;
}

std::optional<std::int64_t> parseNumber(OptionType type, std::string_view text) {
  if (type == OptionType::integer) return parseInteger(text);
  if (type == OptionType::duration) {
    const auto span = parseDuration(text);
    return span ? std::optional(span->count) : std::nullopt;
  }
  const auto bytes = parseBytes(text);
  return bytes ? std::optional(bytes->count) : std::nullopt;
}

std::string_view example(OptionType type) {
  if (type == OptionType::duration) return "write it like 90s, 5m or 1h30m";
  if (type == OptionType::bytes) return "write it like 64MiB or 512M";
  return "write digits only";
}

ScalarResult parseNumberOption(const OptionDef& def, std::string_view text) {
  const auto number = parseNumber(def.type, text);
  if (!number)
    return wrong(fmt::format("{} is not {}", shown(def, text), describe(def.type)), std::string(example(def.type)));
  if (*number < def.least || *number > def.most)
    return wrong(fmt::format("{} is out of range", shown(def, text)), fmt::format("allowed: {}", rangeText(def)));
  return Scalar{*number};
}

ScalarResult parseTextOption(const OptionDef& def, std::string_view text) {
  if (!isUtf8(text) || text.find('\0') != std::string_view::npos) return wrong("is not valid text");
  if (static_cast<std::int64_t>(text.size()) < def.least) return wrong("is empty");
  if (!def.choices.empty() && std::find(def.choices.begin(), def.choices.end(), text) == def.choices.end()) {
    const auto near = nearest(text, def.choices);
    return wrong(fmt::format("{} is not one of {}", shown(def, text), fmt::join(def.choices, ", ")),
                 near ? fmt::format("did you mean {}?", *near) : std::string());
  }
  if (def.secret) return Scalar{Secret(std::string(text))};
  return Scalar{std::string(text)};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// `key=value,key=value`
tl::expected<Record, Problem> parseRecord(const OptionDef& def, std::string_view text) {
  std::vector<std::pair<std::string_view, std::string_view>> given;
  for (const auto part : split(text, ',')) {
    const auto equals = part.find('=');
    const auto key = part.substr(0, equals);
    if (equals == std::string_view::npos)
      return wrong(fmt::format("\"{}\" has no =", printable(part)), "write key=value,key=value");
    if (std::none_of(def.fields.begin(), def.fields.end(), [&](const OptionDef& field) { return field.name == key; }))
      return wrong(fmt::format("\"{}\" is no field of {}", printable(key), def.name));
    if (std::any_of(given.begin(), given.end(), [&](const auto& pair) { return pair.first == key; }))
      return wrong(fmt::format("{} is given twice", key));
    given.emplace_back(key, part.substr(equals + 1));
  }
  Record record;
  for (const auto& field : def.fields) {
    const auto found =
        std::find_if(given.begin(), given.end(), [&](const auto& pair) { return pair.first == field.name; });
    auto value = parseScalar(field, found == given.end() ? field.fallback : found->second);
    if (!value) return wrong(fmt::format("{}: {}", field.name, value.error().message), value.error().remedy);
    record.emplace_back(field.name, std::move(*value));
  }
  return record;
}

std::string scalarText(const OptionDef& def, const Scalar& scalar) {
  if (const auto* text = std::get_if<std::string>(&scalar)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&scalar)) return numberText(def, *number);
  if (const auto* flag = std::get_if<bool>(&scalar)) return *flag ? "true" : "false";
  return std::get<Secret>(scalar).empty() ? std::string() : std::string(kSecretMask);
}

std::string recordText(const OptionDef& def, const Record& record) {
  std::string text;
  for (std::size_t i = 0; i < record.size(); ++i)
    text += fmt::format("{}{}={}", i > 0 ? "," : "", record[i].first, scalarText(def.fields[i], record[i].second));
  return text;
}

}  // namespace

std::string_view describe(OptionType type) {
  switch (type) {
    case OptionType::text:
      return "a text";
    case OptionType::path:
      return "a path";
    case OptionType::integer:
      return "a whole number";
    case OptionType::boolean:
      return "true or false";
    case OptionType::duration:
      return "a duration";
    case OptionType::bytes:
      return "a number of bytes";
    case OptionType::texts:
      return "a list of texts";
    case OptionType::records:
      return "a list of maps";
  }
  FL_ASSERT(false, "option type");
}

std::string environmentName(std::string_view option) {
  std::string name = "FAIRLEAD_";
  for (const char c : option) {
    if (c == '.') {
      name += '_';
    } else if (c >= 'A' && c <= 'Z') {
      name += '_';
      name += c;
    } else {
      name += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
  }
  return name;
}

ScalarResult parseScalar(const OptionDef& def, std::string_view text) {
  switch (def.type) {
    case OptionType::text:
    case OptionType::path:
      return parseTextOption(def, text);
    case OptionType::boolean:
      if (text == "true" || text == "false") return Scalar{text == "true"};
      return wrong(fmt::format("{} is not true or false", shown(def, text)));
    case OptionType::integer:
    case OptionType::duration:
    case OptionType::bytes:
      return parseNumberOption(def, text);
    case OptionType::texts:
    case OptionType::records:
      break;
  }
  FL_ASSERT(false, "a list is no scalar");
}

tl::expected<void, Problem> checkLength(const OptionDef& def, std::size_t items) {
  const auto count = static_cast<std::int64_t>(items);
  if (count >= def.least && count <= def.most) return {};
  return wrong(fmt::format("{} items", count), fmt::format("allowed: {}", rangeText(def)));
}

tl::expected<Value, Problem> parseValue(const OptionDef& def, std::string_view text) {
  if (def.type != OptionType::texts && def.type != OptionType::records)
    return parseScalar(def, text).map([](Scalar&& scalar) { return Value{std::move(scalar)}; });
  const auto parts = split(text, def.type == OptionType::texts ? ',' : ';');
  if (auto fits = checkLength(def, parts.size()); !fits) return tl::unexpected(std::move(fits).error());
  if (def.type == OptionType::texts) return Value{std::vector<std::string>(parts.begin(), parts.end())};
  std::vector<Record> records;
  for (const auto part : parts) {
    auto record = parseRecord(def, part);
    if (!record) return tl::unexpected(std::move(record).error());
    records.push_back(std::move(*record));
  }
  return Value{std::move(records)};
}

std::string toText(const OptionDef& def, const Value& value) {
  if (const auto* scalar = std::get_if<Scalar>(&value)) return scalarText(def, *scalar);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value))
    return fmt::format("{}", fmt::join(*texts, ","));
  std::string text;
  for (const auto& record : std::get<std::vector<Record>>(value))
    text += (text.empty() ? "" : ";") + recordText(def, record);
  return text;
}

}  // namespace fairlead::config
