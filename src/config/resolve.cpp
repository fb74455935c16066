#include "file.hpp"

#include <fairlead/base/assert.hpp>
#include <fairlead/base/text.hpp>
#include <fairlead/config/errors.hpp>
#include <fairlead/config/resolve.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace fairlead::config {
namespace {

constexpr std::string_view kPrefix = "FAIRLEAD_";
constexpr std::string_view kStateDirectory = "${stateDirectory}";

const OptionDef* findOption(std::span<const OptionDef> options, std::string_view name) {
  const auto found =
      std::find_if(options.begin(), options.end(), [&](const OptionDef& def) { return def.name == name; });
  return found == options.end() ? nullptr : &*found;
}

struct Given {
  Value value;
  Source source = Source::fallback;
  std::string place;
};
using GivenByName = std::map<std::string, Given, std::less<>>;

Error wrong(const ErrorCode& code, std::string field, Problem problem) {
  return {&code, std::move(problem.message), std::move(field), {}, std::move(problem.remedy)};
}

std::string besideFile(const std::string& fileName, const std::string& path) {
  if (path.empty() || path.front() == '/') return path;
  return (std::filesystem::path(fileName).parent_path() / path).lexically_normal().string();
}

void takeFile(std::span<const OptionDef> options, const Inputs& inputs, GivenByName& given, Errors& errors) {
  if (inputs.fileName.empty()) return;
  for (auto& [name, found] : readFile(options, inputs.fileText, errors)) {
    if (findOption(options, name)->type == OptionType::path) {
      auto& path = std::get<std::string>(std::get<Scalar>(found.value));
      path = besideFile(inputs.fileName, path);
    }
    given[name] = {std::move(found.value), Source::file,
                   fmt::format("{}:{}:{}", inputs.fileName, found.line, found.column)};
  }
}

void takeEnvironment(std::span<const OptionDef> options, const Inputs& inputs, Settings& settings, GivenByName& given,
                     Errors& errors) {
  for (const auto& [variable, text] : inputs.environment) {
    if (!variable.starts_with(kPrefix)) continue;
    const auto found = std::find_if(options.begin(), options.end(),
                                    [&](const OptionDef& def) { return environmentName(def.name) == variable; });
    if (found == options.end()) {
      settings.notes.push_back(fmt::format("{} is set and no option of the daemon", printable(variable)));
      continue;
    }
    auto value = parseValue(*found, text);
    if (value)
      given[std::string(found->name)] = {std::move(*value), Source::environment, variable};
    else
      errors.push_back(wrong(kInvalidValue, fmt::format("{} ({})", found->name, variable), value.error()));
  }
}

Error unknownFlag(std::span<const OptionDef> options, std::string_view flag, std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& def : options) names.push_back(def.name);
  const auto near = nearest(name, names);
  return wrong(kUnknownOption, printable(flag),
               {"is no option", near ? fmt::format("did you mean --{}?", *near) : "see: fairlead config docs"});
}

void takeFlag(std::span<const OptionDef> options, std::string_view flag, GivenByName& given, Errors& errors) {
  const auto equals = flag.find('=');
  const auto head = flag.substr(0, equals);
  const auto name = head.substr(head.starts_with("--") ? 2 : 0);
  const auto* def = head.starts_with("--") ? findOption(options, name) : nullptr;
  if (def == nullptr) return errors.push_back(unknownFlag(options, head, name));
  if (def->secret)
    return errors.push_back(wrong(kSecretInFlag, std::string(head),
                                  {"is a secret, which every process could read in a flag",
                                   fmt::format("set {} or write it in the file", environmentName(name))}));
  if (equals == std::string_view::npos && def->type != OptionType::boolean)
    return errors.push_back(
        wrong(kInvalidValue, std::string(head), {"has no value", fmt::format("write {}=VALUE", head)}));
  auto value = parseValue(*def, equals == std::string_view::npos ? "true" : flag.substr(equals + 1));
  if (!value) return errors.push_back(wrong(kInvalidValue, fmt::format("{} ({})", def->name, head), value.error()));
  given[std::string(name)] = {std::move(*value), Source::flag, std::string(head)};
}

Setting fallbackOf(const OptionDef& def, const std::string& stateDirectory) {
  std::string text(def.fallback);
  if (text.starts_with(kStateDirectory)) text.replace(0, kStateDirectory.size(), stateDirectory);
  auto value = parseValue(def, text);
  FL_ASSERT(value.has_value(), def.name);  // a declaration whose default breaks its own rule
  return {def, std::move(*value), Source::fallback, "default"};
}

std::string stateDirectoryOf(std::span<const OptionDef> options, const GivenByName& given) {
  const auto found = given.find("stateDirectory");
  if (found != given.end()) return std::get<std::string>(std::get<Scalar>(found->second.value));
  const auto* def = findOption(options, "stateDirectory");
  return def != nullptr ? std::string(def->fallback) : std::string();
}

}  // namespace

const Setting& Settings::at(std::string_view name) const {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Setting& setting) { return setting.def.name == name; });
  FL_ASSERT(found != all.end(), name);
  return *found;
}

Checked<Settings> resolve(std::span<const OptionDef> options, const Inputs& inputs) {
  Settings settings;
  Errors errors;
  GivenByName given;
  takeFile(options, inputs, given, errors);
  takeEnvironment(options, inputs, settings, given, errors);
  for (const auto& flag : inputs.flags) takeFlag(options, flag, given, errors);
  if (!errors.empty()) return tl::unexpected(std::move(errors));

  const auto stateDirectory = stateDirectoryOf(options, given);
  for (const auto& def : options) {
    const auto found = given.find(def.name);
    if (found == given.end())
      settings.all.push_back(fallbackOf(def, stateDirectory));
    else
      settings.all.push_back(
          {def, std::move(found->second.value), found->second.source, std::move(found->second.place)});
  }
  return settings;
}

std::vector<std::pair<std::string, std::string>> environmentOf(const char* const* variables) {
  std::vector<std::pair<std::string, std::string>> all;
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    const std::string_view variable = *variables;
    const auto equals = variable.find('=');
    if (equals != std::string_view::npos) all.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  return all;
}

}  // namespace fairlead::config
