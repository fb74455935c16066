// Small values that Slurm writes as text: trackable resources, generic resources, ends of processes, array tasks.
#pragma once

#include <fairlead/base/units.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::codec::slurm {

/// One trackable resource. `type` is Slurm's (`cpu`, `mem`, `node`, `billing`, `gres`, `license`, `fs`, `energy` ...);
/// `name` tells more where Slurm does (`gpu:h100` of `gres/gpu:h100`). Ids are a cluster's own: never compare them
/// between clusters.
struct TresCount {
  std::string type;
  std::string name;
  std::int64_t count = 0;  ///< mem in bytes, everything else in its own unit
  std::int32_t id = 0;     ///< 0 where the text does not say

  bool operator==(const TresCount&) const = default;
};

/// In the order given; Slurm's sources disagree about it. A resource stands at most once.
using Tres = std::vector<TresCount>;

/// The count of `type` (and `name`), nullopt where it is not named. An absent resource is not a count of zero.
[[nodiscard]] std::optional<std::int64_t> tresCount(const Tres& tres, std::string_view type,
                                                    std::string_view name = {});

/// One generic resource of a node or a request: `gpu:h100:4(IDX:0-3)`, `gpu:8(S:0-1)`, `npu:0`, `gpu:1g.10gb:7`,
/// `shard:h100:16(2/4,0/4)`.
struct GresEntry {
  std::string name;  ///< `gpu`
  std::string type;  ///< `h100`, `1g.10gb`; empty where none is named
  std::int64_t count = 0;
  bool indexed = false;                ///< the text names devices; `indices` is then whole, empty: none of them
  std::vector<std::int32_t> indices;   ///< rising, each once, fewer than kMaxGresIndices
  std::vector<std::int32_t> sockets;   ///< of `(S:0-1)`, rising
  std::vector<std::int32_t> perIndex;  ///< of shards: how many are taken on device 0, 1, ...

  bool operator==(const GresEntry&) const = default;
};
inline constexpr std::size_t kMaxGresIndices = 4096;

/// What of a job's generic resources is on one node.
struct NodeGres {
  std::string node;  ///< empty where Slurm gives the list without the names
  std::vector<GresEntry> gres;

  bool operator==(const NodeGres&) const = default;
};

/// How a job or step ended.
struct ExitCode {
  std::int32_t code = 0;    ///< 0 to 255
  std::int32_t signal = 0;  ///< 0: none
  bool coreDumped = false;
  /// sacct of 22.05 and 24.11 loses the top bit: 9 may be 137. Where set, `code` is one of itself and itself + 128.
  bool topBitUncertain = false;

  bool operator==(const ExitCode&) const = default;
};

/// Which tasks of an array, as ranges: `1,5-9:2` is {1,1,1},{5,9,2}. At most kMaxArrayRanges of them.
struct TaskRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t step = 1;

  [[nodiscard]] std::uint64_t count() const { return (static_cast<std::uint64_t>(last) - first) / step + 1; }
  bool operator==(const TaskRange&) const = default;
};
inline constexpr std::size_t kMaxArrayRanges = 4096;

struct TaskSet {
  std::vector<TaskRange> ranges;          ///< rising, without overlap
  std::optional<std::uint32_t> throttle;  ///< of `%3`
  bool cut = false;                       ///< Slurm shortened its text by `...`: there are more tasks

  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] bool contains(std::uint32_t task) const;
  bool operator==(const TaskSet&) const = default;
};

/// A limit of time: unset (nothing said), unlimited, or a span.
struct TimeLimit {
  std::optional<Milliseconds> span;
  bool unlimited = false;

  [[nodiscard]] bool isSet() const { return unlimited || span.has_value(); }
  bool operator==(const TimeLimit&) const = default;
};

/// Names of hosts. `text` is Slurm's compact form (`n[1-3,5]`); `names` its expansion in order, empty with `tooMany`
/// set where there are more than the reader's bound or the text cannot be read.
struct HostSet {
  std::string text;
  std::vector<std::string> names;
  bool tooMany = false;

  bool operator==(const HostSet&) const = default;
};

/// A state by its declared word and whatever words were not declared, kept as written.
using Words = std::vector<std::string>;

}  // namespace fairlead::codec::slurm
