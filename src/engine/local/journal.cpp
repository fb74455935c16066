#include "local/journal.hpp"

#include "data/outputs.hpp"

#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fcntl.h>
#include <unistd.h>

namespace fairlead::engine::local {
namespace {

constexpr std::size_t kJournalLimit = 256 << 20;
constexpr std::size_t kRecordLimit = 64 << 20;
const std::string kJournalName = "journal";

std::string encodeEnd(const model::MemberEnd& end) {
  return fmt::format("{} {} {} {} {}", end.rank, end.exitCode, end.signal, end.outOfMemory ? 1 : 0,
                     end.at.msSinceEpoch);
}

std::optional<model::MemberEnd> decodeEnd(std::string_view text) {
  std::int64_t values[5] = {};
  for (auto& value : values) {
    const auto space = text.find(' ');
    const auto parsed = parseNumber(text.substr(0, space));
    if (!parsed) return {};
    value = *parsed;
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
  }
  return model::MemberEnd{static_cast<std::int32_t>(values[0]), static_cast<std::int32_t>(values[1]),
                          static_cast<std::int32_t>(values[2]), values[3] != 0, TimePoint{values[4]}};
}

void addIf(Fields& fields, std::string_view key, const std::string& value) {
  if (!value.empty()) fields.emplace_back(std::string(key), value);
}

Fields toFields(const JournalRecord& record) {
  const auto& o = record.observation;
  Fields fields{{"n", std::to_string(record.number)},
                {"kind", std::string(toText(o.kind))},
                {"at", std::to_string(o.at.msSinceEpoch)}};
  if (o.category != model::FailureCategory::none) fields.emplace_back("category", toText(o.category));
  addIf(fields, "reason", o.reason);
  addIf(fields, "native", o.nativeId);
  addIf(fields, "state", o.nativeState);
  addIf(fields, "resumed", o.resumedFrom);
  addIf(fields, "checkpoint", o.checkpoint);
  if (o.checkpointAt) fields.emplace_back("checkpointAt", std::to_string(o.checkpointAt.msSinceEpoch));
  for (const auto& end : o.ends) fields.emplace_back("end", encodeEnd(end));
  for (const auto& output : o.outputs) fields.emplace_back("output", data::encodeOutput(output));
  if (record.launch.boot.empty()) return fields;
  fields.emplace_back("boot", record.launch.boot);
  fields.emplace_back("supervisor", std::to_string(record.launch.supervisor));
  fields.emplace_back("supervisorStart", std::to_string(record.launch.supervisorStart));
  addIf(fields, "cgroup", record.launch.cgroup);
  return fields;
}

bool takeLists(const Fields& fields, model::Observation& o) {
  for (const auto& [key, value] : fields) {
    if (key == "end") {
      const auto end = decodeEnd(value);
      if (!end) return false;
      o.ends.push_back(*end);
    } else if (key == "output") {
      auto output = data::decodeOutput(value);
      if (!output) return false;
      o.outputs.push_back(std::move(*output));
    }
  }
  return true;
}

std::optional<JournalRecord> fromFields(const Fields& fields, model::AttemptId attempt) {
  JournalRecord record;
  const auto kind = parseEnum<model::ObservationKind>(findField(fields, "kind").value_or(""));
  const auto category = parseEnum<model::FailureCategory>(findField(fields, "category").value_or("none"));
  if (!kind || !category) return {};
  record.number = static_cast<std::uint64_t>(numberField(fields, "n"));
  auto& o = record.observation;
  o.attempt = attempt;
  o.kind = *kind;
  o.category = *category;
  o.sequence = record.number * kSequenceStep;
  o.at.msSinceEpoch = numberField(fields, "at");
  o.reason = textField(fields, "reason");
  o.nativeId = textField(fields, "native");
  o.nativeState = textField(fields, "state");
  o.resumedFrom = textField(fields, "resumed");
  o.checkpoint = textField(fields, "checkpoint");
  o.checkpointAt.msSinceEpoch = numberField(fields, "checkpointAt");
  record.launch = {textField(fields, "boot"), numberField(fields, "supervisor"),
                   static_cast<std::uint64_t>(numberField(fields, "supervisorStart")), textField(fields, "cgroup")};
  if (!takeLists(fields, o)) return {};
  return record;
}

std::optional<JournalRecord> parseLine(std::string_view line, model::AttemptId attempt) {
  const auto space = line.find(' ');
  if (space == std::string_view::npos || line.size() > kRecordLimit) return {};
  const auto body = line.substr(space + 1);
  if (checksum(body) != line.substr(0, space)) return {};
  const auto fields = decodeFields(body, '\t');
  return fields ? fromFields(*fields, attempt) : std::nullopt;
}

}  // namespace

bool isFinal(model::ObservationKind kind) {
  return kind == model::ObservationKind::ended || kind == model::ObservationKind::lost ||
         kind == model::ObservationKind::refused;
}

const JournalRecord* Journal::launched() const {
  for (const auto& record : records)
    if (record.observation.kind == model::ObservationKind::accepted) return &record;
  return nullptr;
}

const JournalRecord* Journal::final() const {
  for (const auto& record : records)
    if (isFinal(record.observation.kind)) return &record;
  return nullptr;
}

std::string encodeRecord(const JournalRecord& record) {
  const auto body = encodeFields(toFields(record), '\t');
  return checksum(body) + " " + body + "\n";
}

Journal parseJournal(std::string_view text, model::AttemptId attempt) {
  Journal journal;
  while (journal.wholeBytes < text.size()) {
    const auto end = text.find('\n', journal.wholeBytes);
    if (end == std::string_view::npos) break;
    auto record = parseLine(text.substr(journal.wholeBytes, end - journal.wholeBytes), attempt);
    if (!record || record->number != journal.records.size() + 1) break;
    journal.records.push_back(std::move(*record));
    journal.wholeBytes = end + 1;
  }
  return journal;
}

Result<Journal> readJournal(int attemptFolder, model::AttemptId attempt) {
  if (!existsAt(attemptFolder, kJournalName)) return Journal{};
  auto text = readFileAt(attemptFolder, kJournalName, kJournalLimit);
  if (!text) return tl::unexpected(text.error());
  return parseJournal(*text, attempt);
}

Result<JournalWriter> JournalWriter::open(int attemptFolder, const Journal& journal) {
  JournalWriter writer;
  auto fd = openAt(attemptFolder, kJournalName, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (!fd) return tl::unexpected(fd.error());
  writer.fd_ = std::move(*fd);
  if (::ftruncate(writer.fd_.get(), static_cast<off_t>(journal.wholeBytes)) != 0)
    return failErrno("cannot cut the journal's torn tail");
  writer.next_ = journal.records.size() + 1;
  if (writer.next_ > 1) return writer;
  for (const auto* name : {".", ".."}) {
    auto holder = openAt(attemptFolder, name, O_RDONLY | O_DIRECTORY);
    if (!holder) return tl::unexpected(holder.error());
    writer.newNames_.push_back(std::move(*holder));
  }
  return writer;
}

Result<void> JournalWriter::append(model::Observation observation, const LaunchFacts& launch) {
  observation.sequence = next_ * kSequenceStep;
  const auto start = ::lseek(fd_.get(), 0, SEEK_END);
  auto written = writeAll(fd_.get(), encodeRecord({next_, std::move(observation), launch}));
  if (written) written = syncFd(fd_.get(), "the journal");
  for (const auto& holder : newNames_)
    if (written) written = syncFd(holder.get(), "the name of the journal");
  if (!written) {  // half a record in the middle would hide all that follow
    if (start < 0 || ::ftruncate(fd_.get(), start) != 0) return failErrno("cannot take back half a journal record");
    return written;
  }
  newNames_.clear();
  ++next_;
  return {};
}

}  // namespace fairlead::engine::local
