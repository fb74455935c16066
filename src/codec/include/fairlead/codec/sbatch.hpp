// `#SBATCH` scripts as a way in: every directive of sbatch(1) is mapped, or named as not mapped with the reason.
//
// A script runs once per node here. With one node that is what sbatch does. With N nodes sbatch starts it on the first
// node only and leaves the others to srun; the embedded engine has no srun, so the workload becomes one gang of N
// members that each run the script with their rank in the environment, and the answer says so.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/codec/spec_codec.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairlead::codec {

struct SbatchContext {
  std::string submitDirectory;    ///< absolute; becomes the working directory unless --chdir says otherwise
  std::string scriptName;         ///< default job name; empty: `sbatch`
  std::string user;               ///< for messages
  std::vector<std::string> args;  ///< options of the command line; they override the script's
  std::vector<std::pair<std::string, std::string>>
      env;                             ///< the submitter's environment as far as --export may carry it
  TimePoint now;                       ///< what `--begin=now+1hour` counts from
  std::int32_t zoneOffsetMinutes = 0;  ///< of the submitter, east of UTC: `--begin=16:00` is local time
};

struct NotMapped {
  std::string directive;  ///< `--mail-user`
  std::string value;
  std::string why;
  bool operator==(const NotMapped&) const = default;
};

struct SbatchResult {
  WorkloadDocument document;
  std::vector<NotMapped> notMapped;  ///< in the order of the script
};

/// All errors at once, each with the line of its directive (0 for the command line).
[[nodiscard]] Checked<SbatchResult> decodeSbatch(std::string_view script, const SbatchContext& context);
/// True for a text whose first line is `#!` or which has a `#SBATCH` line before its first command.
[[nodiscard]] bool looksLikeSbatch(std::string_view text);

}  // namespace fairlead::codec
