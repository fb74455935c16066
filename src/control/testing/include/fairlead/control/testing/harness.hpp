// A control core on a memory store and a fake engine, with a clock in the test's hand.
#pragma once

#include <fairlead/audit/signer.hpp>
#include <fairlead/control/control.hpp>
#include <fairlead/control/testing/fake_engine.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace fairlead::control::testing {

/// Stands still until told; any thread.
class TestClock final : public ClockPort {
 public:
  [[nodiscard]] TimePoint now() const override { return {now_.load()}; }
  [[nodiscard]] Milliseconds monotonic() const override { return {now_.load()}; }
  void advance(std::int64_t ms) { now_ += ms; }

 private:
  std::atomic<std::int64_t> now_{1'800'000'000'000};
};

/// Waits until `holds` is true; false when it is not within ten seconds.
template <class Condition>
bool waitUntil(Condition&& holds) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock lock(mutex);
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > limit) return false;
    never.wait_for(lock, std::chrono::milliseconds(1));
  }
  return true;
}

/// Gives a command and waits for its answer.
inline Result<SubmitReply> submitAndWait(Control& control, SubmitCommand command) {
  std::promise<Result<SubmitReply>> promise;
  control.submit(std::move(command), [&](Result<SubmitReply> reply) { promise.set_value(std::move(reply)); });
  return promise.get_future().get();
}
inline Result<ActReply> actAndWait(Control& control, ActCommand command) {
  std::promise<Result<ActReply>> promise;
  control.act(std::move(command), [&](Result<ActReply> reply) { promise.set_value(std::move(reply)); });
  return promise.get_future().get();
}

/// Gives a change of clusters and waits for its answer.
template <class Give>
Result<void> waitFor(Give&& give) {
  std::promise<Result<void>> promise;
  std::forward<Give>(give)([&](Result<void> reply) { promise.set_value(std::move(reply)); });
  return promise.get_future().get();
}

inline Actor someone(const std::string& name = "li") { return {name, name, "role member of project nlp", "r-1"}; }

/// A spec with one role; `shape` goes into the digest, so that equal shapes are one document.
inline std::shared_ptr<model::SpecDocument> specDocument(int members = 1, int devices = 1, std::uint8_t shape = 0) {
  auto document = std::make_shared<model::SpecDocument>();
  model::Role role;
  role.name = "worker";
  role.count = role.minimum = members;
  role.command = {"true"};
  if (devices > 0) role.devices.push_back({{}, "h100", {}, devices, {}});
  document->spec.roles.push_back(std::move(role));
  document->spec.retry.backoff = {1'000};
  document->spec.retry.categories = {model::FailureCategory::nodeLost, model::FailureCategory::engineLost,
                                     model::FailureCategory::preempted};
  document->json = "{}";
  document->digest[0] = static_cast<std::uint8_t>(members);
  document->digest[1] = static_cast<std::uint8_t>(devices);
  document->digest[2] = shape;
  return document;
}

inline SubmitCommand submission(model::SpecPtr spec, const std::string& name = "job",
                                const std::string& project = "nlp") {
  return {someone(), {{name, project, {}, std::move(spec)}}, {}};
}

inline ActCommand action(ActionKind kind, model::WorkloadId id, std::int64_t value = 0) {
  return {someone(), kind, id, value, {}, {}};
}

/// `Store` is any StorePort that outlives it.
class Harness {
 public:
  explicit Harness(StorePort& store, int devices = 4, ControlOptions options = {})
      : engine_({fakeNode("n1", devices)}), control_(options, store, {&engine_}, clock_, signer(), {}) {
    const auto started = control_.start();
    FL_ASSERT(started.has_value(), "control starts");
  }
  ~Harness() { control_.stop(); }

  [[nodiscard]] Control& control() { return control_; }
  [[nodiscard]] FakeEngine& engine() { return engine_; }
  [[nodiscard]] TestClock& clock() { return clock_; }

  [[nodiscard]] model::WorkloadState stateOf(model::WorkloadId id) {
    return control_.read([&](const State& s) { return s.workload(id)->state; });
  }
  [[nodiscard]] model::Workload row(model::WorkloadId id) {
    return control_.read([&](const State& s) { return *s.workload(id); });
  }
  [[nodiscard]] model::Attempt attempt(model::AttemptId id) {
    return control_.read([&](const State& s) { return *s.attempt(id); });
  }
  bool reaches(model::WorkloadId id, model::WorkloadState state) {
    return waitUntil([&] { return stateOf(id) == state; });
  }
  /// Submits one and waits until the engine has its start order; returns workload and attempt.
  std::pair<model::WorkloadId, model::AttemptId> startOne(model::SpecPtr spec, const std::string& name = "job") {
    const auto reply = submitAndWait(control_, submission(std::move(spec), name));
    FL_ASSERT(reply.has_value(), "submitted");
    return {reply->first, awaitAttempt(reply->first, 1)};
  }
  model::AttemptId awaitAttempt(model::WorkloadId id, std::uint32_t number) {
    const bool there = waitUntil([&] {
      const auto now = row(id);
      return now.attempts >= number && engine_.startsOf(now.currentAttempt) > 0;
    });
    FL_ASSERT(there, "the attempt is started in time");
    return row(id).currentAttempt;
  }

  static const audit::Signer& signer() {
    static const audit::Signer kSigner = audit::Signer::generate();
    return kSigner;
  }

 private:
  TestClock clock_;
  FakeEngine engine_;
  Control control_;
};

}  // namespace fairlead::control::testing
