// The batch script of an attempt. Pure: text from values. Nothing of a user's is anything but quoted words in it.
#pragma once

#include "ranks/rank_environment.hpp"

#include <fairlead/engine/slurm.hpp>
#include <fairlead/model/spec.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace fairlead::engine::slurm {

/// Exit codes of ours, told apart from the program's own by the files in `ends/`.
inline constexpr int kNoRunFolder = 119;
inline constexpr int kNoCommand = 120;
inline constexpr int kNoWorkingDirectory = 121;
inline constexpr int kModelDiffers = 122;

/// Where the scripts leave what the engine reads: `ends/RANK` holds `exit CODE`, `start TEXT`; `first` the first rank
/// that failed and its code; `result` all of `ends/` when the job ended by itself, one `RANK exit CODE` a line, and
/// `RANK memory` where Slurm said that the memory was too little (`-` where the rank is not known).
inline constexpr auto kEndsFolder = "ends";
inline constexpr auto kFirstFile = "first";
inline constexpr auto kResultFile = "result";
inline constexpr auto kBatchLog = "batch.log";

/// Slurm cannot always signal the ranks alone. Our batch script passes on what comes to it as this: a real-time signal,
/// which nobody else sends, so that no rank gets a signal twice. 1 to kHighestPassedSignal.
inline constexpr int kHighestPassedSignal = 30;
[[nodiscard]] constexpr int passingSignal(int number) { return 34 + number; }

struct ScriptRole {
  const model::Role* role = nullptr;
  std::int64_t members = 1, tasksPerNode = 1, nodes = 1;
  std::int64_t rankOffset = 0, nodeOffset = 0;                    ///< of the roles before
  std::int64_t cpus = 0;                                          ///< per member; 0: not asked
  std::int64_t devices = 0;                                       ///< per member
  std::string gresName;                                           ///< `gpu`, `npu`; empty without devices
  std::string deviceVariable;                                     ///< the vendor's; empty: none
  std::vector<std::pair<std::string, std::string>> otherDevices;  ///< variables that hide the rest, with their value
  std::string image;                                              ///< empty: none
  bool usesNvidia = false;
};

struct ScriptOrder {
  RunFacts facts;
  std::string folder;  ///< of the attempt, on the cluster
  std::string user;
  std::vector<ScriptRole> roles;
  model::LogFiles logs;
  SlurmContainer container = SlurmContainer::none;
  std::string checkpoint;              ///< to go on from; empty: none
  std::string modelPath, modelDigest;  ///< digest: hexadecimal SHA-256 of a plain file, empty: not compared
};

/// One `srun` per role.
[[nodiscard]] std::string rankScript(const ScriptOrder& order);
/// The user's sbatch script, as sbatch runs it: once, on the first node, in place of ours.
[[nodiscard]] std::string batchScript(const ScriptOrder& order);
/// True for a script that sbatch directives make one for sbatch.
[[nodiscard]] bool hasDirectives(std::string_view script);

/// Where a rank's streams go, with `%j` left for the job's id: as given, or in the attempt's folder.
[[nodiscard]] std::string rankLog(const ScriptOrder& order, std::int64_t rank, bool errors);

}  // namespace fairlead::engine::slurm
