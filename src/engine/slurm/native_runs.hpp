// Rows of slurmdbd put together to jobs of other people. Pure.
#pragma once

#include <fairlead/codec/slurm/types.hpp>
#include <fairlead/model/ids.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace fairlead::engine::slurm {

namespace wire = codec::slurm;

/// Whose a job is that carries one of our intents: the one that it was made for, somebody else's who wrote our words
/// into it, or of an intent that nobody here remembers.
enum class Owner : std::uint8_t { ours, another, unknown };
/// Any thread; may read a small file.
using OwnerOf = std::function<Owner(model::AttemptId attempt, const std::string& user)>;

/// One job's runs, oldest first. The rows live where they were read.
using Runs = std::vector<const wire::SlurmAccountedJob*>;

struct RunReading {
  std::string cluster;       ///< rows of others are left out; empty: none is
  bool restartsTold = true;  ///< false (before 24.11): runs are put together by user and time
};

/// Jobs by nativeName; more than one where an id came round again, oldest first. Without rows that have no submission.
[[nodiscard]] std::map<std::string, std::vector<Runs>> runsOf(const std::vector<wire::SlurmAccountedJob>& rows,
                                                              const RunReading& reading);
/// True when the last run has an end that it will keep.
[[nodiscard]] bool hasEnded(const Runs& runs);
/// True for rows whose name carries an intent of ours: never told, but where it is known to be another user's.
[[nodiscard]] bool isOurs(const wire::SlurmAccountedJob& row, const OwnerOf& ownerOf);

}  // namespace fairlead::engine::slurm
