// What someone wants run: `fairlead.io/v1 Workload`, already checked and normalised. codec reads and writes its text forms.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fairlead/base/enum_text.hpp>
#include <fairlead/base/units.hpp>
#include <fairlead/model/states.hpp>

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
  std::string vendor;           ///< lower case, empty: any
  std::string model;            ///< canonical name of the accelerator table (`h100`), empty: any
  Bytes memoryAtLeast;          ///< per device; 0: any
  std::int32_t count = 0;       ///< whole devices per member
  MilliDevices share;           ///< 1..999 of one device
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
  std::string workingDirectory;        ///< absolute; empty: the attempt's own folder
  bool operator==(const Role&) const = default;
};

struct TopologyRule {
  std::string require;  ///< a level that must hold all members; empty: none
  std::string prefer;
  bool operator==(const TopologyRule&) const = default;
};

/// How a complete checkpoint is told from a half-written one.
struct CheckpointValidity {
  enum class Kind : std::uint8_t {
    marker,    ///< a file of this name lies in the checkpoint's folder
    manifest,  ///< a file of `sha256sum` lines (digest, two spaces, relative path); all must match
    command,   ///< run with the folder as last argument, as the submitting user; exit code 0 is valid
  };
  Kind kind = Kind::marker;
  std::string file;                  ///< for marker and manifest; a plain name
  std::vector<std::string> command;  ///< argv for command
  bool operator==(const CheckpointValidity&) const = default;
};

struct CheckpointRule {
  std::string path;  ///< folder whose entries are checkpoints; relative to the working directory or absolute. Empty: the
                     ///< program gets the signal and nobody looks for checkpoints (`#SBATCH --signal`)
  CheckpointValidity valid;
  int signal = 0;         ///< sent before a planned stop so that the program writes one; 0: none
  Milliseconds grace;     ///< between that signal and the stop signal
  bool operator==(const CheckpointRule&) const = default;
};

struct RetryRule {
  std::int32_t limit = 3;                    ///< attempts after the first
  std::vector<FailureCategory> categories;   ///< which failures are tried again; sorted
  std::vector<std::int32_t> exitCodes;       ///< `exit:75`: these exit codes are tried again; sorted
  Milliseconds backoff{10'000};              ///< before the second attempt; doubles each time up to 10 minutes
  bool operator==(const RetryRule&) const = default;
};

struct OutputRule {
  enum class Kind : std::uint8_t { model, artifact };
  std::string name;
  std::string path;
  Kind kind = Kind::artifact;
  std::string model;    ///< for kind model: the model's name in the workload's project
  std::string metrics;  ///< a JSON file of numbers, kept with the version; empty: none
  bool operator==(const OutputRule&) const = default;
};

struct Dependency {
  enum class Condition : std::uint8_t { succeeded, failed, finished, started };
  std::string workload;  ///< id text
  Condition condition = Condition::succeeded;
  bool operator==(const Dependency&) const = default;
};

/// An array: one record until its elements start. Element indices are disjoint, rising, half-open ranges.
struct ArrayRule {
  struct Range {
    std::int32_t first = 0, last = 0, step = 1;  ///< first, first+step, ... up to and including last
    bool operator==(const Range&) const = default;
  };
  std::vector<Range> ranges;
  std::int32_t parallel = 0;  ///< at most so many at once; 0: no limit
  bool operator==(const ArrayRule&) const = default;
};

/// A model version that the attempt gets, byte for byte, at FAIRLEAD_MODEL_PATH.
struct ModelInput {
  std::string model;
  std::int32_t version = 0;  ///< 0: the newest at submit (the API writes the number in)
  bool operator==(const ModelInput&) const = default;
};

/// Copies of the logs where the user wants them (`#SBATCH --output`); patterns %j %x %A %a %u %N %t; empty: none.
struct LogFiles {
  std::string standardOutput;
  std::string standardError;
  bool append = false;
  bool operator==(const LogFiles&) const = default;
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
template <>
inline constexpr auto kEnumNames<model::OutputRule::Kind> = std::to_array<std::pair<model::OutputRule::Kind, std::string_view>>({
    {model::OutputRule::Kind::model, "model"},
    {model::OutputRule::Kind::artifact, "artifact"},
});
template <>
inline constexpr auto kEnumNames<model::Dependency::Condition> =
    std::to_array<std::pair<model::Dependency::Condition, std::string_view>>({
        {model::Dependency::Condition::succeeded, "succeeded"},
        {model::Dependency::Condition::failed, "failed"},
        {model::Dependency::Condition::finished, "finished"},
        {model::Dependency::Condition::started, "started"},
    });
}  // namespace fairlead
