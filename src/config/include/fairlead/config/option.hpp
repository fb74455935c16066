// The one declaration of an option: its parser, its documentation, its environment name and its flag come from it.
#pragma once

#include <fairlead/base/secret.hpp>

#include <tl/expected.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fairlead::config {

enum class OptionType : std::uint8_t {
  text,
  path,      ///< in a file: relative to the file's folder; elsewhere: to the working directory
  integer,   ///< of `unit`
  boolean,   ///< true or false
  duration,  ///< `90s`; held in milliseconds
  bytes,     ///< `64MiB`
  texts,     ///< a list; in environment and flags separated by commas
  records,   ///< a list of maps with `fields`; in environment and flags `key=value,key=value;key=value`
};

struct OptionDef {
  std::string_view name;  ///< dotted, as in the file: `store.path`; words in camelCase
  OptionType type = OptionType::text;
  std::string_view unit{};  ///< of integers, for people: `connections`
  std::string_view
      fallback{};  ///< as the environment would say it; empty: nothing. A path may start with `${stateDirectory}`
  std::int64_t least = 0;  ///< of the number, the length of a list, the bytes of a text
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::span<const std::string_view> choices{};  ///< of a text; empty: any
  std::string_view doc{};                       ///< one sentence
  bool secret = false;                          ///< shown as ***, refused as a flag
  bool live = false;                            ///< takes effect without a restart
  std::span<const OptionDef> fields{};          ///< of records; the fields are scalars
};

using Scalar = std::variant<std::string, std::int64_t, bool, Secret>;
/// The fields of one record, in the order of their declaration, none missing.
using Record = std::vector<std::pair<std::string_view, Scalar>>;
using Value = std::variant<Scalar, std::vector<std::string>, std::vector<Record>>;

/// What is wrong with a text, and what would be right. Never holds a secret.
struct Problem {
  std::string message;
  std::string remedy;
};

/// `store.path` is FAIRLEAD_STORE_PATH, `stateDirectory` is FAIRLEAD_STATE_DIRECTORY.
[[nodiscard]] std::string environmentName(std::string_view option);

/// One scalar of an option that is no list, checked for type, range and choices.
[[nodiscard]] tl::expected<Scalar, Problem> parseScalar(const OptionDef& def, std::string_view text);
/// A whole value as environment and flags write it.
[[nodiscard]] tl::expected<Value, Problem> parseValue(const OptionDef& def, std::string_view text);
/// Nothing when a list of that many items is fine.
[[nodiscard]] tl::expected<void, Problem> checkLength(const OptionDef& def, std::size_t items);

/// As the environment would say it; secrets as ***.
[[nodiscard]] std::string toText(const OptionDef& def, const Value& value);
/// `a duration`, `a list of texts`: for messages and documentation.
[[nodiscard]] std::string_view describe(OptionType type);

}  // namespace fairlead::config
