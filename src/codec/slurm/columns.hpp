// Tables of text with a delimiter, by table of columns.
#pragma once

#include "text.hpp"

#include <fairlead/codec/slurm/text_output.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace fairlead::codec::slurm {

/// Reads one column; false for what it is not.
template <class Record>
struct ColumnRow {
  std::string_view name;
  bool (*read)(std::string_view text, Record& record, const TextContext& context);
};

/// Where the columns of a line end; its last one at the line's end.
void splitColumns(std::string_view line, char delimiter, std::vector<std::uint32_t>& ends);

inline std::string_view columnOf(std::string_view line, const std::vector<std::uint32_t>& ends, std::size_t column) {
  const auto from = column == 0 ? 0 : ends[column - 1] + 1;
  return line.substr(from, ends[column] - from);
}

namespace column {

/// Texts that stand for nothing become empty.
inline void assign(std::string& out, std::string_view text) {
  if (text == "(null)" || text == "N/A")
    out.clear();
  else
    out = text;
}
template <auto Member, class Record>
bool text(std::string_view value, Record& r, const TextContext&) {
  assign(r.*Member, value);
  return true;
}
template <auto Member, class Record>
bool words(std::string_view value, Record& r, const TextContext&) {
  auto& out = r.*Member;
  out.clear();
  if (isUnsetText(value)) return true;
  while (!value.empty()) out.emplace_back(takeUntil(value, ','));
  return true;
}
template <auto Member, class Record>
bool count(std::string_view value, Record& r, const TextContext&) {
  auto& out = r.*Member;
  out = {};
  if (isUnsetText(value) || value == "UNLIMITED") return true;
  const bool negative = value.starts_with('-');
  const auto number = parseCount(negative ? value.substr(1) : value);
  if (!number) return false;
  if (!isUnsetMarker(*number)) out = negative ? -*number : *number;
  return true;
}
template <auto Member, class Record>
bool id(std::string_view value, Record& r, const TextContext&) {
  auto& out = r.*Member;
  out = {};
  if (isUnsetText(value)) return true;
  const auto number = parseId(value);
  if (number && *number < 0xFFFF'FFFE) out = *number;
  return number.has_value();
}
template <auto Member, class Record>
bool moment(std::string_view value, Record& r, const TextContext& c) {
  return readInstant(value, r.*Member, c.utcOffsetMinutes);
}
template <auto Member, class Record>
bool span(std::string_view value, Record& r, const TextContext&) {
  return readSpan(value, r.*Member);
}
template <auto Member, class Record>
bool seconds(std::string_view value, Record& r, const TextContext&) {
  (r.*Member).reset();
  if (isUnsetText(value)) return true;
  const auto number = parseCount(value);
  if (number && *number < 100'000'000'000) r.*Member = Milliseconds{*number * 1000};
  return number.has_value();
}
template <auto Member, class Record>
bool limit(std::string_view value, Record& r, const TextContext&) {
  return readLimit(value, r.*Member);
}
template <auto Member, class Record>
bool tres(std::string_view value, Record& r, const TextContext&) {
  return readTres(value, r.*Member);
}
template <auto Member, class Record>
bool exit(std::string_view value, Record& r, const TextContext&) {
  return readExitCode(value, r.*Member);
}

}  // namespace column

/// A whole text with a header line, or with `fixed` columns and none.
template <class Record>
SlurmList<Record> readColumns(std::string_view text, const TextContext& context,
                              std::span<const ColumnRow<Record>> rows, bool hasHeader, bool (*complete)(Record&)) {
  SlurmList<Record> list;
  std::vector<const ColumnRow<Record>*> bound;
  if (!hasHeader)
    for (const auto& row : rows) bound.push_back(&row);
  std::vector<std::uint32_t> ends;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const auto whole = takeUntil(text, '\n');
    if (whole.empty() || whole.starts_with("shell-init:") || whole.starts_with("chdir:")) continue;
    splitColumns(whole, context.delimiter, ends);
    if (bound.empty()) {
      for (std::size_t c = 0; c < ends.size(); ++c) {
        const auto name = columnOf(whole, ends, c);
        const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.name == name; });
        bound.push_back(row == rows.end() ? nullptr : &*row);
      }
      continue;
    }
    const auto place = fmt::format("line {}", line);
    if (ends.size() != bound.size()) {
      ++list.answer.setAside;
      list.answer.report(place, whole, fmt::format("{} columns instead of {}", ends.size(), bound.size()));
      continue;
    }
    Record record;
    for (std::size_t c = 0; c < bound.size(); ++c) {
      const auto value = columnOf(whole, ends, c);
      if (bound[c] != nullptr && !bound[c]->read(value, record, context)) {
        list.answer.report(fmt::format("{}, {}", place, bound[c]->name), value, "cannot be read");
        if constexpr (requires { record.damaged; }) record.damaged = true;
      }
    }
    if (complete == nullptr || complete(record)) {
      list.records.push_back(std::move(record));
    } else {
      ++list.answer.setAside;
      list.answer.report(place, whole, "without a name");
    }
  }
  list.answer.complete = !bound.empty();
  return list;
}

}  // namespace fairlead::codec::slurm
