#include <fairlead/base/assert.hpp>
#include <fairlead/handoff/lineage.hpp>

namespace fairlead::handoff {
namespace {

bool holds(const model::Workload& workload) {
  using enum model::WorkloadState;
  return workload.state == running || workload.state == stopping || workload.state == unknown;
}

bool isServing(model::TaskClass taskClass) {
  return taskClass == model::TaskClass::inference || taskClass == model::TaskClass::platform;
}

}  // namespace

VersionUse useOf(const model::Workload& workload, const model::ModelVersion& version) {
  if (workload.id == version.workload) return VersionUse::made;
  if (workload.spec == nullptr || workload.project != version.project) return VersionUse::none;
  const auto& spec = workload.spec->spec;
  if (!spec.model || spec.model->model != version.model || spec.model->version != version.version)
    return VersionUse::none;
  if (!isServing(spec.taskClass)) return VersionUse::buildsOn;
  if (model::isFinal(workload.state)) return VersionUse::served;
  return holds(workload) ? VersionUse::serves : VersionUse::willServe;
}

std::optional<model::ModelInput> parentOf(const model::ModelVersion& version, const model::Workload& maker) {
  FL_ASSERT(maker.id == version.workload, "asked about the workload that made the version");
  if (maker.spec == nullptr) return {};
  return maker.spec->spec.model;
}

}  // namespace fairlead::handoff
