#include <fairlead/base/text.hpp>
#include <fairlead/handoff/errors.hpp>
#include <fairlead/handoff/versions.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace fairlead::handoff {
namespace {

Error withField(const ErrorCode& code, std::string message, std::string field, std::string value, std::string remedy) {
  return Error{&code, std::move(message), std::move(field), std::move(value), std::move(remedy)};
}

Result<void> checkUsable(const model::Workload& workload, const model::Attempt& attempt, const model::OutputRule& rule,
                         const model::OutputArtifact& artifact, const ModelVersion* newest) {
  if (attempt.state != model::AttemptState::succeeded)
    return fail(kNotSuccessful,
                fmt::format("attempt {} of {} is {}", toText(attempt.id), toText(workload.id), toText(attempt.state)));
  if (rule.kind != model::OutputRule::Kind::model || rule.model.empty())
    return fail(kNotAModel, fmt::format("output {} is declared as an artifact", printable(rule.name)),
                "declare it with kind: model and the model's name");
  if (attempt.workload != workload.id || artifact.name != rule.name)
    return fail(kOutputUnusable, fmt::format("output {} does not belong to output rule {} of {}",
                                             printable(artifact.name), printable(rule.name), toText(workload.id)));
  if (newest != nullptr && (newest->project != workload.project || newest->model != rule.model))
    return fail(kOutputUnusable, fmt::format("version {} is one of model {} of project {}", newest->version,
                                             printable(newest->model), printable(newest->project)));
  if (!artifact.problem.empty())
    return fail(kOutputUnusable, fmt::format("output {}: {}", printable(rule.name), printable(artifact.problem)));
  if (artifact.uri.empty() || artifact.digest == model::Digest{} || artifact.size.count < 0)
    return fail(kOutputUnusable, fmt::format("output {} has no address, digest or size", printable(rule.name)));
  return {};
}

std::string versionList(std::vector<std::int32_t> numbers) {
  constexpr std::size_t kShown = 5;
  std::sort(numbers.begin(), numbers.end(), std::greater<>());
  std::string text;
  for (std::size_t i = 0; i < std::min(numbers.size(), kShown); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  return numbers.size() > kShown ? text + ", ..." : text;
}

Error noModel(const model::ModelInput& input, std::string_view project, const std::vector<std::string_view>& names) {
  const auto near = nearest(input.model, names);
  return withField(kModelNotFound,
                   fmt::format("project {} has no model {}", printable(project), printable(input.model)),
                   "spec.model.name", printable(input.model),
                   near ? fmt::format("did you mean {}?", *near)
                        : "submit it again once a training workload with this model as output has succeeded");
}

}  // namespace

Result<std::int32_t> nextVersion(const ModelVersion* newest) {
  if (newest == nullptr) return 1;
  if (newest->version == std::numeric_limits<std::int32_t>::max())
    return fail(kVersionsExhausted, fmt::format("model {} has {} versions", printable(newest->model), newest->version),
                "use another model name");
  return newest->version + 1;
}

Result<ModelVersion> versionFrom(const model::Workload& workload, const model::Attempt& attempt,
                                 const model::OutputRule& rule, const model::OutputArtifact& artifact,
                                 const ModelVersion* newest, TimePoint now) {
  if (auto usable = checkUsable(workload, attempt, rule, artifact, newest); !usable)
    return tl::unexpected(usable.error());
  auto number = nextVersion(newest);
  if (!number) return tl::unexpected(number.error());
  ModelVersion version;
  version.project = workload.project;
  version.model = rule.model;
  version.version = *number;
  version.uri = artifact.uri;
  version.digest = artifact.digest;
  version.size = artifact.size;
  version.workload = workload.id;
  version.attempt = attempt.id;
  version.createdBy = workload.submitter;
  version.createdAt = now;
  version.metrics = artifact.metrics;
  std::sort(version.metrics.begin(), version.metrics.end());
  return version;
}

Result<const ModelVersion*> resolve(const model::ModelInput& input, std::string_view project,
                                    std::span<const ModelVersion> versions) {
  const ModelVersion* found = nullptr;
  std::vector<std::int32_t> numbers;
  std::vector<std::string_view> names;
  for (const auto& version : versions) {
    if (version.project != project) continue;
    if (version.model != input.model) {
      names.push_back(version.model);
      continue;
    }
    numbers.push_back(version.version);
    const bool wanted =
        input.version == 0 ? found == nullptr || version.version > found->version : version.version == input.version;
    if (wanted) found = &version;
  }
  if (found != nullptr) return found;
  if (numbers.empty()) return tl::unexpected(noModel(input, project, names));
  return tl::unexpected(withField(kVersionNotFound,
                                  fmt::format("model {} has no version {}", printable(input.model), input.version),
                                  "spec.model.version", std::to_string(input.version),
                                  fmt::format("there is {}; leave it out for the newest", versionList(numbers))));
}

}  // namespace fairlead::handoff
