#include "key_values.hpp"

namespace fairlead::codec::slurm {
namespace {

bool holds(std::span<const std::string_view> keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

/// Splits one line into pairs. A word without `=` belongs to the value before it.
void readLine(std::string_view line, const KeyValueShape& shape, std::vector<KeyValue>& pairs) {
  while (!line.empty()) {
    line = line.substr(std::min(line.size(), line.find_first_not_of(' ')));
    const auto space = line.find(' ');
    const auto word = line.substr(0, space);
    const auto equals = word.find('=');
    if (equals == std::string_view::npos) {
      if (word.empty()) return;
      if (!pairs.empty() && pairs.back().value.data() != nullptr) {
        auto& value = pairs.back().value;  // the two are parts of one line
        const auto* end = word.data() + word.size();
        if (value.data() + value.size() <= word.data())
          value = {value.data(), static_cast<std::size_t>(end - value.data())};
      }
      line.remove_prefix(word.size());
      continue;
    }
    const auto key = word.substr(0, equals);
    if (holds(shape.freeText, key)) {
      pairs.push_back({key, trim(line.substr(equals + 1))});
      return;
    }
    pairs.push_back({key, word.substr(equals + 1)});
    line.remove_prefix(word.size());
  }
}

void finishRecord(KeyValueRecord& record, const KeyValueShape& shape,
                  const std::function<void(KeyValueRecord&)>& visit) {
  if (record.pairs.empty()) return;
  std::vector<std::string_view> seen;
  for (const auto& pair : record.pairs)
    if (!holds(shape.repeated, pair.key)) seen.push_back(pair.key);
  std::sort(seen.begin(), seen.end());
  const auto twice = std::adjacent_find(seen.begin(), seen.end());
  if (twice != seen.end()) record.duplicate = *twice;
  visit(record);
  record = {};
}

}  // namespace

void eachRecord(std::string_view text, const KeyValueShape& shape, const std::function<void(KeyValueRecord&)>& visit) {
  KeyValueRecord record;
  bool inside = false;
  while (!text.empty()) {
    const auto line = takeUntil(text, '\n');
    if (line.starts_with(shape.first) && line.substr(shape.first.size()).starts_with('=')) {
      finishRecord(record, shape, visit);
      inside = true;
    } else if (trim(line).empty() || line.starts_with("shell-init:") || line.starts_with("chdir:")) {
      continue;
    } else if (!line.starts_with(' ')) {
      inside = false;  // text that is no record: `No jobs in the system`
    }
    if (inside) readLine(line, shape, record.pairs);
  }
  finishRecord(record, shape, visit);
}

}  // namespace fairlead::codec::slurm
