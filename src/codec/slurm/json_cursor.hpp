// Reads JSON once from front to back, value by value, straight out of the text. Where the text ends in the middle of a
// value the cursor says `truncated`: more of it may come. It does not judge what it skips.
#pragma once

#include "json_scan.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace fairlead::codec::slurm {

/// A number in any of the shapes: plain, null, `{"set":true,"infinite":false,"number":7}`.
struct JsonNumber {
  std::int64_t value = 0;  ///< a fraction is cut off
  bool set = false;
  bool infinite = false;
  bool wrong = false;    ///< it was something else; it has been skipped
  std::string_view raw;  ///< as written
};

enum class JsonKind : std::uint8_t { object, array, string, number, boolean, null, broken };

/// What a value is, by its first byte.
constexpr std::array<JsonKind, 256> kindsByByte() {
  std::array<JsonKind, 256> kinds{};
  kinds.fill(JsonKind::broken);
  kinds['{'] = JsonKind::object;
  kinds['['] = JsonKind::array;
  kinds['"'] = JsonKind::string;
  kinds['t'] = kinds['f'] = JsonKind::boolean;
  kinds['n'] = JsonKind::null;
  kinds['-'] = JsonKind::number;
  for (char digit = '0'; digit <= '9'; ++digit) kinds[static_cast<unsigned char>(digit)] = JsonKind::number;
  return kinds;
}

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] bool good() const { return !truncated_ && !broken_; }
  [[nodiscard]] bool truncated() const { return truncated_; }
  [[nodiscard]] bool broken() const { return broken_; }
  [[nodiscard]] const char* position() const { return at_; }

  /// What comes next; `broken` also where the text ends.
  [[nodiscard]] JsonKind kind() {
    space();
    return at_ == end_ ? JsonKind::broken : kKinds[static_cast<unsigned char>(*at_)];
  }
  /// Takes `c` when it comes next.
  bool take(char c) {
    space();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  /// Takes `c`, or fails.
  bool expect(char c) { return take(c) || fail(); }
  /// True at the text's end, behind white space.
  [[nodiscard]] bool atEnd() {
    at_ = at_ < end_ && static_cast<unsigned char>(*at_) <= ' ' ? skipSpace(at_, end_) : at_;
    return at_ == end_;
  }

  bool skipValue();
  /// A string; the view lives until the next call.
  bool readString(std::string_view& out);
  /// A key that is exactly `guess`, with its colon; nothing is taken where it is another.
  bool takeKey(std::string_view guess) {
    space();
    if (static_cast<std::size_t>(end_ - at_) < guess.size() + 3 || *at_ != '"' || at_[guess.size() + 1] != '"' ||
        at_[guess.size() + 2] != ':' || std::memcmp(at_ + 1, guess.data(), guess.size()) != 0)
      return false;  // also where white space stands before the colon: readKey takes it
    at_ += guess.size() + 3;
    return true;
  }
  /// A key and its colon.
  bool readKey(std::string_view& out);
  bool readNumber(JsonNumber& out);
  /// `true` or `false`; wrong for other values, which are skipped.
  bool readBool(bool& out, bool& wrong);

  /// Calls `member(key)` for each member; it must take the value. False when the text is not good.
  template <class Member>
  bool object(Member&& member) {
    if (!expect('{')) return false;
    if (take('}')) return good();
    do {
      std::string_view key;
      if (!readKey(key)) return false;
      member(key);
      if (!good()) return false;
    } while (take(','));
    return expect('}');
  }
  /// Calls `item()` for each item; it must take the value.
  template <class Item>
  bool array(Item&& item) {
    if (!expect('[')) return false;
    if (take(']')) return good();
    do {
      item();
      if (!good()) return false;
    } while (take(','));
    return expect(']');
  }

 private:
  void space() {
    if (at_ < end_ && static_cast<unsigned char>(*at_) <= ' ') {
      ++at_;
      if (at_ < end_ && static_cast<unsigned char>(*at_) <= ' ') at_ = skipSpace(at_, end_);
    }
    if (at_ == end_) truncated_ = true;
  }
  bool fail() {
    if (!truncated_) broken_ = true;
    return false;
  }
  bool stop() {
    truncated_ = true;
    return false;
  }
  bool literal(std::string_view word);
  bool plainNumber(JsonNumber& out);
  bool boxedNumber(JsonNumber& out);
  bool usualBox(JsonNumber& out);
  bool takeWord(bool& out);
  bool unescape(const char* from, std::string_view& out);
  bool appendEscape();
  bool hex4(std::uint32_t& out);

  static constexpr auto kKinds = kindsByByte();

  const char* at_;
  const char* end_;
  bool truncated_ = false;
  bool broken_ = false;
  std::string scratch_;
};

}  // namespace fairlead::codec::slurm
