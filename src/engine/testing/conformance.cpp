#include "cases.hpp"

#include <array>

namespace fairlead::engine::testing {

#define FL_CASE(name) \
  ConformanceCase { #name, name }
std::span<const ConformanceCase> conformanceCases() {
  static const auto cases = std::to_array<ConformanceCase>({
      FL_CASE(aSuccessIsToldOnceAndInOrder),
      FL_CASE(exitCodesAreExact),
      FL_CASE(signalsAreExact),
      FL_CASE(aMissingCommandIsNamed),
      FL_CASE(aMissingFolderIsNamed),
      FL_CASE(aScriptRunsWithItsInterpreter),
      FL_CASE(ranksKnowTheirPlace),
      FL_CASE(ranksSeeTheirDevices),
      FL_CASE(aGangFailsWhole),
      FL_CASE(textsOfUsersAreOnlyTexts),
      FL_CASE(logsAreReadFromAnyPlace),
      FL_CASE(aStopSendsTheSignalFirst),
      FL_CASE(whatIgnoresTheSignalIsKilled),
      FL_CASE(theFirstSignalComesFirst),
      FL_CASE(aStopBeforeTheStartKeepsItFromRunning),
      FL_CASE(aSignalIsDelivered),
      FL_CASE(theTimeLimitEndsIt),
      FL_CASE(aRepeatedStartFindsTheFirst),
      FL_CASE(workOutlivesTheDaemon),
      FL_CASE(anEndWithoutADaemonIsToldToTheNext),
      FL_CASE(aStopReachesWhatAnotherDaemonStarted),
      FL_CASE(aStartThatWasNotAnsweredIsNotDoubled),
      FL_CASE(twoLostAnswersMakeOneRun),
      FL_CASE(aRequeueByItsOwnerIsTheSameAttempt),
      FL_CASE(runningOutOfMemoryIsTold),
      FL_CASE(theEnginesRestartHarmsNothing),
      FL_CASE(workGoesOnFromTheNewestWholeCheckpoint),
      FL_CASE(outputsBecomeArtifactsAndInputs),
      FL_CASE(aModelThatIsNotItsVersionIsRefused),
      FL_CASE(nativeJobsAreTold),
      FL_CASE(historyIsTold),
      FL_CASE(whatIsInUseIsTold),
      FL_CASE(aLostNodeIsTold),
  });
  return cases;
}
#undef FL_CASE

}  // namespace fairlead::engine::testing
