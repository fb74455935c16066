#include <fairlead/base/text.hpp>
#include <fairlead/config/report.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::config {
namespace {

bool isNumber(OptionType type) {
  return type == OptionType::integer || type == OptionType::duration || type == OptionType::bytes;
}

std::string bound(const OptionDef& def, std::int64_t number) { return toText(def, Value{Scalar{number}}); }

std::string rangeText(const OptionDef& def) {
  if (!def.choices.empty()) return fmt::format("`{}`", fmt::join(def.choices, "`, `"));
  if (!isNumber(def.type)) return {};
  if (def.most == std::numeric_limits<std::int64_t>::max()) return fmt::format("at least {}", bound(def, def.least));
  return fmt::format("{} to {}", bound(def, def.least), bound(def, def.most));
}

std::string typeText(const OptionDef& def) {
  std::string text(describe(def.type));
  if (!def.unit.empty()) text += fmt::format(" ({})", def.unit);
  if (def.secret) text += ", secret";
  return text;
}

void appendRow(std::string& page, const OptionDef& def, std::string_view name) {
  page += fmt::format("| `{}` | {} | {} | {} | {}{} |\n", name, typeText(def),
                      def.fallback.empty() ? "" : fmt::format("`{}`", def.fallback), rangeText(def), def.doc,
                      def.live ? " Takes effect without a restart." : "");
}

}  // namespace

std::string renderErrors(const Errors& errors, std::string_view fileName) {
  std::string text;
  for (const auto& error : errors) {
    if (error.line > 0) text += fmt::format("{}:{}:{}: ", fileName, error.line, error.column);
    text += fairlead::toText(error) + "\n";
  }
  return text;
}

std::string explain(const Settings& settings) {
  std::size_t nameWidth = 6;
  std::size_t valueWidth = 5;
  std::vector<std::string> values;
  for (const auto& setting : settings.all) {
    values.push_back(printable(toText(setting.def, setting.value)));
    if (values.back().empty()) values.back() = "-";
    nameWidth = std::max(nameWidth, setting.def.name.size());
    valueWidth = std::max(valueWidth, std::min<std::size_t>(values.back().size(), 40));
  }
  std::string text = fmt::format("{:<{}}  {:<{}}  FROM\n", "OPTION", nameWidth, "VALUE", valueWidth);
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{:<{}}  {:<{}}  {}\n", settings.all[i].def.name, nameWidth, values[i], valueWidth,
                        settings.all[i].place);
  for (const auto& note : settings.notes) text += fmt::format("note: {}\n", note);
  return text;
}

std::string docs(std::span<const OptionDef> options) {
  std::string page =
      "# Options\n\nMade by `fairlead config docs` from the declarations.\n\n"
      "An option can be set in the file (`fairlead serve --config FILE`, YAML, `store.path` is `path` under `store`), "
      "in the\n"
      "environment (`FAIRLEAD_STORE_PATH`) and as a flag (`--store.path=VALUE`); the later in this list wins.\n"
      "`fairlead config explain` tells each value and where it came from, `fairlead config check` all errors at "
      "once.\n\n"
      "| option | type | default | range | meaning |\n| --- | --- | --- | --- | --- |\n";
  for (const auto& def : options) {
    appendRow(page, def, def.name);
    for (const auto& field : def.fields) appendRow(page, field, fmt::format("{}[].{}", def.name, field.name));
  }
  return page;
}

}  // namespace fairlead::config
