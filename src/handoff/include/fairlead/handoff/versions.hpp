// The rules of the model registry: which output becomes which version, and which version a workload gets.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/model/observation.hpp>
#include <fairlead/model/records.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace fairlead::handoff {

using model::ModelVersion;

/// 1 for the first, else one more than the newest. Error: kVersionsExhausted at 2^31-1.
[[nodiscard]] Result<std::int32_t> nextVersion(const ModelVersion* newest);

/// The version that `artifact`, left by the successful `attempt` under `rule`, becomes. `newest` is the newest version
/// of the same model in the workload's project, or nothing. The same bytes again are a new version: another run made
/// them. Errors: kNotSuccessful, kNotAModel, kOutputUnusable, kVersionsExhausted.
[[nodiscard]] Result<ModelVersion> versionFrom(const model::Workload& workload, const model::Attempt& attempt,
                                               const model::OutputRule& rule, const model::OutputArtifact& artifact,
                                               const ModelVersion* newest, TimePoint now);

/// The version `input` means in `project`: the numbered one, or the newest for 0. `versions` may be in any order and
/// may hold other models and projects. The pointer is into `versions`. Errors: kModelNotFound, kVersionNotFound, with
/// the choices in words.
[[nodiscard]] Result<const ModelVersion*> resolve(const model::ModelInput& input, std::string_view project,
                                                  std::span<const ModelVersion> versions);

}  // namespace fairlead::handoff
