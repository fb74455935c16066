// File names as sbatch takes them: `train-%A_%a.out`.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/codec/slurm/values.hpp>

namespace fairlead::codec::slurm {

/// What a name may be made of. Symbols whose value is nullopt cannot be expanded.
struct FileNameContext {
  std::uint32_t jobId = 0;  ///< raw
  std::optional<std::uint32_t> arrayJobId, arrayTaskId;
  std::string user, jobName, workDir;
  std::optional<std::string> node;  ///< the batch host; its short name is used
  std::optional<std::uint32_t> restarts;
  std::optional<std::string> sluid;
};

/// The absolute path of a batch script's output. %j %J %A %a %b %N %n %r %S %s %t %u %x %% with zero padding (`%5j`, at
/// most 10); a backslash before anything switches expansion off and is taken away. Unknown symbols stay. An empty
/// pattern is Slurm's own: `slurm-%j.out`, of arrays `slurm-%A_%a.out`. Relative names begin at `workDir`. Outside an
/// array %a is 4294967294, as Slurm writes it. Fails with kPatternUnknown where a value is not known, and with
/// kOutOfRange for results over 4096 bytes.
[[nodiscard]] Result<std::string> expandFileName(std::string_view pattern, const FileNameContext& context);

}  // namespace fairlead::codec::slurm
