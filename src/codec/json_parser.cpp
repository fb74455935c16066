// RFC 8259 in one pass over the text, straight into a Tree. Keys, strings without escapes and numbers point into the
// text.
#include "tree_storage.hpp"

#include <fairlead/base/text.hpp>

#include <fmt/format.h>

#include <cstring>

namespace fairlead::codec {
namespace {

class JsonParser {
 public:
  JsonParser(TreeStorage& storage, const Limits& limits, Errors& errors)
      : storage_(storage), limits_(limits), errors_(errors), text_(storage.source()) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = lineStart_ = 3;
    nodes_.reserve(32);
    entries_.reserve(32);
  }

  Node document() {
    skipSpace();
    auto root = value(0);
    skipSpace();
    if (at_ != text_.size()) fail("something follows the value", "one JSON value is one document");
    return root;
  }

 private:
  [[nodiscard]] Place here() const { return {line_, static_cast<std::int32_t>(at_ - lineStart_ + 1)}; }
  [[noreturn]] void fail(std::string message, std::string remedy = {}) {
    throw ParseFailure{errorAt(here(), kSyntax, std::move(message), std::move(remedy))};
  }
  [[noreturn]] void failHere(std::string_view wanted) {
    if (at_ >= text_.size()) fail(fmt::format("the text ends where {} should be", wanted));
    fail(fmt::format("`{}` where {} should be", printable(text_.substr(at_, 1)), wanted));
  }
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skipSpace() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        lineStart_ = at_ + 1;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return;
      }
    }
  }
  void count() {
    if (++values_ > limits_.values) throw ParseFailure{tooManyValues(here(), limits_)};
  }

  Node value(int depth) {
    count();
    const auto place = here();
    switch (peek()) {
      case '{':
        return object(place, depth + 1);
      case '[':
        return array(place, depth + 1);
      case '"': {
        Node node;
        node.kind = NodeKind::text;
        node.place = place;
        node.text = string();
        return node;
      }
      case 't':
        return literal("true", plainScalar("true", place));
      case 'f':
        return literal("false", plainScalar("false", place));
      case 'n': {
        Node node;
        node.place = place;
        return literal("null", node);
      }
      default:
        return number(place);
    }
  }

  Node literal(std::string_view word, Node node) {
    if (text_.substr(at_, word.size()) != word) failHere("a value");
    at_ += word.size();
    return node;
  }

  std::size_t digits() {
    const auto from = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ - from;
  }

  Node number(Place place) {
    const auto from = at_;
    if (peek() == '-') ++at_;
    const auto first = peek();
    const auto whole = digits();
    if (whole == 0) failHere("a value");
    if (whole > 1 && first == '0') {
      at_ = from;
      fail("a number with a leading zero", "drop the zero, or quote the text");
    }
    if (peek() == '.') {
      ++at_;
      if (digits() == 0) failHere("a digit");
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (digits() == 0) failHere("a digit");
    }
    return numberNode(text_.substr(from, at_ - from), place);
  }

  Node array(Place place, int depth) {
    if (depth > limits_.depth) throw ParseFailure{tooDeep(place, limits_)};
    const auto first = nodes_.size();
    ++at_;
    skipSpace();
    if (peek() != ']') {
      for (;;) {
        nodes_.push_back(value(depth));
        skipSpace();
        if (peek() != ',') break;
        ++at_;
        skipSpace();
      }
    }
    if (peek() != ']') failHere("`,` or `]`");
    ++at_;
    Node node;
    node.kind = NodeKind::list;
    node.place = place;
    node.items = storage_.keepTail(nodes_, first);
    return node;
  }

  Node object(Place place, int depth) {
    if (depth > limits_.depth) throw ParseFailure{tooDeep(place, limits_)};
    const auto first = entries_.size();
    ++at_;
    skipSpace();
    if (peek() != '}') {
      for (;;) {
        entries_.push_back(entry(depth));
        skipSpace();
        if (peek() != ',') break;
        ++at_;
        skipSpace();
      }
    }
    if (peek() != '}') failHere("`,` or `}`");
    ++at_;
    Node node;
    node.kind = NodeKind::map;
    node.place = place;
    node.entries = storage_.keepTail(entries_, first);
    checkKeys(node.entries, errors_);
    return node;
  }

  Entry entry(int depth) {
    Entry entry;
    entry.place = here();
    if (peek() != '"') failHere("a key in double quotes");
    count();
    entry.key = string();
    skipSpace();
    if (peek() != ':') failHere("`:`");
    ++at_;
    skipSpace();
    entry.value = value(depth);
    return entry;
  }

  std::string_view string() {
    const auto from = ++at_;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') return text_.substr(from, at_++ - from);
      if (c == '\\') return escapedString(from);
      if (static_cast<unsigned char>(c) < 0x20) fail("a line break or tab inside a string", "write it as \\n or \\t");
    }
    failHere("`\"`");
  }

  std::string_view escapedString(std::size_t from) {
    unescaped_.assign(text_.substr(from, at_ - from));
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20) fail("a line break or tab inside a string", "write it as \\n or \\t");
      ++at_;
      if (c == '"') return storage_.keep(unescaped_);
      if (c != '\\')
        unescaped_ += c;
      else
        escape();
    }
    failHere("`\"`");
  }

  void escape() {
    const char c = peek();
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    if (const auto found = kNames.find(c); c != '\0' && found != std::string_view::npos) {
      unescaped_ += kValues[found];
      ++at_;
      return;
    }
    if (c != 'u') failHere("an escape such as \\n");
    ++at_;
    appendCharacter(codePoint());
  }

  std::uint32_t fourHex() {
    std::uint32_t unit = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) failHere("a hexadecimal digit");
      unit = unit * 16 + static_cast<std::uint32_t>(digit);
    }
    return unit;
  }

  std::uint32_t codePoint() {
    const auto unit = fourHex();
    if (unit == 0) fail("the character NUL", "remove it");
    if (unit < 0xD800 || unit > 0xDFFF) return unit;
    if (unit > 0xDBFF || text_.substr(at_, 2) != "\\u") fail("half of a surrogate pair", "write both halves");
    at_ += 2;
    const auto low = fourHex();
    if (low < 0xDC00 || low > 0xDFFF) fail("half of a surrogate pair", "write both halves");
    return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
  }

  void appendCharacter(std::uint32_t c) {
    const auto tail = [&](int shift) { unescaped_ += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
    if (c < 0x80) {
      unescaped_ += static_cast<char>(c);
    } else if (c < 0x800) {
      unescaped_ += static_cast<char>(0xC0 | (c >> 6));
      tail(0);
    } else if (c < 0x10000) {
      unescaped_ += static_cast<char>(0xE0 | (c >> 12));
      tail(6);
      tail(0);
    } else {
      unescaped_ += static_cast<char>(0xF0 | (c >> 18));
      tail(12);
      tail(6);
      tail(0);
    }
  }

  TreeStorage& storage_;
  const Limits& limits_;
  Errors& errors_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t lineStart_ = 0;
  std::int32_t line_ = 1;
  std::size_t values_ = 0;
  std::vector<Node> nodes_;
  std::vector<Entry> entries_;
  std::string unescaped_;
};

}  // namespace

Checked<Tree> parseJson(std::string_view text, const Limits& limits) {
  if (auto error = checkText(text, limits)) return tl::unexpected(Errors{std::move(*error)});
  auto storage = std::make_shared<TreeStorage>(text);
  Errors errors;
  try {
    const auto* root = storage->keep(JsonParser(*storage, limits, errors).document());
    if (errors.empty()) return Tree(std::move(storage), root);
  } catch (ParseFailure& failure) {
    errors.push_back(std::move(failure.error));
  }
  return tl::unexpected(std::move(errors));
}

}  // namespace fairlead::codec
