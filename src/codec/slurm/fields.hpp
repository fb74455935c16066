// Records by table: a row names a member of the JSON object (with dots into objects inside) and how it is read. One
// table per kind of record holds all versions; a decoder keeps the rows of its own.
#pragma once

#include "json_cursor.hpp"

#include <fairlead/codec/slurm/rest.hpp>

#include <span>
#include <vector>

namespace fairlead::codec::slurm {

template <class Record>
class FieldTable;

/// What a reader of one value needs. Problems with values are kept here until the record has come whole.
struct FieldReader {
  JsonCursor& json;
  ApiVersion version;
  std::string_view path;                                       ///< of the value, as in the table
  FieldTable<SlurmStep>* steps{};                              ///< of jobs in the database
  std::vector<std::pair<std::string, std::string>> bad{};      ///< path and why
  std::vector<std::pair<std::string, std::string>> unknown{};  ///< path and word: readable, and not declared

  void wrong(std::string why) { bad.emplace_back(path, std::move(why)); }
};

template <class Record>
struct FieldRow {
  std::string_view path;
  void (*read)(FieldReader&, Record&);
  ApiVersion since = kOldestApi;
  ApiVersion until = kNewestApi;
};

// The values of rows. Each takes exactly one JSON value and leaves "unset" where Slurm says so.
void readText(FieldReader& in, std::string& out);
/// A list of texts, or one text with commas.
void readWords(FieldReader& in, Words& out);
/// Nothing for unset, infinite and the markers of both.
void readCount(FieldReader& in, std::optional<std::int64_t>& out);
void readCount(FieldReader& in, std::int64_t& out);
void readId(FieldReader& in, std::optional<std::uint32_t>& out);
/// The same, and zero is unset too.
void readIdNotZero(FieldReader& in, std::optional<std::uint32_t>& out);
void readMiB(FieldReader& in, std::optional<Bytes>& out);
void readMiB(FieldReader& in, Bytes& out);
/// Seconds since 1970; 0 is unset.
void readMoment(FieldReader& in, std::optional<TimePoint>& out);
void readSeconds(FieldReader& in, std::optional<Milliseconds>& out);
void readMinutes(FieldReader& in, TimeLimit& out);
void readFlag(FieldReader& in, bool& out);
/// A wait status, or an object with return_code and signal.
void readExit(FieldReader& in, std::optional<ExitCode>& out);
void readTresText(FieldReader& in, Tres& out);
/// `[{"type","name","id","count"}]`.
void readTresList(FieldReader& in, Tres& out);
void readGresText(FieldReader& in, std::vector<GresEntry>& out);
void readHosts(FieldReader& in, HostSet& out);
/// A state with its flags: words, or a list of them.
void readJobState(FieldReader& in, JobState& state, JobFlags& flags, std::string& text, Words& unknown);
void readNodeState(FieldReader& in, NodeState& state, NodeFlags& flags, std::string& text, Words& unknown);

namespace field {

template <auto Member, class Record>
void text(FieldReader& in, Record& r) {
  readText(in, r.*Member);
}
template <auto Member, class Record>
void words(FieldReader& in, Record& r) {
  readWords(in, r.*Member);
}
template <auto Member, class Record>
void count(FieldReader& in, Record& r) {
  readCount(in, r.*Member);
}
template <auto Member, class Record>
void id(FieldReader& in, Record& r) {
  readId(in, r.*Member);
}
template <auto Member, class Record>
void idNotZero(FieldReader& in, Record& r) {
  readIdNotZero(in, r.*Member);
}
template <auto Member, class Record>
void mib(FieldReader& in, Record& r) {
  readMiB(in, r.*Member);
}
template <auto Member, class Record>
void moment(FieldReader& in, Record& r) {
  readMoment(in, r.*Member);
}
template <auto Member, class Record>
void seconds(FieldReader& in, Record& r) {
  readSeconds(in, r.*Member);
}
template <auto Member, class Record>
void minutes(FieldReader& in, Record& r) {
  readMinutes(in, r.*Member);
}
template <auto Member, class Record>
void flag(FieldReader& in, Record& r) {
  readFlag(in, r.*Member);
}
template <auto Member, class Record>
void exit(FieldReader& in, Record& r) {
  readExit(in, r.*Member);
}
template <auto Member, class Record>
void tres(FieldReader& in, Record& r) {
  readTresText(in, r.*Member);
}
template <auto Member, class Record>
void tresList(FieldReader& in, Record& r) {
  readTresList(in, r.*Member);
}
template <auto Member, class Record>
void gres(FieldReader& in, Record& r) {
  readGresText(in, r.*Member);
}
template <auto Member, class Record>
void hosts(FieldReader& in, Record& r) {
  readHosts(in, r.*Member);
}

}  // namespace field

/// Puts what `in` found into `answer`, with the record's place before each.
void reportFields(const FieldReader& in, std::string_view list, std::size_t index, SlurmAnswer& answer);

}  // namespace fairlead::codec::slurm
