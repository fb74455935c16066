// Commands of people, as changes of a transaction. Nothing is written when an error is returned.
#pragma once

#include "transaction.hpp"

#include <fairlead/control/commands.hpp>

namespace fairlead::control {

[[nodiscard]] Result<SubmitReply> submit(Transaction& tx, const SubmitCommand& command);
[[nodiscard]] Result<ActReply> act(Transaction& tx, const ActCommand& command);

/// A submission's dependencies and model must exist and be possible. Also for dry runs.
[[nodiscard]] Result<void> admit(const State& state, const model::Submission& submission, const Actor& actor);

}  // namespace fairlead::control
