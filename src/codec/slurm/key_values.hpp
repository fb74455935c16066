// `scontrol show` text: records of `Key=value` pairs over several lines. Keys that hold free text take the rest of
// their line, so that nothing a user wrote is read as a pair of its own.
#pragma once

#include "columns.hpp"

#include <fairlead/codec/slurm/text_output.hpp>

#include <fmt/format.h>

#include <span>

namespace fairlead::codec::slurm {

struct KeyValue {
  std::string_view key, value;
};

struct KeyValueShape {
  std::string_view first;                      ///< the key that begins a record
  std::span<const std::string_view> freeText;  ///< keys whose value is the rest of the line
  std::span<const std::string_view> repeated;  ///< keys that may stand more than once
};

struct KeyValueRecord {
  std::vector<KeyValue> pairs;
  std::string_view duplicate;  ///< a key that stands twice and may not
};

/// Calls `visit` for each record; the views live as long as `text`.
void eachRecord(std::string_view text, const KeyValueShape& shape, const std::function<void(KeyValueRecord&)>& visit);

template <class Record>
using KeyRow = ColumnRow<Record>;

/// Records by table of keys. `finish` gets every pair too, for what needs more than one; false sets the record aside.
template <class Record>
SlurmList<Record> readKeyValues(std::string_view text, const TextContext& context, const KeyValueShape& shape,
                                std::span<const KeyRow<Record>> rows,
                                bool (*finish)(Record&, const KeyValueRecord&, const TextContext&)) {
  SlurmList<Record> list;
  std::size_t index = 0;
  eachRecord(text, shape, [&](KeyValueRecord& pairs) {
    const auto place = fmt::format("{}[{}]", shape.first, index++);
    Record record;
    if (!pairs.duplicate.empty()) {
      ++list.answer.setAside;
      list.answer.report(place, pairs.duplicate, "a key that stands twice");
      return;
    }
    for (const auto& [key, value] : pairs.pairs) {
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.name == key; });
      if (row == rows.end() || row->read(value, record, context)) continue;
      list.answer.report(fmt::format("{}.{}", place, key), value, "cannot be read");
      if constexpr (requires { record.damaged; }) record.damaged = true;
    }
    if (finish(record, pairs, context)) {
      list.records.push_back(std::move(record));
    } else {
      ++list.answer.setAside;
      list.answer.report(place, pairs.pairs.empty() ? "" : pairs.pairs[0].value, "without a name or state");
    }
  });
  list.answer.complete = true;
  return list;
}

}  // namespace fairlead::codec::slurm
