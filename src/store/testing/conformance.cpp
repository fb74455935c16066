#include "cases.hpp"

#include <fairlead/store/testing/conformance.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace fairlead::store::testing {

StoreUnderTest::StoreUnderTest(const Adapter& adapter)
    : adapter_(&adapter), folder_(makeTestFolder()), store_(adapter.open(folder_)) {}

StoreUnderTest::~StoreUnderTest() {
  store_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void StoreUnderTest::restart() {
  if (!adapter_->durable) return;
  store_.reset();
  store_ = adapter_->open(folder_);
}

void StoreUnderTest::commit(const control::ChangeSet& changes) {
  auto done = store_->commit(changes);
  if (!done) ADD_FAILURE() << toText(done.error());
}

std::filesystem::path makeTestFolder() {
  std::string path = (std::filesystem::temp_directory_path() / "fairlead-store-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr) throw std::system_error(errno, std::generic_category(), path);
  return path;
}

#define FL_CASE(name) \
  ConformanceCase { #name, name }
std::span<const ConformanceCase> conformanceCases() {
  static const auto cases = std::to_array<ConformanceCase>({
      FL_CASE(emptyStoreLoadsNothing),
      FL_CASE(everyFieldOfEveryRowComesBack),
      FL_CASE(emptyFieldsComeBack),
      FL_CASE(extremeIntegersComeBack),
      FL_CASE(largeAndOddTextsComeBack),
      FL_CASE(upsertsReplaceWholeRows),
      FL_CASE(loadComesInOrder),
      FL_CASE(loadGivesOpenAndNewestAttempts),
      FL_CASE(specsAreSharedAndStoredOnce),
      FL_CASE(headsFollowEveryCommit),
      FL_CASE(emptyCommitSucceeds),
      FL_CASE(refusedCommitChangesNothing),
      FL_CASE(unknownSpecIsRefused),
      FL_CASE(repeatedVersionIsRefused),
      FL_CASE(droppedEventsAreGoneAndTheHeadStays),
      FL_CASE(manyDroppedEventsGoAtOnceForReaders),
      FL_CASE(expiredIdempotencyGoesAndItsKeyIsFree),
      FL_CASE(eventsAreFilteredAndOrdered),
      FL_CASE(visitorsStopEarly),
      FL_CASE(visitorsMayUseTheStore),
      FL_CASE(postingsAreFilteredByTimeProjectAndWorkload),
      FL_CASE(attemptsOfAWorkloadComeByNumber),
      FL_CASE(checkpointsAndHeadComeBack),
      FL_CASE(readersSeeWholeTransactions),
  });
  return cases;
}
#undef FL_CASE

}  // namespace fairlead::store::testing
