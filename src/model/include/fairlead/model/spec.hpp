// What someone wants run: `fairlead.io/v1 Workload`, already checked and normalised. codec reads and writes its text
// forms.
#pragma once

#include <fairlead/base/enum_text.hpp>
#include <fairlead/base/units.hpp>
#include <fairlead/model/spec_rules.hpp>
#include <fairlead/model/states.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fairlead::model {

enum class TaskClass : std::uint8_t { training, interactive, inference, platform };
enum class GangRule : std::uint8_t {
  all,  ///< every member of every role starts together or none does
  min,  ///< every role's minimum starts together; the rest as capacity allows at that moment
};

/// The limits of a spec. A document over one of them is refused with the limit named.
struct SpecLimits {
  static constexpr std::size_t nameBytes = 63;
  static constexpr std::size_t roles = 16;
  static constexpr std::int32_t membersPerRole = 100'000;
  static constexpr std::int32_t devicesPerMember = 1'024;
  static constexpr std::size_t deviceAlternatives = 16;
  static constexpr std::size_t commandWords = 1'024;
  static constexpr std::size_t commandBytes = 128 * 1024;
  static constexpr std::size_t scriptBytes = 4 * 1024 * 1024;
  static constexpr std::size_t envEntries = 1'024;
  static constexpr std::size_t envBytes = 128 * 1024;
  static constexpr std::size_t pathBytes = 4'095;
  static constexpr std::size_t labels = 64;
  static constexpr std::size_t outputs = 64;
  static constexpr std::size_t dependencies = 1'024;
  static constexpr std::int32_t arrayElements = 1'000'000;
  static constexpr std::int32_t priority = 1'000'000;  ///< -priority..priority; low, normal, high are -100, 0, 100
  static constexpr std::int32_t retries = 1'000;
};

using Labels = std::vector<std::pair<std::string, std::string>>;  ///< sorted by key, keys unique

/// One acceptable way to satisfy a member. Exactly one of `count` and `share` is not zero.
struct DeviceRequest {
  std::string vendor;      ///< lower case, empty: any
  std::string model;       ///< canonical name of the accelerator table (`h100`), empty: any
  Bytes memoryAtLeast;     ///< per device; 0: any
  std::int32_t count = 0;  ///< whole devices per member
  MilliDevices share;      ///< 1..999 of one device
  bool operator==(const DeviceRequest&) const = default;
};

struct Role {
  std::string name;
  std::int32_t count = 1;              ///< members wanted, at least 1
  std::int32_t minimum = 1;            ///< 1..count; below count the role is elastic
  std::vector<DeviceRequest> devices;  ///< alternatives in order of preference; empty: no device
  MilliCpus cpus;                      ///< per member; 0: not asked
  Bytes memory;                        ///< per member; 0: not asked, else a limit
  std::vector<std::string> command;    ///< argv, never a shell line; empty when `script` is set
  std::string script;                  ///< a script with its #! line, run as a file; empty when `command` is set
  std::vector<std::pair<std::string, std::string>> images;  ///< stack (cuda, rocm, cann) to image, sorted
  std::vector<std::pair<std::string, std::string>> env;     ///< sorted by name
  std::string workingDirectory;                             ///< absolute; empty: the attempt's own folder
  bool operator==(const Role&) const = default;
};

struct TopologyRule {
  std::string require;  ///< a level that must hold all members; empty: none
  std::string prefer;
  bool operator==(const TopologyRule&) const = default;
};

/// What only a Slurm cluster understands; others pass it over. Empty: the cluster's own configuration decides.
struct SlurmHints {
  std::string partition;  ///< one, or several with commas
  std::string qos;
  std::string constraint;  ///< `nvlink&rack1`
  std::string reservation;
  std::string licenses;       ///< `matlab:2`
  bool exclusive = false;     ///< nodes of its own
  std::int32_t switches = 0;  ///< at most so many leaf switches; 0: any
  bool operator==(const SlurmHints&) const = default;
};

struct Spec {
  TaskClass taskClass = TaskClass::training;
  std::int32_t priority = 0;
  std::vector<Role> roles;
  GangRule gang = GangRule::all;
  TopologyRule topology;
  Milliseconds timeLimit;  ///< 0: none
  TimePoint notBefore;     ///< begin time; 0: at once
  bool startHeld = false;
  std::optional<CheckpointRule> checkpoint;
  RetryRule retry;
  int stopSignal = 15;
  Milliseconds stopGrace{30'000};  ///< between stopSignal and SIGKILL
  std::vector<OutputRule> outputs;
  std::vector<Dependency> dependencies;
  std::optional<ArrayRule> array;
  std::optional<ModelInput> model;
  LogFiles logs;
  SlurmHints slurm;
  bool operator==(const Spec&) const = default;
};

/// 256-bit SHA-2 digest of the canonical JSON of a spec.
using Digest = std::array<std::uint8_t, 32>;

/// A spec with its canonical text. Shared: a million workloads of a thousand distinct specs hold a thousand of these.
struct SpecDocument {
  Digest digest{};
  Spec spec;
  std::string json;  ///< canonical JSON of `spec` (the content of the document's `spec` member)
};
using SpecPtr = std::shared_ptr<const SpecDocument>;

/// What a submission carries, ready for control.
struct Submission {
  std::string name;
  std::string project;
  Labels labels;
  SpecPtr spec;
};

/// Members of all roles, wanted and at least. Ranks number them in order of roles, then members.
[[nodiscard]] std::int32_t memberCount(const Spec& spec);
[[nodiscard]] std::int32_t memberMinimum(const Spec& spec);
/// Elements of the array, 1 where there is none.
[[nodiscard]] std::int32_t elementCount(const Spec& spec);

}  // namespace fairlead::model

namespace fairlead {
template <>
inline constexpr auto kEnumNames<model::TaskClass> = std::to_array<std::pair<model::TaskClass, std::string_view>>({
    {model::TaskClass::training, "training"},
    {model::TaskClass::interactive, "interactive"},
    {model::TaskClass::inference, "inference"},
    {model::TaskClass::platform, "platform"},
});
template <>
inline constexpr auto kEnumNames<model::GangRule> = std::to_array<std::pair<model::GangRule, std::string_view>>({
    {model::GangRule::all, "all"},
    {model::GangRule::min, "min"},
});
}  // namespace fairlead
