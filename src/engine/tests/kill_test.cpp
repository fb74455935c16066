// kill -9 at any instant: an order runs once or not at all, and its end is always told.
#include "local/processes.hpp"
#include "tests/harness.hpp"

#include <random>
#include <signal.h>
#include <unistd.h>

namespace fairlead::engine::test {
namespace {

constexpr unsigned kSeed = 20'261'130;  // another one replays another story
constexpr int kRounds = 25;

TEST_F(LocalEngineTest, KilledAtAnyInstantItRunsAtMostOnceAndItsEndIsTold) {
  std::mt19937 random(kSeed);
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    startEngine();
    const auto count = root_ + "/count." + std::to_string(round);
    const auto order = shell(round, "echo once >> " + count + "; sleep 0.02");
    engine_->dispatchStart(order);
    const auto instant = std::uniform_int_distribution<unsigned>(0, 60'000)(random);
    ::usleep(instant);  // tidy: allow sleep: the instant of the kill varies, nothing is waited for
    const bool withDaemon = random() % 2 == 0;
    if (withDaemon) dropEngine();
    for (const pid_t pid : local::descendantsOf(::getpid())) ::kill(pid, SIGKILL);
    if (const pid_t supervisor = supervisorOf(order.attempt.id); supervisor > 1) ::kill(supervisor, SIGKILL);
    if (withDaemon) startEngine({{order.attempt.id, model::AttemptState::planned, 0}});
    // As control does: the start is given again until it is answered for good.
    ASSERT_TRUE(eventually([&] {
      for (const auto& seen : sink_->seen(order.attempt.id))
        if (seen.kind == model::ObservationKind::ended || seen.kind == model::ObservationKind::lost) return true;
      engine_->dispatchStart(order);
      return false;
    })) << "round "
        << round;
    const auto ran = read(count);
    EXPECT_TRUE(ran.empty() || ran == "once\n") << "round " << round << " seed " << kSeed << ": " << ran;
    dropEngine();
  }
}

}  // namespace
}  // namespace fairlead::engine::test
