#include "text.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/errors.hpp>
#include <fairlead/codec/slurm/file_patterns.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::codec::slurm {
namespace {

constexpr std::uint32_t kNoTask = 0xFFFF'FFFE;  // what Slurm itself puts into names outside an array
constexpr std::size_t kMostBytes = 4096;

std::string withoutEscapes(std::string_view pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    out += pattern[i];
  }
  return out;
}

bool isEscaped(std::string_view pattern) {
  const auto at = pattern.find('\\');
  return at != std::string_view::npos && at + 1 < pattern.size();
}

std::string padded(std::uint64_t number, int width) { return fmt::format("{:0{}}", number, width); }

std::string_view shortName(std::string_view host) { return host.substr(0, host.find('.')); }

/// The value of one symbol. Unknown letters: nothing, and `known` is false. Known letters without a value: nothing.
std::optional<std::string> valueOf(char symbol, int width, const FileNameContext& c, bool& known) {
  known = true;
  const auto task = c.arrayTaskId.value_or(kNoTask);
  switch (symbol) {
    case 'j':
    case 'J':  // the step is named for regular steps only, and a batch script is none
      return padded(c.jobId, width);
    case 'A':
      return padded(c.arrayJobId.value_or(c.jobId), width);
    case 'a':
      return padded(task, width);
    case 'b':
      return padded(task % 10, width);
    case 'n':
    case 't':
      return padded(0, width);
    case 's':
      return "batch";
    case 'u':
      return c.user.empty() ? std::nullopt : std::optional(c.user);
    case 'x':
      return c.jobName;
    case 'N':
      return c.node ? std::optional<std::string>(shortName(*c.node)) : std::nullopt;
    case 'r':
      return c.restarts ? std::optional(padded(*c.restarts, width)) : std::nullopt;
    case 'S':
      return c.sluid;
    default:
      known = false;
      return {};
  }
}

/// `%5j` at `at`: the symbol and its width; `at` is moved behind it.
char takeSymbol(std::string_view pattern, std::size_t& at, int& width) {
  width = 0;
  for (++at; at < pattern.size() && isDigit(pattern[at]); ++at) width = std::min(width * 10 + (pattern[at] - '0'), 10);
  return at < pattern.size() ? pattern[at++] : '\0';
}

Result<std::string> expandSymbols(std::string_view pattern, const FileNameContext& context) {
  std::string out;
  for (std::size_t at = 0; at < pattern.size();) {
    if (pattern[at] != '%') {
      out += pattern[at++];
      continue;
    }
    const auto from = at;
    int width = 0;
    const char symbol = takeSymbol(pattern, at, width);
    bool known = true;
    if (symbol == '%') {
      out += '%';
    } else if (auto value = valueOf(symbol, width, context, known)) {
      out += *value;
    } else if (!known) {
      out += pattern.substr(from, at - from);
    } else {
      return fail(kPatternUnknown,
                  fmt::format("`%{}` of the file name `{}` is not known yet", symbol, printable(pattern)),
                  "ask again once the job runs");
    }
    if (out.size() > kMostBytes) break;
  }
  return out;
}

}  // namespace

Result<std::string> expandFileName(std::string_view pattern, const FileNameContext& context) {
  if (pattern.empty()) pattern = context.arrayTaskId ? "slurm-%A_%a.out" : "slurm-%j.out";
  auto name = isEscaped(pattern) ? Result<std::string>(withoutEscapes(pattern)) : expandSymbols(pattern, context);
  if (!name) return name;
  if (!name->starts_with('/')) *name = context.workDir + (context.workDir.ends_with('/') ? "" : "/") + *name;
  if (name->size() > kMostBytes)
    return fail(kOutOfRange, fmt::format("the file name of `{}` is over {} bytes", printable(pattern), kMostBytes),
                "use a shorter job name or folder");
  return name;
}

}  // namespace fairlead::codec::slurm
