// The cases by theme; conformance.cpp lists them.
#pragma once

#include <fairlead/engine/testing/conformance.hpp>

namespace fairlead::engine::testing {

// cases_runs.cpp
void aSuccessIsToldOnceAndInOrder(EngineUnderTest& t);
void exitCodesAreExact(EngineUnderTest& t);
void signalsAreExact(EngineUnderTest& t);
void aMissingCommandIsNamed(EngineUnderTest& t);
void aMissingFolderIsNamed(EngineUnderTest& t);
void aScriptRunsWithItsInterpreter(EngineUnderTest& t);
void ranksKnowTheirPlace(EngineUnderTest& t);
void ranksSeeTheirDevices(EngineUnderTest& t);
void aGangFailsWhole(EngineUnderTest& t);
void textsOfUsersAreOnlyTexts(EngineUnderTest& t);
void logsAreReadFromAnyPlace(EngineUnderTest& t);

// cases_stops.cpp
void aStopSendsTheSignalFirst(EngineUnderTest& t);
void whatIgnoresTheSignalIsKilled(EngineUnderTest& t);
void theFirstSignalComesFirst(EngineUnderTest& t);
void aStopBeforeTheStartKeepsItFromRunning(EngineUnderTest& t);
void aSignalIsDelivered(EngineUnderTest& t);
void theTimeLimitEndsIt(EngineUnderTest& t);

// cases_faults.cpp
void aRepeatedStartFindsTheFirst(EngineUnderTest& t);
void workOutlivesTheDaemon(EngineUnderTest& t);
void anEndWithoutADaemonIsToldToTheNext(EngineUnderTest& t);
void aStopReachesWhatAnotherDaemonStarted(EngineUnderTest& t);
void aStartThatWasNotAnsweredIsNotDoubled(EngineUnderTest& t);
void theEnginesRestartHarmsNothing(EngineUnderTest& t);
void aLostNodeIsTold(EngineUnderTest& t);

// cases_queue.cpp
void aRequeueByItsOwnerIsTheSameAttempt(EngineUnderTest& t);
void twoLostAnswersMakeOneRun(EngineUnderTest& t);
void runningOutOfMemoryIsTold(EngineUnderTest& t);

// cases_files.cpp
void workGoesOnFromTheNewestWholeCheckpoint(EngineUnderTest& t);
void outputsBecomeArtifactsAndInputs(EngineUnderTest& t);
void aModelThatIsNotItsVersionIsRefused(EngineUnderTest& t);

// cases_natives.cpp
void nativeJobsAreTold(EngineUnderTest& t);
void historyIsTold(EngineUnderTest& t);
void whatIsInUseIsTold(EngineUnderTest& t);

}  // namespace fairlead::engine::testing
