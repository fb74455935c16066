// From a start order to one batch job. Pure.
#pragma once

#include "data/file_work.hpp"
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

/// How the members of a role stand in their component: `tasksPerNode` on each node, in order, each with so many of the
/// node's devices.
struct RoleShape {
  std::int32_t role = 0;  ///< index in Spec::roles
  std::int64_t members = 1, tasksPerNode = 1;
  std::int64_t devices = 0;  ///< per member
  bool operator==(const RoleShape&) const = default;
};

/// What was learned from the user's files before a start.
struct StartFiles {
  std::string checkpoint;    ///< to go on from; empty: none
  bool modelUnseen = false;  ///< this host cannot open the model: the job compares it, where it is a plain file
};

/// A job ready to be handed over, and what the engine keeps of it.
struct JobPlan {
  wire::SlurmSubmit submit;
  std::string folder;       ///< of the attempt on the cluster
  bool batchStyle = false;  ///< the user's script runs once, on the first node
  /// Where streams go; `%j` stands for the job's id. Batch style: one entry. Same path for both: one merged file.
  std::vector<std::string> outputs, errors;
  std::vector<RoleShape> roles;  ///< parallel to the components
  data::AttemptFiles files;
};

/// First words of a job's name and comment.
[[nodiscard]] std::string jobName(const model::IntentId& intent, const std::string& workloadName);
[[nodiscard]] std::string jobComment(const model::IntentId& intent);
/// The start intent that a job carries in name and comment; nothing unless both name the same.
[[nodiscard]] std::optional<model::IntentId> intentOf(const std::string& name, const std::string& comment);

/// The same by the name alone: slurmdbd keeps comments only where it is told to.
[[nodiscard]] std::optional<model::IntentId> intentOf(const std::string& name);

/// Error kOrderRefused: can never be carried out here; the message names the field.
[[nodiscard]] Result<JobPlan> planJob(const control::StartOrder& order, const SlurmOptions& options,
                                      const JobUser& user, const std::vector<DeviceKind>& kinds,
                                      const StartFiles& found = {});

}  // namespace fairlead::engine::slurm
