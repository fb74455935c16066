// The frame of an answer: `{"jobs": [...], "meta": {...}, "errors": [...], "warnings": [...], ...}` in any order, in
// pieces of any size.
#pragma once

#include "json_cursor.hpp"

#include <fairlead/codec/slurm/problem.hpp>

#include <functional>
#include <span>

namespace fairlead::codec::slurm {

struct AnswerKeys {
  std::span<const std::string_view> lists;  ///< names under which the records may stand
  /// For members that are no list of records: takes the value, or says false and leaves it.
  std::function<bool(std::string_view key, JsonCursor& json)> member;
};

class AnswerReader {
 public:
  /// Reads one record. It must have no effect unless the cursor is good behind it: where the text ends inside, it is
  /// called again from the record's beginning.
  using OnRecord = std::function<void(JsonCursor& json, std::size_t index, SlurmAnswer& answer)>;

  AnswerReader(AnswerKeys keys, OnRecord onRecord, std::size_t maxRecordBytes);

  void feed(std::string_view piece);
  /// True once the last bracket was read.
  [[nodiscard]] SlurmAnswer finish();

 private:
  enum class Where : std::uint8_t { start, members, records, skipping, done, failed };

  std::size_t run(std::string_view text);
  bool step(JsonCursor& json);
  bool readMember(JsonCursor& json);
  bool readRecord(JsonCursor& json);
  [[nodiscard]] bool endsInside(std::string_view text);
  void keep(std::string_view rest);
  void failAt(std::string_view rest);
  std::size_t skipOn(std::string_view text);
  void setTooLongAside();

  AnswerKeys keys_;
  OnRecord onRecord_;
  std::size_t maxRecordBytes_;
  SlurmAnswer answer_;
  Where where_ = Where::start;
  bool afterValue_ = false;  // a comma or the end comes next
  bool sawList_ = false;
  std::size_t index_ = 0;
  Nesting skipped_;
  std::string pending_;          // the beginning of what has not come whole
  std::size_t retryAt_ = 0;      // bytes of `pending_` from which on it is worth another try
  bool atTail_ = false;          // `pending_` ends inside the record that it begins with
  Nesting tail_;                 // where in it
  std::size_t recordBytes_ = 0;  // of the last record
  bool ending_ = false;          // no more text comes
};

/// Reads `errors`, `warnings`, `status`, `results`, `meta` and `last_update` into `answer`; false for other keys.
bool readAnswerMember(std::string_view key, JsonCursor& json, SlurmAnswer& answer);

}  // namespace fairlead::codec::slurm
