// The rows of one version, ready to read records with.
#pragma once

#include "fields.hpp"

#include <map>

namespace fairlead::codec::slurm {

/// The rows of one version, found by path. Records of one answer list their members in one order, so the next one is
/// guessed from the record before and compared once. Not thread-safe.
template <class Record>
class FieldTable {
 public:
  FieldTable(std::span<const FieldRow<Record>> rows, ApiVersion version) {
    for (const auto& row : rows) {
      if (version < row.since || version > row.until) continue;
      for (auto dot = row.path.find('.'); dot != std::string_view::npos; dot = row.path.find('.', dot + 1))
        entries_[std::string(row.path.substr(0, dot))];
      entries_[std::string(row.path)].row = &row;
    }
  }

  /// Reads the object at the cursor. The cursor is good behind it where it came whole.
  void read(FieldReader& in, Record& record) {
    next_ = 0;
    readObject(in, record, {});
  }

 private:
  struct Entry {
    const FieldRow<Record>* row = nullptr;  // without one: an object to go into
  };
  struct Guess {
    std::string key;
    std::string_view path;  // of the object around it
    std::string whole;      // its own path
    const Entry* entry = nullptr;
  };

  const Guess* nextKey(JsonCursor& json, std::string_view path) {
    if (next_ < guesses_.size() && guesses_[next_].path.data() == path.data() && json.takeKey(guesses_[next_].key))
      return &guesses_[next_++];
    std::string_view key;
    if (!json.readKey(key)) return nullptr;
    if (guesses_.size() > kMostGuesses) guesses_.clear();
    guesses_.resize(next_ < guesses_.size() ? next_ : guesses_.size());
    auto& guess = guesses_.emplace_back();
    next_ = guesses_.size();
    guess.key = key;
    guess.path = path;
    guess.whole = path.empty() ? guess.key : std::string(path) + "." + guess.key;
    const auto found = entries_.find(guess.whole);
    guess.entry = found == entries_.end() ? nullptr : &found->second;
    if (found != entries_.end()) guess.whole = found->first;
    return &guess;
  }

  void readObject(FieldReader& in, Record& record, std::string_view path) {
    auto& json = in.json;
    if (!json.expect('{') || json.take('}')) return;
    do {
      const auto* guess = nextKey(json, path);
      if (guess == nullptr) return;
      const auto* entry = guess->entry;
      if (entry == nullptr) {
        json.skipValue();
      } else if (entry->row != nullptr) {
        in.path = entry->row->path;
        entry->row->read(in, record);
      } else if (json.kind() == JsonKind::object) {
        readObject(in, record, entries_.find(guess->whole)->first);
      } else {
        json.skipValue();
      }
      if (!json.good()) return;
    } while (json.take(','));
    json.expect('}');
  }

  static constexpr std::size_t kMostGuesses = 4096;

  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<Guess> guesses_;
  std::size_t next_ = 0;
};

}  // namespace fairlead::codec::slurm
