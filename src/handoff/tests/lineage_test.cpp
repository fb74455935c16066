#include <fairlead/handoff/lineage.hpp>

#include <gtest/gtest.h>

#include <memory>

namespace fairlead::handoff {
namespace {

using model::TaskClass;
using model::WorkloadState;

model::ModelVersion version() {
  model::ModelVersion v;
  v.project = "nlp";
  v.model = "bert";
  v.version = 7;
  v.workload = {1};
  return v;
}

model::Workload workload(TaskClass taskClass, WorkloadState state, model::ModelInput input = {"bert", 7}) {
  auto document = std::make_shared<model::SpecDocument>();
  document->spec.taskClass = taskClass;
  document->spec.model = std::move(input);
  model::Workload w;
  w.id = {2};
  w.project = "nlp";
  w.state = state;
  w.spec = document;
  return w;
}

TEST(UseOf, everyStateOfAServiceIsDecided) {
  for (const auto& [state, name] : kEnumNames<WorkloadState>) {
    auto expected = VersionUse::willServe;
    if (state == WorkloadState::running || state == WorkloadState::stopping || state == WorkloadState::unknown)
      expected = VersionUse::serves;
    if (model::isFinal(state)) expected = VersionUse::served;
    EXPECT_EQ(useOf(workload(TaskClass::inference, state), version()), expected) << name;
    EXPECT_EQ(useOf(workload(TaskClass::platform, state), version()), expected) << name;
    EXPECT_EQ(useOf(workload(TaskClass::training, state), version()), VersionUse::buildsOn) << name;
    EXPECT_EQ(useOf(workload(TaskClass::interactive, state), version()), VersionUse::buildsOn) << name;
  }
}

TEST(UseOf, otherVersionsModelsAndProjectsAreOtherThings) {
  const auto use = [](const model::Workload& w) { return useOf(w, version()); };
  EXPECT_EQ(use(workload(TaskClass::inference, WorkloadState::running, {"bert", 8})), VersionUse::none);
  EXPECT_EQ(use(workload(TaskClass::inference, WorkloadState::running, {"bert", 0})), VersionUse::none);
  EXPECT_EQ(use(workload(TaskClass::inference, WorkloadState::running, {"gpt", 7})), VersionUse::none);
  auto foreign = workload(TaskClass::inference, WorkloadState::running);
  foreign.project = "cv";
  EXPECT_EQ(use(foreign), VersionUse::none);
  foreign.spec = std::make_shared<model::SpecDocument>();
  foreign.project = "nlp";
  EXPECT_EQ(use(foreign), VersionUse::none);
}

TEST(ParentOf, isTheInputOfTheMaker) {
  auto maker = workload(TaskClass::training, WorkloadState::succeeded, {"base", 3});
  maker.id = {1};
  EXPECT_EQ(useOf(maker, version()), VersionUse::made);
  EXPECT_EQ(parentOf(version(), maker), (model::ModelInput{"base", 3}));
  maker.spec = std::make_shared<model::SpecDocument>();
  EXPECT_FALSE(parentOf(version(), maker));
}

}  // namespace
}  // namespace fairlead::handoff
