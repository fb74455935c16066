#include "json_cursor.hpp"

#include "text.hpp"

#include <charconv>
#include <cstring>

namespace fairlead::codec::slurm {
namespace {

bool isNumberByte(char c) { return isDigit(c) || c == '-' || c == '+' || c == '.' || (c | 0x20) == 'e'; }

void appendUtf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

constexpr std::uint32_t kReplacement = 0xFFFD;

/// The integer part of any JSON number; false for what is none or does not fit.
bool wholePart(std::string_view raw, std::int64_t& out) {
  const auto [rest, error] = std::from_chars(raw.data(), raw.data() + raw.size(), out);
  if (error == std::errc::result_out_of_range) return false;
  if (error == std::errc{} && rest == raw.data() + raw.size()) return true;
  double value = 0;
  const auto [end, wrong] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (wrong != std::errc{} || end != raw.data() + raw.size() || !(value > -9e18 && value < 9e18)) return false;
  out = static_cast<std::int64_t>(value);
  return true;
}

}  // namespace

bool JsonCursor::literal(std::string_view word) {
  const auto left = static_cast<std::size_t>(end_ - at_);
  if (left < word.size()) return std::string_view(at_, left) == word.substr(0, left) ? stop() : fail();
  if (std::memcmp(at_, word.data(), word.size()) != 0) return fail();
  at_ += word.size();
  return true;
}

bool JsonCursor::skipValue() {
  switch (kind()) {
    case JsonKind::object:
    case JsonKind::array: {
      Nesting nesting;
      const auto* behind = skipNested(at_, end_, nesting);
      if (behind == nullptr) return stop();
      at_ = behind;
      return true;
    }
    case JsonKind::string: {
      const auto* at = at_ + 1;
      while ((at = findQuote(at, end_)) < end_ && *at == '\\') {
        if (end_ - at < 2) return stop();
        at += 2;
      }
      if (at >= end_) return stop();
      at_ = at + 1;
      return true;
    }
    case JsonKind::number: {
      const auto* at = at_;
      while (at < end_ && isNumberByte(*at)) ++at;
      if (at == end_) return stop();
      at_ = at;
      return true;
    }
    case JsonKind::boolean:
      return literal(*at_ == 't' ? "true" : "false");
    case JsonKind::null:
      return literal("null");
    case JsonKind::broken:
      break;
  }
  return fail();
}

bool JsonCursor::readString(std::string_view& out) {
  space();
  if (at_ == end_ || *at_ != '"') return fail();
  const auto* from = at_ + 1;
  const auto* quote = findQuote(from, end_);
  if (quote == end_) return stop();
  if (*quote == '\\') return unescape(from, out);
  out = {from, static_cast<std::size_t>(quote - from)};
  at_ = quote + 1;
  return true;
}

bool JsonCursor::unescape(const char* from, std::string_view& out) {
  scratch_.clear();
  at_ = from;
  while (true) {
    const auto* next = findQuote(at_, end_);
    scratch_.append(at_, static_cast<std::size_t>(next - at_));
    at_ = next;
    if (at_ == end_) return stop();
    if (*at_++ == '"') break;
    if (!appendEscape()) return false;
  }
  out = scratch_;
  return true;
}

bool JsonCursor::hex4(std::uint32_t& out) {
  if (end_ - at_ < 4) return stop();
  const auto [rest, error] = std::from_chars(at_, at_ + 4, out, 16);
  if (error != std::errc{} || rest != at_ + 4) return fail();
  at_ += 4;
  return true;
}

/// Behind a backslash.
bool JsonCursor::appendEscape() {
  if (at_ == end_) return stop();
  const char c = *at_++;
  constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
  if (const auto simple = kFrom.find(c); simple != std::string_view::npos) {
    scratch_ += kTo[simple];
    return true;
  }
  if (c != 'u') return fail();
  std::uint32_t code = 0;
  if (!hex4(code)) return false;
  if (code >= 0xD800 && code < 0xDC00) {  // half of a pair
    std::uint32_t low = 0;
    if (end_ - at_ < 6) return stop();
    if (at_[0] == '\\' && at_[1] == 'u') {
      at_ += 2;
      if (!hex4(low)) return false;
    }
    code = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : kReplacement;
  } else if (code == 0 || (code >= 0xDC00 && code < 0xE000)) {
    code = kReplacement;
  }
  appendUtf8(scratch_, code);
  return true;
}

bool JsonCursor::readKey(std::string_view& out) { return readString(out) && expect(':'); }

bool JsonCursor::plainNumber(JsonNumber& out) {
  const auto* at = at_;
  while (at < end_ && isNumberByte(*at)) ++at;
  if (at == end_) return stop();
  out.raw = {at_, static_cast<std::size_t>(at - at_)};
  at_ = at;
  out.set = wholePart(out.raw, out.value);
  out.wrong = !out.set;
  return true;
}

/// The members as slurmrestd has them; where they are otherwise nothing is taken.
bool JsonCursor::usualBox(JsonNumber& out) {
  const auto* const before = at_;
  bool set = false;
  if (take('{') && takeKey("set") && takeWord(set) && take(',') && takeKey("infinite") && takeWord(out.infinite) &&
      take(',') && takeKey("number") && kind() == JsonKind::number && plainNumber(out) && take('}')) {
    out.set = set && !out.infinite && !out.wrong;
    return true;
  }
  at_ = before;
  truncated_ = false;
  out = {};
  return false;
}

/// ` true` or ` false` with more text behind it.
bool JsonCursor::takeWord(bool& out) {
  space();
  const auto left = std::string_view(at_, static_cast<std::size_t>(end_ - at_));
  out = left.starts_with("true");
  if (!out && !left.starts_with("false")) return false;
  at_ += out ? 4 : 5;
  return true;
}

bool JsonCursor::boxedNumber(JsonNumber& out) {
  if (usualBox(out)) return true;
  bool set = true;
  const bool whole = object([&](std::string_view key) {
    bool wrong = false;
    if (key == "number") {
      if (kind() == JsonKind::number) {
        plainNumber(out);
        return;
      }
    } else if (key == "set") {
      readBool(set, wrong);
      out.wrong |= wrong;
      return;
    } else if (key == "infinite") {
      readBool(out.infinite, wrong);
      out.wrong |= wrong;
      return;
    }
    out.wrong = true;
    skipValue();
  });
  out.set = set && !out.infinite && !out.wrong && !out.raw.empty();
  return whole;
}

bool JsonCursor::readNumber(JsonNumber& out) {
  out = {};
  switch (kind()) {
    case JsonKind::number:
      return plainNumber(out);
    case JsonKind::object:
      return boxedNumber(out);
    case JsonKind::null:
      return literal("null");
    default:
      out.wrong = true;
      return skipValue();
  }
}

bool JsonCursor::readBool(bool& out, bool& wrong) {
  if (kind() == JsonKind::boolean) {
    const bool truth = *at_ == 't';
    if (!literal(truth ? "true" : "false")) return false;
    out = truth;
    return true;
  }
  wrong = kind() != JsonKind::null;
  return skipValue();
}

}  // namespace fairlead::codec::slurm
