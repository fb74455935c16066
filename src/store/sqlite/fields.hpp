// How one field of a row is bound to a statement and read from a column: numbers as integers, enums by name, digests
// and signatures as blobs, lists as JSON. What is empty or usual costs no JSON work.
#pragma once

#include "changes.hpp"
#include "sqlite/database.hpp"
#include "sqlite/tables.hpp"

#include <fairlead/base/enum_text.hpp>
#include <fairlead/codec/json.hpp>

#include <array>
#include <optional>
#include <unordered_map>

namespace fairlead::store::sqlite {

using Failures = decltype(model::Workload::failures);

/// `exit:2 node-lost:1`; empty when all are zero.
[[nodiscard]] std::string failuresToText(const Failures& failures);
[[nodiscard]] std::optional<Failures> failuresFromText(std::string_view text);

/// Numbers of specs in the table, by digest.
using SpecNumbers = std::unordered_map<model::Digest, std::int64_t, DigestHash>;

/// Binds one row, field after field.
class Binder {
 public:
  Binder(Statement& statement, const SpecNumbers& specs) : statement_(statement), specs_(specs) {}

  template <class... Fields>
  void all(const std::tuple<const Fields&...>& fields) {
    std::apply([this](const auto&... field) { (put(field), ...); }, fields);
  }

 private:
  template <class T>
    requires std::is_integral_v<T>
  void put(T value) {
    statement_.bind(++position_, static_cast<std::int64_t>(value));
  }
  template <class E>
    requires std::is_enum_v<E>
  void put(E value) {
    statement_.bind(++position_, toText(value));
  }
  template <class Unit>
  void put(Quantity<Unit> value) {
    put(value.count);
  }
  template <class Tag>
  void put(Id<Tag> id) {
    put(id.value);
  }
  void put(TimePoint moment) { put(moment.msSinceEpoch); }
  void put(const std::string& text) { statement_.bind(++position_, std::string_view(text)); }
  void put(const model::Digest& digest) { statement_.bind(++position_, std::span<const std::uint8_t>(digest)); }
  void put(const std::vector<std::uint8_t>& bytes) {
    statement_.bind(++position_, std::span<const std::uint8_t>(bytes));
  }
  void put(const model::SpecPtr& spec) { put(specs_.at(spec->digest)); }
  void put(const codec::TextPairs& pairs) { putJson(pairs.empty(), "{}", codec::labelsToJson, pairs); }
  void put(const std::vector<std::string>& list) { putJson(list.empty(), "[]", codec::stringsToJson, list); }
  void put(const std::vector<model::MemberPlacement>& list) {
    putJson(list.empty(), "[]", codec::placementToJson, list);
  }
  void put(const std::vector<model::MemberEnd>& list) { putJson(list.empty(), "[]", codec::endsToJson, list); }
  void put(const model::NativePtr& native) { putJson(native == nullptr, "", codec::nativeToJson, native); }
  void put(const Failures& failures) { putJson(failures == Failures{}, "", failuresToText, failures); }

  template <class Encode, class T>
  void putJson(bool isEmpty, std::string_view empty, Encode encode, const T& value) {
    ++position_;
    if (isEmpty)
      statement_.bind(position_, empty);
    else
      statement_.bindCopy(position_, encode(value));
  }

  Statement& statement_;
  const SpecNumbers& specs_;
  int position_ = 0;
};

/// Binds a statement's only row.
template <class Row>
void bindRow(Statement& statement, const Row& row, const SpecNumbers& specs) {
  Binder(statement, specs).all(Table<Row>::fields(row));
}

/// Reads one row, column after column. The first that cannot be understood is kept as `problem`.
class Reader {
 public:
  /// `specs`: documents by number less one.
  Reader(const Statement& statement, std::span<const model::SpecPtr> specs) : statement_(statement), specs_(specs) {}

  template <class... Fields>
  void all(const std::tuple<Fields&...>& fields) {
    std::apply([this](auto&... field) { (take(field), ...); }, fields);
  }
  /// Empty: all was understood; else what was not.
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  template <class T>
    requires std::is_integral_v<T>
  void take(T& value) {
    value = static_cast<T>(statement_.number(column_++));
  }
  template <class E>
    requires std::is_enum_v<E>
  void take(E& value) {
    const auto text = statement_.text(column_++);
    if (const auto known = parseEnum<E>(text))
      value = *known;
    else
      note(text);
  }
  template <class Unit>
  void take(Quantity<Unit>& value) {
    take(value.count);
  }
  template <class Tag>
  void take(Id<Tag>& id) {
    take(id.value);
  }
  void take(bool& truth) { truth = statement_.number(column_++) != 0; }
  void take(TimePoint& moment) { take(moment.msSinceEpoch); }
  void take(std::string& text) { text = statement_.text(column_++); }
  void take(model::Digest& digest);
  void take(std::vector<std::uint8_t>& bytes);
  void take(model::SpecPtr& spec);
  void take(codec::TextPairs& pairs) { takeJson(pairs, "{}", codec::labelsFromJson); }
  void take(std::vector<std::string>& list) { takeJson(list, "[]", codec::stringsFromJson); }
  void take(std::vector<model::MemberPlacement>& list) { takeJson(list, "[]", codec::placementFromJson); }
  void take(std::vector<model::MemberEnd>& list) { takeJson(list, "[]", codec::endsFromJson); }
  void take(model::NativePtr& native) { takeJson(native, "", codec::nativeFromJson); }
  void take(Failures& failures);

  template <class T, class Decode>
  void takeJson(T& value, std::string_view empty, Decode decode) {
    const auto text = statement_.text(column_++);
    if (text == empty) return;
    auto decoded = decode(text);
    if (decoded)
      value = std::move(*decoded);
    else
      note(text);
  }
  void note(std::string_view value);

  const Statement& statement_;
  std::span<const model::SpecPtr> specs_;
  std::string problem_;
  int column_ = 0;
};

/// The statement's current row.
template <class Row>
[[nodiscard]] Result<Row> readRow(const Statement& statement, std::span<const model::SpecPtr> specs = {});

/// store/unreadable-row: a column of `table` holds what this version does not understand.
[[nodiscard]] Error unreadable(std::string_view table, std::int64_t key, const std::string& problem);

template <class Row>
Result<Row> readRow(const Statement& statement, std::span<const model::SpecPtr> specs) {
  Row row;
  Reader reader(statement, specs);
  reader.all(Table<Row>::fields(row));
  if (!reader.problem().empty())
    return tl::unexpected(unreadable(Table<Row>::name, statement.number(0), reader.problem()));
  return row;
}

}  // namespace fairlead::store::sqlite
