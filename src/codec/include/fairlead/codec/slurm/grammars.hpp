// Grammars of Slurm's values. The `read...` functions return false for what Slurm does not write and then leave `out`
// unset or empty; they keep the memory of `out`. `(null)`, `N/A`, `Unknown`, `None` and the empty text are "unset":
// true, with nothing in `out`.
#pragma once

#include <fairlead/codec/slurm/values.hpp>

namespace fairlead::codec::slurm {

/// `cpu=32,mem=200G,gres/gpu:h100=16`, any order; ids (`1=32,1001=4`) where the database gives them. Counts without a
/// number (`N/A`, and the markers of "unset") are left out. Suffixes K M G T P are powers of 1024, `mem` without one is
/// in MiB. At most kMaxTres.
[[nodiscard]] bool readTres(std::string_view text, Tres& out);
/// `cpu=32,mem=200G,...`: exact, readTres gives the same back. mem in the largest of K to P that divides it.
[[nodiscard]] std::string tresText(const Tres& tres);
inline constexpr std::size_t kMaxTres = 1024;

/// `gpu:h100:4(IDX:0-3),npu:0`, `gpu:8(S:0-1)`, `gres/gpu:h100:8`, `gres:gpu:2`, `gres/gpu=2`, `gpu:(null):2`,
/// `shard:h100:6(4/8,2/8)`. At most kMaxTres entries.
[[nodiscard]] bool readGres(std::string_view text, std::vector<GresEntry>& out);
/// `gpu:h100:4(IDX:0-3)`.
[[nodiscard]] std::string gresText(const std::vector<GresEntry>& entries);

/// `3-7%3`, `1,5-9:2`, `[0-3]`, `1,2,...`. At most kMaxArrayRanges ranges.
[[nodiscard]] std::optional<TaskSet> parseTasks(std::string_view text);
[[nodiscard]] std::string tasksText(const TaskSet& tasks);

/// A clock as Slurm prints spans: `1-02:03:04`, `02:03:04`, `3:04`, `0:02`, `00:01.500`. At most 100 years.
[[nodiscard]] bool readSpan(std::string_view text, std::optional<Milliseconds>& out);
/// The same, or `UNLIMITED`, `INFINITE`; `Partition_Limit` is unset.
[[nodiscard]] bool readLimit(std::string_view text, TimeLimit& out);
/// Seconds since 1970 (what SLURM_TIME_FORMAT=%s gives); 0 is unset. `2026-11-30T14:54:33` only with the offset of the
/// cluster's zone at that moment, in minutes east of UTC.
[[nodiscard]] bool readInstant(std::string_view text, std::optional<TimePoint>& out,
                               std::optional<std::int32_t> utcOffsetMinutes = {});
/// `[days-]hours:minutes:seconds`, rounded up to minutes: what sbatch takes as a limit.
[[nodiscard]] std::string limitText(Milliseconds span);

/// Whether a source loses the highest bit of exit codes: sacct's text before 26.05 does.
enum class TopBit : std::uint8_t { kept, lost };
/// `137:0`, `0:15`.
[[nodiscard]] bool readExitCode(std::string_view text, std::optional<ExitCode>& out, TopBit topBit = TopBit::kept);
/// Of a status as wait(2) gives it (REST v0.0.38); nothing for the markers of "unset".
[[nodiscard]] std::optional<ExitCode> exitFromWaitStatus(std::int64_t status);

}  // namespace fairlead::codec::slurm
