// Reasons are data: a code and operands, made where the decision is made, rendered later.
#pragma once

#include <fairlead/base/enum_text.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace fairlead::model {

enum class ReasonCode : std::uint8_t {
  devicesShort,       ///< {wanted milli, free milli, kind}: fewer free than asked for
  devicesFragmented,  ///< {wanted per member, largest free on one node, kind}
  cpusShort,          ///< {wanted milli, largest free milli}
  memoryShort,        ///< {wanted bytes, largest free bytes}
  gangIncomplete,     ///< {members placed, members needed}
  behindReservation,  ///< {workload id text, reserved since ms}: an older workload's turn comes first
  beyondDepth,        ///< {position, depth}: not looked at in this cycle
  dependencyOpen,     ///< {workload text, condition}
  dependencyNever,    ///< {workload text, condition}: can never be fulfilled
  beginTime,          ///< {ms since epoch}
  backoff,            ///< {ms since epoch, attempts made}
  arrayLimit,         ///< {elements running, limit}
  nodeAvoided,        ///< {node}: ended an earlier attempt
  neverDevices,       ///< {wanted, most that any node set could ever give, kind}
  neverCpus,          ///< {wanted milli, most on one node}
  neverMemory,        ///< {wanted bytes, most on one node}
  neverModel,         ///< {kind}: no such device on any cluster
  neverTopology,      ///< {level}: no cluster has this level
  noCluster,          ///< no cluster is connected or ready
  held,               ///< by a person
  nativeWaits,        ///< {cluster, its word}: it waits in its own cluster's queue
  handedOver,         ///< {cluster}: nothing is free now; the cluster's own queue decides when
  notGoverned,        ///< {project, clusters text}: these are only looked at for this project
  placed,             ///< {nodes text}
};

using Operand = std::variant<std::int64_t, std::string>;

struct Reason {
  ReasonCode code = ReasonCode::devicesShort;
  std::vector<Operand> operands;
  bool operator==(const Reason&) const = default;
};

enum class Verdict : std::uint8_t { placed, notNow, never, denied };

/// One sentence without a final stop, in English.
[[nodiscard]] std::string render(const Reason& reason);
/// A few words for a table cell: `12 h100 more`.
[[nodiscard]] std::string renderShort(const Reason& reason);

}  // namespace fairlead::model

namespace fairlead {
template <>
inline constexpr auto kEnumNames<model::ReasonCode> = std::to_array<std::pair<model::ReasonCode, std::string_view>>({
    {model::ReasonCode::devicesShort, "devices-short"},
    {model::ReasonCode::devicesFragmented, "devices-fragmented"},
    {model::ReasonCode::cpusShort, "cpus-short"},
    {model::ReasonCode::memoryShort, "memory-short"},
    {model::ReasonCode::gangIncomplete, "gang-incomplete"},
    {model::ReasonCode::behindReservation, "behind-reservation"},
    {model::ReasonCode::beyondDepth, "beyond-depth"},
    {model::ReasonCode::dependencyOpen, "dependency-open"},
    {model::ReasonCode::dependencyNever, "dependency-never"},
    {model::ReasonCode::beginTime, "begin-time"},
    {model::ReasonCode::backoff, "backoff"},
    {model::ReasonCode::arrayLimit, "array-limit"},
    {model::ReasonCode::nodeAvoided, "node-avoided"},
    {model::ReasonCode::neverDevices, "never-devices"},
    {model::ReasonCode::neverCpus, "never-cpus"},
    {model::ReasonCode::neverMemory, "never-memory"},
    {model::ReasonCode::neverModel, "never-model"},
    {model::ReasonCode::neverTopology, "never-topology"},
    {model::ReasonCode::noCluster, "no-cluster"},
    {model::ReasonCode::held, "held"},
    {model::ReasonCode::nativeWaits, "native-waits"},
    {model::ReasonCode::handedOver, "handed-over"},
    {model::ReasonCode::notGoverned, "not-governed"},
    {model::ReasonCode::placed, "placed"},
});
template <>
inline constexpr auto kEnumNames<model::Verdict> = std::to_array<std::pair<model::Verdict, std::string_view>>({
    {model::Verdict::placed, "placed"},
    {model::Verdict::notNow, "not-now"},
    {model::Verdict::never, "never"},
    {model::Verdict::denied, "denied"},
});
}  // namespace fairlead
