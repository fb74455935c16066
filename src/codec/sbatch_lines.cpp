#include "sbatch_lines.hpp"

#include "tree_storage.hpp"

namespace fairlead::codec {
namespace {

constexpr std::string_view kMagic = "#SBATCH";

bool isSpace(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && isSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && isSpace(text.back())) text.remove_suffix(1);
  return text;
}

/// Cuts a line into words as sbatch does: quotes of both kinds, a backslash takes the next character as it is, and an
/// unquoted
/// `#` begins a comment.
class WordCutter {
 public:
  WordCutter(std::string_view line, std::int32_t lineNumber, std::size_t at, Errors& errors)
      : line_(line), lineNumber_(lineNumber), at_(at), errors_(errors) {}

  std::vector<SbatchWord> cut() {
    std::vector<SbatchWord> words;
    for (;;) {
      while (at_ < line_.size() && isSpace(line_[at_])) ++at_;
      if (at_ >= line_.size() || line_[at_] == '#') return words;
      words.push_back(word());
    }
  }

 private:
  SbatchWord word() {
    SbatchWord word{{}, {lineNumber_, static_cast<std::int32_t>(at_ + 1)}};
    char quote = '\0';
    for (; at_ < line_.size(); ++at_) {
      const char c = line_[at_];
      if (c == '\\' && at_ + 1 < line_.size()) {
        word.text += line_[++at_];
      } else if (quote != '\0') {
        if (c == quote)
          quote = '\0';
        else
          word.text += c;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (isSpace(c) || c == '#') {
        break;
      } else {
        word.text += c;
      }
    }
    if (quote != '\0')
      errors_.push_back(errorAt(word.place, kSyntax, "a quote that is not closed", "close it in the same line"));
    return word;
  }

  std::string_view line_;
  std::int32_t lineNumber_;
  std::size_t at_;
  Errors& errors_;
};

bool startsDirective(std::string_view line, std::string_view magic) {
  if (!line.starts_with(magic)) return false;
  return line.size() == magic.size() || isSpace(line[magic.size()]) || line[magic.size()] == '-';
}

bool isComponent(const std::vector<SbatchWord>& words) {
  return words.size() == 1 && (words.front().text == "hetjob" || words.front().text == "packjob");
}

}  // namespace

SbatchLines readSbatchLines(std::string_view script) {
  SbatchLines result;
  bool commandSeen = false;
  std::int32_t number = 0;
  while (!script.empty()) {
    ++number;
    const auto end = script.find('\n');
    const auto line = script.substr(0, end);
    script.remove_prefix(end == std::string_view::npos ? script.size() : end + 1);
    const bool ours = startsDirective(line, kMagic);
    if (!ours && !startsDirective(line, "#PBS")) {
      const auto content = trimmed(line);
      commandSeen = commandSeen || (!content.empty() && content.front() != '#');
      continue;
    }
    SbatchLine entry;
    entry.place = {number, 1};
    entry.text = trimmed(line.substr(ours ? kMagic.size() : 4));
    entry.kind = !ours ? SbatchLine::Kind::foreign : commandSeen ? SbatchLine::Kind::late : SbatchLine::Kind::options;
    if (!ours && commandSeen) continue;
    if (entry.kind == SbatchLine::Kind::options) {
      entry.words = WordCutter(line, number, kMagic.size(), result.errors).cut();
      if (isComponent(entry.words)) entry.kind = SbatchLine::Kind::component;
    }
    result.lines.push_back(std::move(entry));
  }
  return result;
}

}  // namespace fairlead::codec
