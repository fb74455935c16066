#include "sqlite/fields.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/store/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace fairlead::store::sqlite {

std::string failuresToText(const Failures& failures) {
  std::string text;
  for (const auto& [category, name] : kEnumNames<model::FailureCategory>)
    if (const auto count = failures[static_cast<std::size_t>(category)]; count > 0)
      text += fmt::format("{}{}:{}", text.empty() ? "" : " ", name, count);
  return text;
}

std::optional<Failures> failuresFromText(std::string_view text) {
  Failures failures{};
  while (!text.empty()) {
    const auto entry = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(entry.size() + 1, text.size()));
    const auto colon = entry.find(':');
    if (colon == std::string_view::npos) return {};
    const auto category = parseEnum<model::FailureCategory>(entry.substr(0, colon));
    if (!category) return {};
    const auto* last = entry.data() + entry.size();
    const auto [end, error] =
        std::from_chars(entry.data() + colon + 1, last, failures[static_cast<std::size_t>(*category)]);
    if (error != std::errc{} || end != last) return {};
  }
  return failures;
}

void Reader::take(model::Digest& digest) {
  const auto bytes = statement_.blob(column_++);
  if (bytes.size() == digest.size())
    std::ranges::copy(bytes, digest.begin());
  else
    note(fmt::format("{} bytes instead of a digest", bytes.size()));
}

void Reader::take(std::vector<std::uint8_t>& bytes) {
  const auto blob = statement_.blob(column_++);
  bytes.assign(blob.begin(), blob.end());
}

void Reader::take(model::SpecPtr& spec) {
  const auto number = static_cast<std::uint64_t>(statement_.number(column_++));
  if (number >= 1 && number <= specs_.size())
    spec = specs_[number - 1];
  else
    note(fmt::format("spec {}, which is not there", number));
}

void Reader::take(Failures& failures) {
  const auto text = statement_.text(column_++);
  if (text.empty()) return;
  if (const auto known = failuresFromText(text))
    failures = *known;
  else
    note(text);
}

void Reader::note(std::string_view value) {
  if (problem_.empty()) problem_ = fmt::format("column {} holds {}", column_, printable(value, 80));
}

Error unreadable(std::string_view table, std::int64_t key, const std::string& problem) {
  return {&kUnreadableRow,
          fmt::format("table {}, row {}: {}", table, key, problem),
          {},
          {},
          "the row was written by another version or by hand: restore the last backup or correct the row"};
}

}  // namespace fairlead::store::sqlite
