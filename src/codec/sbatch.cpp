#include "sbatch_lines.hpp"
#include "sbatch_request.hpp"
#include "tree_storage.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/sbatch.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::codec {
namespace {

std::optional<Error> checkScript(std::string_view script) {
  if (script.size() > model::SpecLimits::scriptBytes)
    return errorAt({}, kTextTooLarge,
                   fmt::format("{} bytes, at most {} are taken", script.size(), model::SpecLimits::scriptBytes),
                   "put data into files");
  if (!script.starts_with("#!"))
    return errorAt({1, 1}, kSyntax, "this is not a batch script: its first line does not begin with #!",
                   "write #!/bin/bash first");
  if (auto error = checkUtf8(script)) return error;
  if (const auto nul = script.find('\0'); nul != std::string_view::npos)
    return errorAt(placeAt(script, nul), kEncoding, "the character NUL", "remove it");
  if (const auto dos = script.find("\r\n"); dos != std::string_view::npos)
    return errorAt(placeAt(script, dos), kSyntax, "the line ends with a DOS line break",
                   "convert the script with dos2unix");
  return {};
}

void readLine(SbatchWork& work, const SbatchLine& line, bool& componentSeen) {
  using Kind = SbatchLine::Kind;
  switch (line.kind) {
    case Kind::late:
      work.notMapped.push_back(
          {"#SBATCH", printable(line.text), "stands behind the first command, where sbatch does not read it either"});
      return;
    case Kind::foreign:
      work.notMapped.push_back({"#PBS", printable(line.text), "only lines of #SBATCH are read"});
      return;
    case Kind::component:
      if (!componentSeen)
        work.fault({"#SBATCH " + line.words.front().text, {}, false, line.place}, kNotOffered,
                   "jobs of several components are not offered",
                   "write a fairlead.io/v1 document with one role for each component");
      componentSeen = true;
      return;
    case Kind::options:
      break;
  }
  if (componentSeen) return;  // options of a later component must not change the first
  std::vector<std::string> words;
  std::vector<Place> places;
  for (const auto& word : line.words) {
    words.push_back(word.text);
    places.push_back(word.place);
  }
  readSbatchOptions(work, words, places);
}

}  // namespace

Checked<SbatchResult> decodeSbatch(std::string_view script, const SbatchContext& context) {
  if (auto error = checkScript(script)) return tl::unexpected(Errors{std::move(*error)});
  SbatchWork work{context, {}, {}, {}};
  auto lines = readSbatchLines(script);
  work.errors = std::move(lines.errors);
  bool componentSeen = false;
  for (const auto& line : lines.lines) readLine(work, line, componentSeen);
  readSbatchOptions(work, context.args, std::vector<Place>(context.args.size()));
  auto document = makeSbatchWorkload(work, script);
  if (work.errors.empty()) return SbatchResult{std::move(document), std::move(work.notMapped)};
  std::stable_sort(work.errors.begin(), work.errors.end(), [](const Error& a, const Error& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  return tl::unexpected(std::move(work.errors));
}

bool looksLikeSbatch(std::string_view text) {
  if (text.starts_with("#!")) return true;
  const auto lines = readSbatchLines(text.substr(0, 64 * 1024));
  return std::any_of(lines.lines.begin(), lines.lines.end(),
                     [](const SbatchLine& line) { return line.kind == SbatchLine::Kind::options; });
}

}  // namespace fairlead::codec
