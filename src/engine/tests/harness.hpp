// A real local engine over a temporary folder, and a sink that remembers what it was told.
#pragma once

#include <fairlead/engine/local.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace fairlead::engine::test {

inline constexpr std::chrono::seconds kLimit{30};

class RememberingSink final : public control::EngineSink {
 public:
  void observe(std::vector<model::Observation> observations) override;
  void native(std::vector<model::NativeJob> /*jobs*/) override {}
  void inventory(std::string cluster, std::vector<model::Node> nodes) override;
  void dispatched(model::IntentId intent, control::DispatchOutcome outcome, std::string reason) override;

  /// Waits until an observation of the attempt satisfies; fails the test and returns an empty one after the limit.
  model::Observation await(model::AttemptId attempt, const std::function<bool(const model::Observation&)>& wanted);
  model::Observation awaitKind(model::AttemptId attempt, model::ObservationKind kind);
  /// The record that ends the attempt.
  model::Observation awaitEnd(model::AttemptId attempt);
  std::pair<control::DispatchOutcome, std::string> awaitAnswer(model::IntentId intent);
  model::Node awaitNode();
  std::vector<model::Observation> seen(model::AttemptId attempt);
  std::size_t answers(model::IntentId intent);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<model::Observation> observations_;
  std::multimap<model::IntentId, std::pair<control::DispatchOutcome, std::string>> answers_;
  std::vector<model::Node> nodes_;
};

/// What a test wants run; the rest is filled in.
struct Wanted {
  std::vector<std::string> command;
  std::string script;
  std::int32_t members = 1;
  std::string unixUser;  ///< empty: whoever runs the tests
  std::function<void(model::Spec&)> spec;
  std::function<void(model::Attempt&)> attempt;
};

class LocalEngineTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  /// A daemon begins, with attempts it knows of.
  void startEngine(std::vector<control::KnownAttempt> known = {});
  /// The daemon goes away without a word to its supervisors.
  void dropEngine();
  control::StartOrder order(std::uint64_t attempt, const Wanted& wanted);
  control::StartOrder shell(std::uint64_t attempt, const std::string& line);
  model::Intent stopIntent(model::AttemptId attempt, std::uint32_t ordinal = 0, std::int64_t graceMs = 20'000);
  std::string folderOf(model::AttemptId attempt) const;
  std::string readAll(model::AttemptId attempt, control::LogStream stream = control::LogStream::standardOutput,
                      std::int32_t rank = 0);
  /// Waits until the condition holds.
  static bool eventually(const std::function<bool()>& condition);
  static std::string read(const std::string& path);
  static bool alive(pid_t pid);
  pid_t supervisorOf(model::AttemptId attempt);

  std::string root_;
  LocalOptions options_;
  std::unique_ptr<RememberingSink> sink_;
  std::unique_ptr<control::EnginePort> engine_;
  std::vector<model::AttemptId> used_;
};

}  // namespace fairlead::engine::test
