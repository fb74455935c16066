#include <fairlead/base/assert.hpp>
#include <fairlead/handoff/lineage.hpp>

#include <map>
#include <utility>

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

std::vector<HeldDevices> heldBy(const model::Attempt& attempt) {
  std::map<std::pair<std::string, std::string>, MilliDevices> sums;
  for (const auto& member : attempt.placement)
    for (const auto& slice : member.devices) sums[{member.vendor, member.model}] += slice.milli;
  std::vector<HeldDevices> held;
  for (const auto& [key, devices] : sums) held.push_back({key.first, key.second, devices});
  return held;
}

}  // namespace fairlead::handoff
