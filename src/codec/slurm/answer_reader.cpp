#include "answer_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fairlead::codec::slurm {
namespace {

constexpr std::size_t kRetryBytes = 4096;

}  // namespace

AnswerReader::AnswerReader(AnswerKeys keys, OnRecord onRecord, std::size_t maxRecordBytes)
    : keys_(std::move(keys)), onRecord_(std::move(onRecord)), maxRecordBytes_(maxRecordBytes) {}

void AnswerReader::feed(std::string_view piece) {
  if (pending_.empty()) {
    keep(piece.substr(run(piece)));
  } else if (atTail_) {
    // Only the rest of the record is copied; behind it the piece is read where it stands.
    const auto* behind = skipNested(piece.data(), piece.data() + piece.size(), tail_);
    const auto rest = behind == nullptr ? piece.size() : static_cast<std::size_t>(behind - piece.data());
    pending_ += piece.substr(0, rest);
    if (behind != nullptr) {
      const auto record = std::exchange(pending_, {});
      atTail_ = false;
      const auto used = run(record);
      if (used < record.size())
        keep(record.substr(used) + std::string(piece.substr(rest)));
      else
        keep(piece.substr(rest + run(piece.substr(rest))));
    }
  } else {
    pending_ += piece;
    if (pending_.size() < retryAt_) return;
    const auto text = std::exchange(pending_, {});
    keep(std::string_view(text).substr(run(text)));
  }
  if (pending_.size() > maxRecordBytes_) setTooLongAside();
}

void AnswerReader::keep(std::string_view rest) {
  pending_.assign(rest);
  retryAt_ = pending_.size() + std::max(kRetryBytes, pending_.size() / 2);
  atTail_ = where_ == Where::records && (atTail_ || endsInside(pending_));
}

/// Whether `text`, at a record, ends inside it; `tail_` is then where.
bool AnswerReader::endsInside(std::string_view text) {
  const auto from = text.find_first_not_of(", \n\r\t");
  if (from == std::string_view::npos || text[from] != '{') return false;
  tail_ = {};
  return skipNested(text.data() + from, text.data() + text.size(), tail_) == nullptr;
}

SlurmAnswer AnswerReader::finish() {
  ending_ = true;
  if (!pending_.empty()) pending_.erase(0, run(pending_));
  if (where_ != Where::done && where_ != Where::failed) {
    SlurmProblem problem;
    problem.kind = ProblemKind::unavailable;
    problem.description = index_ == 0 ? "the answer ends before its end"
                                      : fmt::format("the answer ends before its end, behind {} records", index_);
    answer_.problems.push_back(std::move(problem));
  }
  if (where_ == Where::done && !sawList_ && !keys_.lists.empty() && answer_.problems.empty()) {
    SlurmProblem problem;  // an empty list is only one that was there
    problem.kind = ProblemKind::badRequest;
    problem.description = fmt::format("the answer holds no list `{}`", keys_.lists.front());
    answer_.problems.push_back(std::move(problem));
  }
  answer_.complete = where_ == Where::done;
  return std::move(answer_);
}

/// Takes whole values off the front of `text`; the bytes taken.
std::size_t AnswerReader::run(std::string_view text) {
  std::size_t used = 0;
  while (where_ != Where::done && where_ != Where::failed) {
    if (where_ == Where::skipping) {
      used += skipOn(text.substr(used));
      if (where_ == Where::skipping) return text.size();
    }
    JsonCursor json(text.substr(used));
    while (json.good()) {
      // Near the end it is cheaper to look for a record's end than to read half of it for nothing.
      const auto left = text.size() - used;
      if (where_ == Where::records && !ending_ && left < recordBytes_ && endsInside(text.substr(used))) {
        atTail_ = true;
        return used;
      }
      if (!step(json)) break;
      const auto now = static_cast<std::size_t>(json.position() - text.data());
      if (where_ == Where::records) recordBytes_ = now - used;
      used = now;
    }
    if (json.truncated()) return used;
    if (json.broken()) failAt(text.substr(used));
  }
  return text.size();
}

/// One bracket, member or record. False, with nothing taken, where the frame has ended or it did not come whole.
bool AnswerReader::step(JsonCursor& json) {
  switch (where_) {
    case Where::start:
      if (!json.expect('{')) return false;
      where_ = Where::members;
      afterValue_ = false;
      return true;
    case Where::members:
      if (json.take('}')) {
        where_ = Where::done;
        return true;
      }
      return (!afterValue_ || json.expect(',')) && json.good() && readMember(json);
    case Where::records:
      if (json.take(']')) {
        where_ = Where::members;
        afterValue_ = true;
        return true;
      }
      return (!afterValue_ || json.expect(',')) && json.good() && readRecord(json);
    default:
      return false;
  }
}

bool AnswerReader::readMember(JsonCursor& json) {
  std::string_view key;
  if (!json.readKey(key)) return false;
  if (std::find(keys_.lists.begin(), keys_.lists.end(), key) != keys_.lists.end() && json.kind() == JsonKind::array) {
    if (!json.expect('[')) return false;
    where_ = Where::records;
    afterValue_ = false;
    sawList_ = true;
    return true;
  }
  if (!json.good()) return false;
  const std::string name(key);  // the view ends with the next read
  if (!(keys_.member && keys_.member(name, json)) && !readAnswerMember(name, json, answer_)) json.skipValue();
  if (!json.good()) return false;
  afterValue_ = true;
  return true;
}

bool AnswerReader::readRecord(JsonCursor& json) {
  onRecord_(json, index_, answer_);
  if (!json.good()) return false;
  afterValue_ = true;
  ++index_;
  return true;
}

void AnswerReader::failAt(std::string_view rest) {
  where_ = Where::failed;
  SlurmProblem problem;
  problem.kind = ProblemKind::unavailable;
  problem.description =
      fmt::format("the answer is not JSON, behind {} records{}", index_, rest.empty() ? "" : ", at the text");
  answer_.problems.push_back(std::move(problem));
  answer_.report(fmt::format("record {}", index_), rest.substr(0, 80), "not well-formed JSON");
}

/// A record that is larger than the bound: its rest is walked over without being kept.
void AnswerReader::setTooLongAside() {
  atTail_ = false;
  if (where_ != Where::records) {
    failAt(pending_);
    pending_.clear();
    return;
  }
  ++answer_.setAside;
  answer_.report(fmt::format("record {}", index_), std::string_view(pending_).substr(0, 80),
                 fmt::format("larger than {} bytes", maxRecordBytes_));
  const auto from = pending_.find('{');
  if (from == std::string::npos) return failAt(pending_);
  skipped_ = {};
  where_ = Where::skipping;
  std::string text = std::move(pending_);
  pending_.clear();
  text.erase(0, from);
  text.erase(0, run(text));
  pending_ = std::move(text);
}

std::size_t AnswerReader::skipOn(std::string_view text) {
  const auto* behind = skipNested(text.data(), text.data() + text.size(), skipped_);
  if (behind == nullptr) return text.size();
  where_ = Where::records;
  afterValue_ = true;
  ++index_;
  return static_cast<std::size_t>(behind - text.data());
}

}  // namespace fairlead::codec::slurm
