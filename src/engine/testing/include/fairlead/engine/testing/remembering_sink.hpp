// An EngineSink that remembers what it was told.
#pragma once

#include <fairlead/control/ports/engine_port.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace fairlead::engine::testing {

/// How long anything may take; FAIRLEAD_TEST_LIMIT (seconds) makes it longer.
[[nodiscard]] std::chrono::seconds limit();

class RememberingSink final : public control::EngineSink {
 public:
  void observe(std::vector<model::Observation> observations) override;
  void native(std::vector<model::NativeJob> jobs) override;
  void inventory(std::string cluster, std::vector<model::Node> nodes) override;
  void dispatched(model::IntentId intent, control::DispatchOutcome outcome, std::string reason) override;

  /// Waits until an observation of the attempt satisfies; fails the test and returns an empty one after the limit.
  model::Observation await(model::AttemptId attempt, const std::function<bool(const model::Observation&)>& wanted);
  model::Observation awaitKind(model::AttemptId attempt, model::ObservationKind kind);
  /// The record that ends the attempt.
  model::Observation awaitEnd(model::AttemptId attempt);
  std::pair<control::DispatchOutcome, std::string> awaitAnswer(model::IntentId intent);
  /// The answer behind the first `before` ones.
  std::pair<control::DispatchOutcome, std::string> awaitAnswerAfter(model::IntentId intent, std::size_t before);
  model::Node awaitNode();
  /// Waits until a native job was told that satisfies; fails the test and returns an empty one after the limit.
  model::NativeJob awaitNative(const std::function<bool(const model::NativeJob&)>& wanted);
  /// All that was told of native jobs, in order.
  std::vector<model::NativeJob> natives();
  void forgetNatives();
  std::vector<model::Node> nodes();
  std::vector<model::Observation> seen(model::AttemptId attempt);
  std::size_t answers(model::IntentId intent);
  /// The newest answer; retry and nothing where there is none.
  std::pair<control::DispatchOutcome, std::string> lastAnswer(model::IntentId intent);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<model::Observation> observations_;
  std::map<model::IntentId, std::vector<std::pair<control::DispatchOutcome, std::string>>> answers_;
  std::vector<model::Node> nodes_;
  std::vector<model::NativeJob> natives_;
};

}  // namespace fairlead::engine::testing
