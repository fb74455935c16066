// Work on files that the user can reach, in a child process: a hanging file system or an endless check of the user's
// then costs a child and a time-out, never the supervisor.
#pragma once

#include "local/fields.hpp"

#include <fairlead/base/result.hpp>
#include <fairlead/base/units.hpp>

#include <functional>
#include <string>

namespace fairlead::engine::data {

using local::Fields;

/// How long looking for a checkpoint, reading a model and copying all outputs may take, whichever engine does it.
inline constexpr Milliseconds kCheckpointTime{600'000};
inline constexpr Milliseconds kVerifyTime{6LL * 3'600'000};
inline constexpr Milliseconds kOutputTime{24LL * 3'600'000};

struct TaskLimits {
  Milliseconds time;
  int interrupt = -1;          ///< a descriptor; when it is readable `stop` is asked
  std::function<bool()> stop;  ///< true: give up
};

/// Runs `work` in a child in a session of its own and returns what it returned. For single-threaded processes. Whatever
/// the child does, the answer comes within the limit; its whole session is killed then.
[[nodiscard]] Result<Fields> runTask(const std::function<Fields()>& work, const TaskLimits& limits);

}  // namespace fairlead::engine::data
