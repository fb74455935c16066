// The files of an attempt on the cluster's file system, where this host sees it and may act as the job's user.
#include "slurm/slurm_engine.hpp"

#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <sys/stat.h>

namespace fairlead::engine::slurm {

bool SlurmEngine::readsFiles(const control::StartOrder& order) {
  return !order.modelUri.empty() || (order.workload.spec && order.workload.spec->spec.checkpoint);
}

/// Users may pass through it to what they know the name of.
Result<void> SlurmEngine::makeArtifactFolder() const {
  const auto path = options_.stateDir + "/artifacts";
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) return fail(kFolderUnusable, "cannot make " + path + ": " + failed.message());
  if (::chmod(path.c_str(), 0711) != 0) return fail(kFolderUnusable, local::errnoText("cannot open " + path, errno));
  return {};
}

Result<StartFiles> SlurmEngine::lookAtFiles(const control::StartOrder& order, const data::AttemptFiles& files) {
  StartFiles found;
  {
    const std::lock_guard guard(mutex_);
    const auto& memory = track(order.attempt.id).memory;
    if (memory.lastTry) {  // that job may be there, with what was found for it
      found.checkpoint = memory.resumedFrom;
      return found;
    }
  }
  if (files.checkpoint) {
    const auto newest = files_.newestCheckpoint(files);
    if (newest) found.checkpoint = newest->path;
    if (!newest && !stopping_)
      say(LogSeverity::warning, fmt::format("attempt {} starts without looking for a checkpoint on cluster {}: {}",
                                            toText(order.attempt.id), options_.cluster, newest.error().message));
  }
  if (files.modelPath.empty()) return found;
  const auto verified = files_.verifyModel(files);
  if (verified) return found;
  if (verified.error().code != &kNotFound) return tl::unexpected(verified.error());
  found.modelUnseen = true;
  if (!stopping_)
    say(LogSeverity::warning, fmt::format("attempt {}: its model cannot be compared from here: {}",
                                          toText(order.attempt.id), verified.error().message));
  return found;
}

void SlurmEngine::addFiles(const data::AttemptFiles& files, model::Observation& ended) const {
  if (files.checkpoint) {
    const auto newest = files_.newestCheckpoint(files);
    if (newest && !newest->path.empty()) {
      ended.checkpoint = newest->path;
      ended.checkpointAt = newest->completed;
    }
    if (!newest && !stopping_)
      say(LogSeverity::warning, fmt::format("{}: no checkpoint was looked for on cluster {}: {}", files.intent,
                                            options_.cluster, newest.error().message));
  }
  if (ended.category != model::FailureCategory::none) return;
  ended.outputs = files_.takeOutputs(files);
  for (std::size_t i = 0; i < ended.outputs.size(); ++i) {
    auto& output = ended.outputs[i];
    const auto& path = files.outputs[i].path;
    if (output.problem.empty()) continue;
    output.problem += fmt::format("; it is {} on cluster {}",
                                  path.starts_with('/') ? path : files.workingDirectory + "/" + path, options_.cluster);
  }
}

}  // namespace fairlead::engine::slurm
