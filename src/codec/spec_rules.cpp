#include "spec_rules.hpp"

#include <fairlead/base/text.hpp>
#include <fairlead/codec/spec_codec.hpp>
#include <fairlead/model/accelerators.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace fairlead::codec {
namespace {

using model::ArrayRule;
using model::SpecLimits;

constexpr std::int32_t kMostIndex = 1'000'000'000;

bool isLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

bool hasParentComponent(std::string_view path) {
  while (!path.empty()) {
    const auto slash = std::min(path.find('/'), path.size());
    if (path.substr(0, slash) == "..") return true;
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return false;
}

/// Set for every member by the engine; a value from the document would be lost or would lie.
constexpr std::array<std::string_view, 19> kEngineVariables{"RANK",
                                                            "WORLD_SIZE",
                                                            "LOCAL_RANK",
                                                            "LOCAL_WORLD_SIZE",
                                                            "GROUP_RANK",
                                                            "NODE_RANK",
                                                            "MASTER_ADDR",
                                                            "MASTER_PORT",
                                                            "OMPI_COMM_WORLD_RANK",
                                                            "OMPI_COMM_WORLD_SIZE",
                                                            "PMI_RANK",
                                                            "PMI_SIZE",
                                                            "PMIX_RANK",
                                                            "OMPI_COMM_WORLD_LOCAL_RANK",
                                                            "OMPI_COMM_WORLD_LOCAL_SIZE",
                                                            "ZE_AFFINITY_MASK",
                                                            "HABANA_VISIBLE_MODULES",
                                                            "TPU_VISIBLE_CHIPS",
                                                            "NEURON_RT_VISIBLE_CORES"};

std::optional<std::int32_t> takeIndex(std::string_view& text) {
  std::int32_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || value < 0 || value > kMostIndex || text.starts_with('-')) return {};
  text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
  return value;
}

std::optional<ArrayRule::Range> parseRange(std::string_view text) {
  ArrayRule::Range range;
  const auto first = takeIndex(text);
  if (!first) return {};
  range.first = range.last = *first;
  if (!text.empty()) {
    if (text.front() != '-') return {};
    text.remove_prefix(1);
    const auto last = takeIndex(text);
    if (!last || *last < *first) return {};
    range.last = *last;
  }
  if (!text.empty()) {
    if (text.front() != ':') return {};
    text.remove_prefix(1);
    const auto step = takeIndex(text);
    if (!step || *step == 0 || !text.empty()) return {};
    range.step = *step;
  }
  range.last -= (range.last - range.first) % range.step;
  return range;
}

std::int64_t countOf(const ArrayRule::Range& range) { return (range.last - range.first) / range.step + 1; }

/// Runs of three or more with one step, neighbours, and single elements.
std::vector<ArrayRule::Range> compress(const std::vector<std::int32_t>& indices) {
  std::vector<ArrayRule::Range> ranges;
  for (std::size_t i = 0; i < indices.size();) {
    std::size_t end = i + 1;
    const auto step = end < indices.size() ? indices[end] - indices[i] : 1;
    while (end < indices.size() && indices[end] - indices[end - 1] == step) ++end;
    if (end - i == 2 && step != 1) end = i + 1;
    ranges.push_back({indices[i], indices[end - 1], end - i == 1 ? 1 : step});
    i = end;
  }
  return ranges;
}

std::vector<ArrayRule::Range> normalised(const std::vector<ArrayRule::Range>& ranges) {
  if (ranges.size() == 1 && ranges.front().step == 1) return ranges;
  std::vector<std::int32_t> indices;
  for (const auto& range : ranges)
    for (std::int64_t i = range.first; i <= range.last; i += range.step)
      indices.push_back(static_cast<std::int32_t>(i));
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  return compress(indices);
}

}  // namespace

bool isName(std::string_view text) {
  return !text.empty() && text.size() <= SpecLimits::nameBytes && isModelName(text);
}

bool isModelName(std::string_view text) {
  if (text.empty() || text.size() > SpecLimits::nameBytes) return false;
  if (!isLowerOrDigit(text.front()) || !isLowerOrDigit(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return isLowerOrDigit(c) || c == '-' || c == '.' || c == '_'; });
}

std::optional<Fault> nameFault(std::string_view text) {
  if (isName(text)) return {};
  if (text.empty()) return Fault{"is empty", "give it a name"};
  if (text.size() > SpecLimits::nameBytes)
    return Fault{fmt::format("{} bytes, at most {} are allowed", text.size(), SpecLimits::nameBytes), "shorten it"};
  if (text.front() == '-')
    return Fault{fmt::format("`{}` looks like an option", printable(text, 80)), "begin with a letter or digit"};
  return Fault{fmt::format("`{}` is not a name", printable(text, 80)),
               "use lower-case letters, digits, `-`, `.` and `_`; begin and end with a letter or digit"};
}

std::optional<Fault> labelValueFault(std::string_view text) {
  if (text.size() > SpecLimits::nameBytes)
    return Fault{fmt::format("{} bytes, at most {} are allowed", text.size(), SpecLimits::nameBytes), "shorten it"};
  if (std::any_of(text.begin(), text.end(), isControl))
    return Fault{"holds a line break or control character", "remove it"};
  return {};
}

std::optional<Fault> slurmWordFault(std::string_view text) {
  constexpr std::size_t kMost = 1024;
  constexpr std::string_view kMarks = "_-.,:;@+=%/&|()[]*";
  if (text.empty()) return Fault{"is empty", "leave it out"};
  if (text.size() > kMost)
    return Fault{fmt::format("{} bytes, at most {} are allowed", text.size(), kMost), "shorten it"};
  if (text.front() == '-') return Fault{"looks like an option", "write its name alone"};
  const auto fine = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  };
  if (!std::all_of(text.begin(), text.end(), fine))
    return Fault{"holds a character that no name in Slurm has", "write it as for sbatch, without spaces and quotes"};
  return {};
}

std::optional<Fault> pathFault(std::string_view text) {
  if (text.empty()) return Fault{"is empty", "name a path"};
  if (text.size() > SpecLimits::pathBytes)
    return Fault{fmt::format("{} bytes, at most {} are allowed", text.size(), SpecLimits::pathBytes), "shorten it"};
  if (std::any_of(text.begin(), text.end(), isControl))
    return Fault{"holds a line break or control character", "rename the file"};
  if (text.front() == '-') return Fault{"looks like an option", "write ./ in front"};
  if (text.front() == '~') return Fault{"`~` is not expanded", "write the absolute path"};
  if (hasParentComponent(text)) return Fault{"`..` is not allowed", "write the path without it"};
  return {};
}

std::optional<Fault> fileNameFault(std::string_view text) {
  if (auto fault = pathFault(text)) return fault;
  if (text.find('/') != std::string_view::npos || text == "." || text.size() > 255)
    return Fault{"is not a plain file name", "name a file inside the checkpoint's folder, such as DONE"};
  return {};
}

std::optional<Fault> logPatternFault(std::string_view text) {
  if (auto fault = pathFault(text)) return fault;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    ++i;
    while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
    if (i >= text.size() || std::string_view("jxAauNt%").find(text[i]) == std::string_view::npos)
      return Fault{"holds an unknown pattern", "use %j %x %A %a %u %N %t, or %% for a percent sign"};
  }
  return {};
}

std::optional<Fault> envNameFault(std::string_view text) {
  const bool shaped =
      !text.empty() && (isLetter(text.front()) || text.front() == '_') && text.size() <= 255 &&
      std::all_of(text.begin(), text.end(), [](char c) { return isLetter(c) || c == '_' || (c >= '0' && c <= '9'); });
  if (!shaped) return Fault{"is not a variable's name", "use letters, digits and `_`, not beginning with a digit"};
  if (text.starts_with("FAIRLEAD_"))
    return Fault{"names beginning with FAIRLEAD_ are set by Fairlead", "choose another name"};
  if (text.ends_with("_VISIBLE_DEVICES"))
    return Fault{"is set from the devices that the member gets", "ask for devices with `devices`"};
  if (std::find(kEngineVariables.begin(), kEngineVariables.end(), text) != kEngineVariables.end())
    return Fault{"is set by Fairlead for every member", "leave it out, or choose another name"};
  return {};
}

ArrayText parseArrayIndices(std::string_view text) {
  const Fault syntax{fmt::format("`{}` is not a list of indices", printable(text, 80)),
                     "write it such as 0-9, 0-9:2 or 1,3,7"};
  ArrayText result;
  std::vector<ArrayRule::Range> ranges;
  std::int64_t elements = 0;
  while (true) {
    const auto comma = std::min(text.find(','), text.size());
    const auto range = parseRange(text.substr(0, comma));
    if (!range) {
      result.fault = syntax;
      return result;
    }
    elements += countOf(*range);
    ranges.push_back(*range);
    if (elements > SpecLimits::arrayElements) {
      result.fault = Fault{fmt::format("more than {} elements", SpecLimits::arrayElements), "split the array"};
      return result;
    }
    if (comma == text.size()) break;
    text.remove_prefix(comma + 1);
  }
  result.ranges = normalised(ranges);
  return result;
}

std::string arrayIndicesText(const std::vector<ArrayRule::Range>& ranges) {
  std::string text;
  for (const auto& range : ranges) {
    if (!text.empty()) text += ',';
    text += std::to_string(range.first);
    if (range.last != range.first) text += "-" + std::to_string(range.last);
    if (range.step != 1) text += ":" + std::to_string(range.step);
  }
  return text;
}

const std::vector<model::FailureCategory>& defaultRetryCategories() {
  static const std::vector<model::FailureCategory> categories{
      model::FailureCategory::nodeLost, model::FailureCategory::engineLost, model::FailureCategory::preempted};
  return categories;
}

std::string modelName(std::string_view text) {
  if (model::knownModelOrFamily(text)) return std::string(text);  // the usual case, and the quick one
  if (const auto known = model::canonicalModelOrFamily(text); !known.empty()) return std::string(known);
  std::string lower(text);
  for (auto& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace fairlead::codec
