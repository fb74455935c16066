// Job ids as squeue and sacct print them: `16`, `16_3`, `16_[3-7%3]`, `66+1`, each with `.step` behind.
#pragma once

#include <fairlead/codec/slurm/states.hpp>
#include <fairlead/codec/slurm/values.hpp>

namespace fairlead::codec::slurm {

struct JobIdText {
  std::uint32_t id = 0;  ///< of the array or the heterogeneous job where there is one
  std::optional<std::uint32_t> task;
  std::string_view tasks;  ///< of a pending part: `3-7%3`
  std::optional<std::uint32_t> component;
  std::string_view step;  ///< `batch`, `0`; empty for the job itself
};
[[nodiscard]] std::optional<JobIdText> parseJobId(std::string_view text);

/// State, flags and words of `CANCELLED by 3001` and its like. False never: what is not declared is kept in `unknown`.
void readStateText(std::string_view text, JobState& state, JobFlags& flags, Words& unknown, std::string* cancelledBy);

}  // namespace fairlead::codec::slurm
