#include <fairlead/model/states.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace fairlead::model {
namespace {

template <class State, class Event>
std::string rowText(State state) {
  std::string row;
  for (const auto& [event, eventName] : kEnumNames<Event>)
    if (const auto after = next(state, event)) row += std::string(eventName) + ">" + std::string(toText(*after)) + " ";
  return row;
}

// Every pair stands here in words; a pair that is not listed is refused. A change of the table must change this page.
TEST(WorkloadStates, everyPairOfStateAndEventIsDecided) {
  const std::string finalRow = "requeue>queued ";
  const std::map<WorkloadState, std::string> expected{
      {WorkloadState::held, "hold>held release>queued cancel>cancelled "},
      {WorkloadState::queued, "hold>held place>starting fail>failed cancel>cancelled "},
      {WorkloadState::starting,
       "start>running succeed>succeeded retry>queued fail>failed cancel>stopping requeue>stopping "
       "lose-contact>unknown "},
      {WorkloadState::running,
       "start>running succeed>succeeded retry>queued fail>failed cancel>stopping requeue>stopping lose-contact>unknown "
       "regain-contact>running "},
      {WorkloadState::stopping,
       "start>stopping succeed>succeeded retry>queued fail>failed cancel>stopping stopped>cancelled "
       "lose-contact>unknown "
       "regain-contact>stopping "},
      {WorkloadState::unknown,
       "start>running succeed>succeeded retry>queued fail>failed cancel>stopping stopped>cancelled requeue>stopping "
       "lose-contact>unknown regain-contact>running "},
      {WorkloadState::succeeded, finalRow},
      {WorkloadState::failed, finalRow},
      {WorkloadState::cancelled, finalRow},
  };
  ASSERT_EQ(expected.size(), kEnumNames<WorkloadState>.size());
  for (const auto& [state, row] : expected)
    EXPECT_EQ((rowText<WorkloadState, WorkloadEvent>(state)), row) << toText(state);
}

TEST(AttemptStates, everyPairOfStateAndEventIsDecided) {
  const std::map<AttemptState, std::string> expected{
      {AttemptState::planned,
       "accept>accepted refuse>failed start>running stop>stopping succeed>succeeded fail>failed stopped>cancelled "
       "lose-contact>unknown "},
      {AttemptState::accepted,
       "accept>accepted refuse>failed start>running stop>stopping succeed>succeeded fail>failed stopped>cancelled "
       "lose-contact>unknown regain-contact>accepted "},
      {AttemptState::running,
       "start>running stop>stopping succeed>succeeded fail>failed stopped>cancelled lose-contact>unknown "
       "regain-contact>running "},
      {AttemptState::stopping,
       "accept>stopping refuse>cancelled start>stopping stop>stopping succeed>succeeded fail>failed stopped>cancelled "
       "lose-contact>unknown regain-contact>stopping "},
      {AttemptState::unknown,
       "accept>unknown refuse>failed start>running stop>stopping succeed>succeeded fail>failed stopped>cancelled "
       "lose-contact>unknown regain-contact>running "},
      {AttemptState::succeeded, ""},
      {AttemptState::failed, ""},
      {AttemptState::cancelled, ""},
  };
  ASSERT_EQ(expected.size(), kEnumNames<AttemptState>.size());
  for (const auto& [state, row] : expected)
    EXPECT_EQ((rowText<AttemptState, AttemptEvent>(state)), row) << toText(state);
}

TEST(States, onlyFinalAttemptsGiveTheirDevicesBack) {
  for (const auto& [state, name] : kEnumNames<AttemptState>) {
    bool leads = false;
    for (const auto& [event, eventName] : kEnumNames<AttemptEvent>) leads |= next(state, event).has_value();
    EXPECT_EQ(holdsDevices(state), leads) << name;
  }
}

}  // namespace
}  // namespace fairlead::model
