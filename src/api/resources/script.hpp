// sbatch scripts as a way in.
#pragma once

#include "intake.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace fairlead::api {

/// What a body came to.
struct DecodedInput {
  std::vector<ReadyPtr> documents;
  std::vector<NotMappedView> notMapped;
};

struct ScriptContext {
  std::string directory;   ///< absolute, or empty
  std::string scriptName;  ///< empty: the codec's default
  std::string user;
  TimePoint now;
  std::int32_t zoneOffsetMinutes = 0;  ///< of the submitter, east of UTC
};

[[nodiscard]] Checked<DecodedInput> decodeScript(std::string_view script, ScriptContext from);
/// `{script, scriptName, workingDirectory, args, env, zoneOffsetMinutes}`: the script with what sbatch knows beside it.
[[nodiscard]] Checked<DecodedInput> decodeScriptJson(std::string_view body, ScriptContext from);

}  // namespace fairlead::api
