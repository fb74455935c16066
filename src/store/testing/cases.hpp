// The cases by theme; conformance.cpp lists them.
#pragma once

#include <fairlead/store/testing/conformance.hpp>

namespace fairlead::store::testing {

// cases_rows.cpp
void emptyStoreLoadsNothing(StoreUnderTest& subject);
void everyFieldOfEveryRowComesBack(StoreUnderTest& subject);
void emptyFieldsComeBack(StoreUnderTest& subject);
void extremeIntegersComeBack(StoreUnderTest& subject);
void largeAndOddTextsComeBack(StoreUnderTest& subject);
void upsertsReplaceWholeRows(StoreUnderTest& subject);
void loadComesInOrder(StoreUnderTest& subject);
void loadGivesOpenAndNewestAttempts(StoreUnderTest& subject);
void specsAreSharedAndStoredOnce(StoreUnderTest& subject);
void headsFollowEveryCommit(StoreUnderTest& subject);

// cases_commits.cpp
void emptyCommitSucceeds(StoreUnderTest& subject);
void refusedCommitChangesNothing(StoreUnderTest& subject);
void unknownSpecIsRefused(StoreUnderTest& subject);
void repeatedVersionIsRefused(StoreUnderTest& subject);
void droppedEventsAreGoneAndTheHeadStays(StoreUnderTest& subject);
void manyDroppedEventsGoAtOnceForReaders(StoreUnderTest& subject);
void expiredIdempotencyGoesAndItsKeyIsFree(StoreUnderTest& subject);

// cases_reads.cpp
void eventsAreFilteredAndOrdered(StoreUnderTest& subject);
void visitorsStopEarly(StoreUnderTest& subject);
void visitorsMayUseTheStore(StoreUnderTest& subject);
void postingsAreFilteredByTimeProjectAndWorkload(StoreUnderTest& subject);
void attemptsOfAWorkloadComeByNumber(StoreUnderTest& subject);
void checkpointsAndHeadComeBack(StoreUnderTest& subject);
void readersSeeWholeTransactions(StoreUnderTest& subject);

}  // namespace fairlead::store::testing
