// Lists of named texts in one line each or one line together: the form of orders, intents and journal records. Readable
// with `cat`, exact for any bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairlead::engine::local {

using Fields = std::vector<std::pair<std::string, std::string>>;

/// `key=value` joined by `separator` (a tab or a newline), which together with backslashes is escaped in values.
[[nodiscard]] std::string encodeFields(const Fields& fields, char separator);
/// Nothing when the text does not have the form.
[[nodiscard]] std::optional<Fields> decodeFields(std::string_view text, char separator);
/// The first value of that name, or nothing.
[[nodiscard]] std::optional<std::string_view> findField(const Fields& fields, std::string_view key);
/// The whole text as a decimal number.
[[nodiscard]] std::optional<std::int64_t> parseNumber(std::string_view text);
/// The number of that name, or 0 where it is missing or no number.
[[nodiscard]] std::int64_t numberField(const Fields& fields, std::string_view key);
[[nodiscard]] std::string textField(const Fields& fields, std::string_view key);

/// Tells a torn or edited text; not against forgery. FNV-1a, 16 hex digits.
[[nodiscard]] std::string checksum(std::string_view text);

}  // namespace fairlead::engine::local
