// Rules of single values in a workload, shared by the spec decoder and the sbatch decoder. Each answers nothing when
// the value is fine, else what is wrong and what to do.
#pragma once

#include <fairlead/model/spec.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::codec {

struct Fault {
  std::string message;
  std::string remedy;
};

[[nodiscard]] std::optional<Fault> nameFault(std::string_view text);
/// A word that goes to Slurm's programs: no spaces, quotes or control characters, at most 1024 bytes.
[[nodiscard]] std::optional<Fault> slurmWordFault(std::string_view text);
[[nodiscard]] std::optional<Fault> labelValueFault(std::string_view text);
[[nodiscard]] std::optional<Fault> pathFault(std::string_view text);
/// One plain file name, no folder.
[[nodiscard]] std::optional<Fault> fileNameFault(std::string_view text);
/// A path with the patterns of LogFiles.
[[nodiscard]] std::optional<Fault> logPatternFault(std::string_view text);
/// Also refuses what the engine sets itself.
[[nodiscard]] std::optional<Fault> envNameFault(std::string_view text);

struct ArrayText {
  std::vector<model::ArrayRule::Range> ranges;  ///< normal form
  std::optional<Fault> fault;
};
/// `0-9:2,12` to normal form: disjoint rising ranges, the longest first found.
[[nodiscard]] ArrayText parseArrayIndices(std::string_view text);
[[nodiscard]] std::string arrayIndicesText(const std::vector<model::ArrayRule::Range>& ranges);

/// What failures are tried again where the document says nothing: those that are not the program's fault.
[[nodiscard]] const std::vector<model::FailureCategory>& defaultRetryCategories();
inline constexpr Milliseconds kDefaultCheckpointGrace{60'000};

/// Canonical name of a model as people write it: the accelerator table's name for a product text, else lower case.
[[nodiscard]] std::string modelName(std::string_view text);
/// Lower-case letters, digits, `-`, `.`, `_`; starts and ends with a letter or digit.
[[nodiscard]] bool isModelName(std::string_view text);

}  // namespace fairlead::codec
