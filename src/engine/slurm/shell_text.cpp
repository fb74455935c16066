#include "slurm/shell_text.hpp"

#include <algorithm>

namespace fairlead::engine::slurm {
namespace {

/// What stands for a field in plain text, or an expression.
struct Piece {
  std::string text;
  bool expression = false;
};

Piece pieceOf(char field, const NameFields& fields) {
  switch (field) {
    case 'j':
      return {fields.job, true};
    case 'A':
      return fields.arrayParent.empty() ? Piece{fields.job, true} : Piece{fields.arrayParent};
    case 'a':
      return {fields.arrayIndex.empty() ? "0" : fields.arrayIndex};
    case 'x':
      return {fields.name};
    case 'u':
      return {fields.user};
    case 't':
      return {fields.rank, true};
    case 'N':
      return {fields.node, true};
    case '%':
      return {"%"};
    default:
      return {std::string("%") + field};
  }
}

}  // namespace

std::string shellWord(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, text.find('\0')))
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  return out + "'";
}

std::string shellWords(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : " ") + shellWord(word);
  return out;
}

bool isVariableName(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && name.size() <= 255 && letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

std::string nameExpression(std::string_view pattern, const NameFields& fields) {
  std::string out, plain;
  const auto flush = [&] {
    if (!plain.empty()) out += shellWord(plain);
    plain.clear();
  };
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      plain += pattern[i];
      continue;
    }
    const auto piece = pieceOf(pattern[++i], fields);
    if (!piece.expression) {
      plain += piece.text;
      continue;
    }
    flush();
    out += "\"" + piece.text + "\"";
  }
  flush();
  return out;
}

}  // namespace fairlead::engine::slurm
