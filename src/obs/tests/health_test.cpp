#include <fairlead/obs/health.hpp>

#include <gtest/gtest.h>

#include <thread>

namespace fairlead::obs {
namespace {

TEST(Health, checksFailUntilTheirOwnerReports) {
  ManualClock clock(TimePoint{1'000'000});
  Health health(clock);
  health.add("store", HealthKind::readiness);
  EXPECT_FALSE(health.report(HealthKind::readiness).healthy);
  EXPECT_TRUE(health.report(HealthKind::liveness).healthy) << "a readiness check is no reason to restart";
  health.ok("store");
  EXPECT_TRUE(health.report(HealthKind::readiness).healthy);
}

TEST(Health, aFailureCarriesItsReasonAndAge) {
  ManualClock clock(TimePoint{1'000'000});
  Health health(clock);
  health.add("engine/local", HealthKind::readiness);
  health.add("store", HealthKind::liveness);
  health.ok("engine/local");
  health.ok("store");
  health.failing("store", "disk full");
  clock.advance(Milliseconds{12'000});
  health.failing("store", "disk still full\n");
  EXPECT_EQ(toText(health.report(HealthKind::readiness)),
            "ok engine/local\nfailing store: disk still full\\x0a, for 12s\n");
  EXPECT_FALSE(health.report(HealthKind::liveness).healthy);
}

TEST(Health, aSilentLoopFailsByItself) {
  ManualClock clock(TimePoint{1'000'000});
  Health health(clock);
  health.addHeartbeat("control", HealthKind::liveness, Milliseconds{5000});
  health.beat("control");
  clock.advance(Milliseconds{5000});
  EXPECT_TRUE(health.report(HealthKind::liveness).healthy);
  clock.advance(Milliseconds{1});
  const auto report = health.report(HealthKind::liveness);
  EXPECT_FALSE(report.healthy);
  EXPECT_NE(report.findings[0].reason.find("no heartbeat"), std::string::npos);
  health.beat("control");
  EXPECT_TRUE(health.report(HealthKind::liveness).healthy);
}

TEST(Health, isThreadSafe) {
  const SystemClock clock;
  Health health(clock);
  health.addHeartbeat("control", HealthKind::liveness, Milliseconds{60'000});
  std::thread writer([&] {
    for (int i = 0; i < 10'000; ++i) health.beat("control");
  });
  for (int i = 0; i < 1000; ++i) (void)health.report(HealthKind::readiness);
  writer.join();
  EXPECT_TRUE(health.report(HealthKind::readiness).healthy);
}

TEST(Health, unknownNamesAreBugs) {
  const ManualClock clock(TimePoint{1});
  Health health(clock);
  health.add("store", HealthKind::liveness);
  EXPECT_DEATH(health.ok("stroe"), "not added");
  EXPECT_DEATH(health.add("store", HealthKind::liveness), "added twice");
}

}  // namespace
}  // namespace fairlead::obs
