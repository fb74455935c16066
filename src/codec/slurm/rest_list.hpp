// One list of an answer, by table.
#pragma once

#include "answer_reader.hpp"
#include "field_table.hpp"

#include <array>
#include <memory>

namespace fairlead::codec::slurm {

/// How a kind of record is read.
template <class Record>
struct ListShape {
  std::span<const FieldRow<Record>> rows;
  std::span<const std::string_view> lists;
  /// Last words on a record that came whole; false sets it aside, `in.bad` then says why.
  bool (*complete)(FieldReader& in, Record& record);
  /// Marks a record of which a value could not be read.
  void (*damage)(Record& record);
};

/// How a step inside an accounted job is read.
[[nodiscard]] std::span<const FieldRow<SlurmStep>> stepRows();

/// Reads records one after another into one value that keeps its memory.
template <class Record>
class ListReader {
 public:
  using Sink = std::function<void(Record&)>;

  ListReader(const ListShape<Record>& shape, ApiVersion version, Sink sink, std::size_t maxRecordBytes)
      : shape_(shape),
        version_(version),
        table_(shape.rows, version),
        steps_(stepRows(), version),
        sink_(std::move(sink)),
        reader_(
            {shape.lists, {}}, [this](auto& json, auto index, auto& answer) { record(json, index, answer); },
            maxRecordBytes) {}
  ListReader(const ListReader&) = delete;
  ListReader& operator=(const ListReader&) = delete;

  void feed(std::string_view piece) { reader_.feed(piece); }
  [[nodiscard]] SlurmAnswer finish() { return reader_.finish(); }

 private:
  void record(JsonCursor& json, std::size_t index, SlurmAnswer& answer) {
    if (json.kind() != JsonKind::object) {
      if (!json.skipValue()) return;
      ++answer.setAside;
      answer.report(place(index), {}, "not an object");
      return;
    }
    record_ = kEmpty;
    FieldReader in{json, version_, {}, &steps_};
    table_.read(in, record_);
    if (!json.good()) return;
    const bool good = shape_.complete(in, record_);
    if (!in.bad.empty() && shape_.damage != nullptr) shape_.damage(record_);
    if (!in.bad.empty() || !in.unknown.empty()) reportFields(in, shape_.lists.front(), index, answer);
    if (good)
      sink_(record_);
    else
      ++answer.setAside;
  }
  [[nodiscard]] std::string place(std::size_t index) const {
    return std::string(shape_.lists.front()) + "[" + std::to_string(index) + "]";
  }

  static inline const Record kEmpty{};

  const ListShape<Record>& shape_;
  ApiVersion version_;
  FieldTable<Record> table_;
  FieldTable<SlurmStep> steps_;
  Sink sink_;
  Record record_;
  AnswerReader reader_;
};

/// A status that is no success is a problem even where the body names none.
void requireProblem(const RestAnswer& answer, SlurmAnswer& out);

/// An answer whose body is at hand.
template <class Record>
SlurmList<Record> readList(const ListShape<Record>& shape, ApiVersion version, const RestAnswer& answer) {
  SlurmList<Record> list;
  if (auto problem = problemOfAnswer(answer)) {
    list.answer.problems.push_back(std::move(*problem));
    return list;
  }
  ListReader<Record> reader(
      shape, version, [&](Record& record) { list.records.push_back(std::move(record)); }, answer.body.size() + 1);
  reader.feed(answer.body);
  list.answer = reader.finish();
  requireProblem(answer, list.answer);
  return list;
}

template <class Record>
bool keepAll(FieldReader&, Record&) {
  return true;
}

}  // namespace fairlead::codec::slurm
