// Reads JSON once from front to back, value by value, straight out of the text. Where the text ends in the middle of a
// value the cursor says `truncated`: more of it may come. It does not judge what it skips.
#pragma once

#include "json_scan.hpp"

#include <cstdint>
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

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] bool good() const { return !truncated_ && !broken_; }
  [[nodiscard]] bool truncated() const { return truncated_; }
  [[nodiscard]] bool broken() const { return broken_; }
  [[nodiscard]] const char* position() const { return at_; }

  /// What comes next; `broken` also where the text ends.
  [[nodiscard]] JsonKind kind();
  /// Takes `c` when it comes next.
  bool take(char c) {
    space();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  /// Takes `c`, or fails.
  bool expect(char c);
  /// True at the text's end, behind white space.
  [[nodiscard]] bool atEnd() {
    at_ = at_ < end_ && static_cast<unsigned char>(*at_) <= ' ' ? skipSpace(at_, end_) : at_;
    return at_ == end_;
  }

  bool skipValue();
  /// A string; the view lives until the next call.
  bool readString(std::string_view& out);
  /// A key that is exactly `guess`, with its colon; nothing is taken where it is another.
  bool takeKey(std::string_view guess);
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
  bool unescape(const char* from, std::string_view& out);
  bool appendEscape();
  bool hex4(std::uint32_t& out);

  const char* at_;
  const char* end_;
  bool truncated_ = false;
  bool broken_ = false;
  std::string scratch_;
};

}  // namespace fairlead::codec::slurm
