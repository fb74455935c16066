#include "json_slices.hpp"

namespace fairlead::api {
namespace {

class Slicer {
 public:
  explicit Slicer(std::string_view text) : text_(text) {}

  void skipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
      ++at_;
  }
  bool take(char c) {
    skipSpace();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] bool atEnd() {
    skipSpace();
    return at_ == text_.size();
  }
  /// One object; empty when there is none.
  std::string_view object() {
    skipSpace();
    return at_ < text_.size() && text_[at_] == '{' ? nested() : std::string_view();
  }
  /// One value of any kind; empty when there is none.
  std::string_view value() {
    skipSpace();
    if (at_ >= text_.size()) return {};
    const auto begin = at_;
    if (text_[at_] == '{' || text_[at_] == '[') return nested();
    if (text_[at_] == '"') return text();
    while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '}' && text_[at_] != ']') ++at_;
    return text_.substr(begin, at_ - begin);
  }
  /// A text with its quotes; empty when there is none.
  std::string_view text() {
    skipSpace();
    const auto begin = at_;
    if (at_ >= text_.size() || text_[at_] != '"' || !skipString()) return {};
    ++at_;
    return text_.substr(begin, at_ - begin);
  }

 private:
  /// From an opening bracket to the one that closes it.
  std::string_view nested() {
    const auto begin = at_;
    std::size_t depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        if (!skipString()) return {};
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if ((c == '}' || c == ']') && --depth == 0) {
        ++at_;
        return text_.substr(begin, at_ - begin);
      }
    }
    return {};
  }
  /// From the opening quote to the closing one.
  bool skipString() {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\')
        ++at_;
      else if (text_[at_] == '"')
        return true;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::vector<std::string_view>> sliceArray(std::string_view text, std::size_t most,
                                                        std::string_view& why) {
  Slicer slicer(text);
  std::vector<std::string_view> items;
  why = "the body is not a JSON array of objects";
  if (!slicer.take('[')) return {};
  if (slicer.take(']')) return slicer.atEnd() ? std::optional(items) : std::nullopt;
  do {
    if (items.size() == most) {
      why = "the array holds too many items";
      return {};
    }
    const auto item = slicer.object();
    if (item.empty()) return {};
    items.push_back(item);
  } while (slicer.take(','));
  if (!slicer.take(']') || !slicer.atEnd()) return {};
  return items;
}

std::string_view sliceMember(std::string_view object, std::string_view key) {
  Slicer slicer(object);
  if (!slicer.take('{')) return {};
  do {
    const auto name = slicer.text();
    if (name.size() < 2 || !slicer.take(':')) return {};
    if (name.substr(1, name.size() - 2) == key) return slicer.object();
    if (slicer.value().empty()) return {};
  } while (slicer.take(','));
  return {};
}

}  // namespace fairlead::api
