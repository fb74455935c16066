// A real local engine over a temporary folder.
#pragma once

#include <fairlead/engine/local.hpp>
#include <fairlead/engine/testing/remembering_sink.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace fairlead::engine::test {

inline constexpr std::chrono::seconds kLimit{30};

using testing::RememberingSink;

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
