// Text that a shell reads as what it was, whatever is in it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fairlead::engine::slurm {

/// One word: `it's` becomes `'it'\''s'`. A text with a NUL has no such word: it ends there.
[[nodiscard]] std::string shellWord(std::string_view text);
/// The words of an argv.
[[nodiscard]] std::string shellWords(const std::vector<std::string>& words);
/// True for a name that `export` takes.
[[nodiscard]] bool isVariableName(std::string_view name);

/// A user's file name pattern (%j %x %u %A %a %t %N %%) as a double-quoted shell expression, or nothing where a field
/// means something that a script cannot know.
struct NameFields {
  std::string job;   ///< expression for %j and %A of jobs without array
  std::string rank;  ///< expression for %t
  std::string node;  ///< expression for %N
  std::string name, user;
  std::string arrayParent, arrayIndex;  ///< for %A and %a; empty: not an element
};
[[nodiscard]] std::string nameExpression(std::string_view pattern, const NameFields& fields);

}  // namespace fairlead::engine::slurm
