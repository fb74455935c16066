// From a start order to one batch job. Pure.
#pragma once

#include "slurm/script.hpp"

#include <fairlead/base/result.hpp>
#include <fairlead/codec/slurm/types.hpp>
#include <fairlead/control/ports/engine_port.hpp>

#include <string>
#include <vector>

namespace fairlead::engine::slurm {

namespace wire = codec::slurm;

/// A kind of device as the cluster names it.
struct DeviceKind {
  std::string gresName, gresType;  ///< `gpu`, `h100`
  std::string vendor, model;       ///< as the accelerator table names them
  bool operator==(const DeviceKind&) const = default;
};

/// Whom the job runs as, as far as this host knows.
struct JobUser {
  std::string name;
  std::string home;
};

/// A job ready to be handed over, and what the engine keeps of it.
struct JobPlan {
  wire::SlurmSubmit submit;
  std::string folder;       ///< of the attempt on the cluster
  bool batchStyle = false;  ///< the user's script runs once, on the first node
  /// Where streams go; `%j` stands for the job's id. Batch style: one entry. Same path for both: one merged file.
  std::vector<std::string> outputs, errors;
};

/// First words of a job's name and comment.
[[nodiscard]] std::string jobName(const model::IntentId& intent, const std::string& workloadName);
[[nodiscard]] std::string jobComment(const model::IntentId& intent);
/// The start intent that a job carries in name and comment; nothing unless both name the same.
[[nodiscard]] std::optional<model::IntentId> intentOf(const std::string& name, const std::string& comment);

/// Error kOrderRefused: can never be carried out here; the message names the field.
[[nodiscard]] Result<JobPlan> planJob(const control::StartOrder& order, const SlurmOptions& options,
                                      const JobUser& user, const std::vector<DeviceKind>& kinds);

}  // namespace fairlead::engine::slurm
