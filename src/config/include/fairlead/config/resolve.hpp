// From declarations, file, environment and flags to one value per option, each with the place it came from.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/config/option.hpp>

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fairlead::config {

/// A later one wins over an earlier one.
enum class Source : std::uint8_t { fallback, file, environment, flag };

struct Inputs {
  std::string fileName;                                          ///< empty: no file
  std::string fileText;                                          ///< YAML
  std::vector<std::pair<std::string, std::string>> environment;  ///< all variables; those without FAIRLEAD_ are ignored
  std::vector<std::string> flags;  ///< each `--store.path=VALUE`; a boolean may leave out `=true`
};

struct Setting {
  OptionDef def;
  Value value;
  Source source = Source::fallback;
  std::string place;  ///< `fairlead.yaml:4:3`, `FAIRLEAD_STORE_PATH`, `--store.path`, `default`
};

struct Settings {
  std::vector<Setting> all;        ///< in the order of the declarations
  std::vector<std::string> notes;  ///< survivable oddities: variables FAIRLEAD_... that no option has

  /// `name` must be declared.
  [[nodiscard]] const Setting& at(std::string_view name) const;
};

/// All errors at once, in the order file, environment, flags. Errors of the file carry line and column; those of the
/// others name the variable or flag in the field.
[[nodiscard]] Checked<Settings> resolve(std::span<const OptionDef> options, const Inputs& inputs);

/// The process's environment as Inputs want it.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> environmentOf(const char* const* variables);

}  // namespace fairlead::config
