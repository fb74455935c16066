// The folder of one attempt: its names, and the lock that says whether a supervisor lives.
//
//   attempts/a-7k3f9.start/
//     order      what to run; there before a supervisor is
//     lock       held by the supervisor while it lives
//     journal    what happened
//     in/        stop.N and signal.N intents, each a file
//     logs/      out.RANK.OFFSET and err.RANK.OFFSET
//     work/      working directory of those who name none; owned by the user
//     settled    the attempt is over and everybody knows; only logs are kept
#pragma once

#include "local/posix.hpp"

#include <fairlead/base/result.hpp>
#include <fairlead/model/workload.hpp>

#include <string>

namespace fairlead::engine::local {

inline const std::string kOrderFile = "order";
inline const std::string kSettledFile = "settled";
inline constexpr std::size_t kOrderLimit = 512 << 20;

[[nodiscard]] std::string folderName(model::AttemptId attempt);

/// Process-wide exclusive lock of an attempt (an open-file-description lock: it ends with the last holder, however it
/// dies).
class AttemptLock {
 public:
  /// Nothing when somebody else holds it.
  [[nodiscard]] static Result<std::optional<AttemptLock>> tryTake(int attemptFolder);
  /// Asks without taking it.
  [[nodiscard]] static bool held(int attemptFolder);

 private:
  Fd fd_;
};

/// A stop or signal intent as written into `in/`.
struct ControlIntent {
  model::IntentId id;
  int signal = 0;
  int firstSignal = 0;
  Milliseconds firstGrace;
  Milliseconds grace;
  std::string reason;
};
[[nodiscard]] Result<void> writeControlIntent(int attemptFolder, const model::Intent& intent);
/// All intents of `in/`, stops first, then by ordinal. Malformed files are left out.
[[nodiscard]] std::vector<ControlIntent> readControlIntents(int attemptFolder);

}  // namespace fairlead::engine::local
