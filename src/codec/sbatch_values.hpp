// Grammars of the values of sbatch options. Each gives nothing for what sbatch would refuse.
#pragma once

#include <fairlead/base/units.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::codec {

/// An integer of plain digits from `min` to `max`.
[[nodiscard]] std::optional<std::int64_t> slurmCount(std::string_view text, std::int64_t min, std::int64_t max);
/// `minutes`, `minutes:seconds`, `h:m:s`, `days-hours[:minutes[:seconds]]`; rounded up to minutes. 0, -1, INFINITE and
/// UNLIMITED are no limit: zero.
[[nodiscard]] std::optional<Milliseconds> slurmTime(std::string_view text);
/// `4000` (MiB), `16G`, `1.5T`... ; suffix K M G T P with an optional B or iB, powers of 1024.
[[nodiscard]] std::optional<Bytes> slurmMemory(std::string_view text);
/// `now+2hours`, `16:00`, `tomorrow`, `2026-12-01T08:00`, `12/31`, `uts1796000000` ...
[[nodiscard]] std::optional<TimePoint> slurmInstant(std::string_view text, TimePoint now,
                                                    std::int32_t zoneOffsetMinutes);

struct NodeCounts {
  std::int32_t least = 1;
  std::int32_t most = 1;
};
/// `4`, `2-4`; not the lists of sizes.
[[nodiscard]] std::optional<NodeCounts> slurmNodes(std::string_view text);

/// One entry of --gres: `gpu:h100:2`, `gres/gpu=2`, `gpu`, `shard:4`.
struct GresRequest {
  std::string name;
  std::string type;
  std::int64_t count = 1;
};
/// A list with commas. `none` is an empty list.
[[nodiscard]] std::optional<std::vector<GresRequest>> slurmGres(std::string_view text);
/// The list of --gpus and its kin: `8`, `h100:8`, `h100`.
[[nodiscard]] std::optional<std::vector<GresRequest>> slurmGpus(std::string_view text);

}  // namespace fairlead::codec
