// What is said to Slurm: REST bodies per version, and commands as argument lists. No shell anywhere; the script travels
// in the body or through stdin, the environment in the body or a file, so neither shows in a process list.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/codec/slurm/rest.hpp>

namespace fairlead::codec::slurm {

/// Everything wrong with a submission at once: control characters, a script that is no script, names of generic
/// resources, counts out of range. Empty: it can be sent.
[[nodiscard]] Errors checkSubmit(const SlurmSubmit& submit);

/// Body of POST /slurm/v0.0.NN/job/submit. Fails with all errors of checkSubmit, and kNotOffered for what the version
/// cannot say (switches and node lists in v0.0.38, segments before v0.0.41): the command line can.
[[nodiscard]] Checked<std::string> submitBody(ApiVersion version, const SlurmSubmit& submit);
/// Body of POST /slurm/v0.0.NN/job/ID.
[[nodiscard]] Checked<std::string> updateBody(ApiVersion version, const SlurmJobUpdate& update);

/// A program to start, and what to write into its stdin.
struct SlurmCommand {
  std::vector<std::string> argv;
  std::string input;
};

/// `sbatch --parsable ... --export-file=FILE`, the script through stdin; components behind `:`. Start it with an
/// environment of PATH and SLURM_CONF only: sbatch takes its own along.
/// @param environmentFile where the caller has put environmentFileText, readable for the submitting user only
[[nodiscard]] Checked<SlurmCommand> sbatchCommand(const SlurmSubmit& submit, std::string_view environmentFile);
/// `NAME=value` each ended by a zero byte: what --export-file reads.
[[nodiscard]] std::string environmentFileText(const SlurmSubmit& submit);
/// `123`, `123;cluster`: what --parsable prints.
[[nodiscard]] std::optional<std::uint32_t> parseSubmitted(std::string_view output);

/// A job, or one task of an array, or one component of a heterogeneous job: `12`, `12_3`, `12+1`.
struct SlurmJobRef {
  std::uint32_t id = 0;
  std::optional<std::uint32_t> task, component;
};
[[nodiscard]] std::string toText(const SlurmJobRef& job);

/// Which processes of a job a signal is for. One signal never reaches both the script and the steps.
enum class SignalScope : std::uint8_t {
  steps,        ///< what srun started; a script that runs its program by itself gets nothing
  batchShell,   ///< the batch script's shell alone (`--batch`)
  batchScript,  ///< that shell and what it started in its process group, srun among them (`--full`)
};
/// `scancel --verbose`: without it an unknown or ended job gives no message.
[[nodiscard]] SlurmCommand cancelCommand(const SlurmJobRef& job);
/// The same with a signal, 1 to 64.
[[nodiscard]] SlurmCommand signalCommand(const SlurmJobRef& job, int signal, SignalScope scope);
enum class JobAction : std::uint8_t { hold, userHold, release, requeue, requeueHold, suspend, resume };
[[nodiscard]] SlurmCommand actionCommand(JobAction action, const SlurmJobRef& job);
/// `scontrol update JobId=... TimeLimit=...`. Holding is an action of its own: actionCommand.
[[nodiscard]] Checked<SlurmCommand> updateCommand(const SlurmJobRef& job, const SlurmJobUpdate& update);
enum class NodeAction : std::uint8_t { drain, resume };
/// The same through slurmrestd, for POST node/NAME; from v0.0.40.
[[nodiscard]] Checked<std::string> nodeBody(ApiVersion version, NodeAction action, std::string_view node,
                                            std::string_view reason);
/// `scontrol update NodeName=... State=DRAIN Reason=...`.
[[nodiscard]] Checked<SlurmCommand> nodeCommand(NodeAction action, std::string_view nodes, std::string_view reason);

/// What a command's message on stderr means: `sbatch: error: Batch job submission failed: Invalid qos specification`.
/// The last error line is the problem's text; nothing where there is none.
[[nodiscard]] std::optional<SlurmProblem> problemOfCommand(std::string_view stderrText);

}  // namespace fairlead::codec::slurm
