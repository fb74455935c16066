// Tables like kubectl's, and answers as JSON, YAML or names.
#pragma once

#include "context.hpp"

#include <fairlead/base/units.hpp>

#include <string>
#include <vector>

namespace fairlead::cli {

/// Columns as wide as their widest cell, two spaces between; the last is not padded. `wide` ones only with -o wide.
class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;  ///< numbers stand right
    bool wide = false;
  };
  Table(const Context& context, std::vector<Column> columns) : context_(context), columns_(std::move(columns)) {}
  /// One cell per column.
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] std::string text() const;

 private:
  const Context& context_;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// True for table and wide: lines for people.
[[nodiscard]] bool wantsTable(const Context& context);
/// Prints `value` in the format asked for; for `name` the field `id` or `name` of it, or of each item. False: a table
/// is wanted.
bool printed(const Context& context, const boost::json::value& value);
void print(std::string_view text);
void printError(std::string_view text);

/// `3h12m` since an RFC 3339 time; empty for none.
[[nodiscard]] std::string age(const std::string& time);
/// `in 12m`, `12m ago`.
[[nodiscard]] std::string relative(const std::string& time);
/// `14:40`, or with the date when it is not today; local time.
[[nodiscard]] std::string clockText(const std::string& time);
[[nodiscard]] std::string devicesText(std::int64_t milliDevices);
/// Device-hours: `1 024.0`, and with three decimals below ten so that a trial on a laptop shows: `0.012`.
[[nodiscard]] std::string hoursText(std::int64_t microDeviceSeconds);
/// The money of a Cost object, one amount for each currency; `no price` where nothing was priced.
[[nodiscard]] std::string moneyOf(const boost::json::value& cost);
/// States in colour on a terminal.
[[nodiscard]] std::string coloured(const Context& context, const std::string& state);
/// Columns that a text takes on a terminal, escape sequences left out.
[[nodiscard]] std::size_t displayWidth(std::string_view text);

}  // namespace fairlead::cli
