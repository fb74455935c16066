// The rules of a spec: checkpoints, retries, outputs, dependencies, arrays, the model it serves, copies of its logs.
#pragma once

#include <fairlead/base/enum_text.hpp>
#include <fairlead/base/units.hpp>
#include <fairlead/model/states.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace fairlead::model {

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
  std::string path;  ///< folder whose entries are checkpoints; relative to the working directory or absolute. Empty:
                     ///< the program gets the signal and nobody looks for checkpoints (`#SBATCH --signal`)
  CheckpointValidity valid;
  int signal = 0;      ///< sent before a planned stop so that the program writes one; 0: none
  Milliseconds grace;  ///< between that signal and the stop signal
  bool operator==(const CheckpointRule&) const = default;
};

struct RetryRule {
  std::int32_t limit = 3;                   ///< attempts after the first
  std::vector<FailureCategory> categories;  ///< which failures are tried again; sorted
  std::vector<std::int32_t> exitCodes;      ///< `exit:75`: these exit codes are tried again; sorted
  Milliseconds backoff{10'000};             ///< before the second attempt; doubles each time up to 10 minutes
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

}  // namespace fairlead::model

namespace fairlead {
template <>
inline constexpr auto kEnumNames<model::OutputRule::Kind> =
    std::to_array<std::pair<model::OutputRule::Kind, std::string_view>>({
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
