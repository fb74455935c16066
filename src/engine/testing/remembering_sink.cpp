#include <fairlead/engine/testing/remembering_sink.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace fairlead::engine::testing {
namespace {

bool isFinal(model::ObservationKind kind) {
  using Kind = model::ObservationKind;
  return kind == Kind::ended || kind == Kind::lost || kind == Kind::refused;
}

}  // namespace

std::chrono::seconds limit() {
  const char* given = std::getenv("FAIRLEAD_TEST_LIMIT");
  return std::chrono::seconds(given != nullptr && std::atoi(given) > 0 ? std::atoi(given) : 30);
}

void RememberingSink::observe(std::vector<model::Observation> observations) {
  const std::lock_guard guard(mutex_);
  for (auto& o : observations) observations_.push_back(std::move(o));
  changed_.notify_all();
}

void RememberingSink::native(std::vector<model::NativeJob> jobs) {
  const std::lock_guard guard(mutex_);
  for (auto& job : jobs) natives_.push_back(std::move(job));
  changed_.notify_all();
}

model::NativeJob RememberingSink::awaitNative(const std::function<bool(const model::NativeJob&)>& wanted) {
  std::unique_lock guard(mutex_);
  model::NativeJob found;
  const bool came = changed_.wait_for(guard, limit(), [&] {
    const auto job = std::find_if(natives_.begin(), natives_.end(), wanted);
    if (job != natives_.end()) found = *job;
    return job != natives_.end();
  });
  EXPECT_TRUE(came) << "no such native job";
  return found;
}

std::vector<model::NativeJob> RememberingSink::natives() {
  const std::lock_guard guard(mutex_);
  return natives_;
}

void RememberingSink::forgetNatives() {
  const std::lock_guard guard(mutex_);
  natives_.clear();
}

void RememberingSink::inventory(std::string, std::vector<model::Node> nodes) {
  const std::lock_guard guard(mutex_);
  nodes_ = std::move(nodes);
  changed_.notify_all();
}

void RememberingSink::dispatched(model::IntentId intent, control::DispatchOutcome outcome, std::string reason) {
  const std::lock_guard guard(mutex_);
  answers_[intent].emplace_back(outcome, std::move(reason));
  changed_.notify_all();
}

model::Observation RememberingSink::await(model::AttemptId attempt,
                                          const std::function<bool(const model::Observation&)>& wanted) {
  std::unique_lock guard(mutex_);
  model::Observation found;
  const bool came = changed_.wait_for(guard, limit(), [&] {
    for (const auto& o : observations_)
      if (o.attempt == attempt && wanted(o)) {
        found = o;
        return true;
      }
    return false;
  });
  EXPECT_TRUE(came) << "no such observation of " << toText(attempt);
  return found;
}

model::Observation RememberingSink::awaitKind(model::AttemptId attempt, model::ObservationKind kind) {
  return await(attempt, [&](const model::Observation& o) { return o.kind == kind; });
}

model::Observation RememberingSink::awaitEnd(model::AttemptId attempt) {
  return await(attempt, [&](const model::Observation& o) { return isFinal(o.kind); });
}

std::pair<control::DispatchOutcome, std::string> RememberingSink::awaitAnswer(model::IntentId intent) {
  return awaitAnswerAfter(intent, 0);
}

std::pair<control::DispatchOutcome, std::string> RememberingSink::awaitAnswerAfter(model::IntentId intent,
                                                                                   std::size_t before) {
  std::unique_lock guard(mutex_);
  EXPECT_TRUE(changed_.wait_for(guard, limit(), [&] { return answers_[intent].size() > before; })) << "no answer";
  const auto& all = answers_[intent];
  return all.size() > before ? all[before] : std::pair(control::DispatchOutcome::retry, std::string("none"));
}

model::Node RememberingSink::awaitNode() {
  std::unique_lock guard(mutex_);
  EXPECT_TRUE(changed_.wait_for(guard, limit(), [&] { return !nodes_.empty(); })) << "no inventory";
  return nodes_.empty() ? model::Node{} : nodes_.front();
}

std::vector<model::Node> RememberingSink::nodes() {
  const std::lock_guard guard(mutex_);
  return nodes_;
}

std::vector<model::Observation> RememberingSink::seen(model::AttemptId attempt) {
  const std::lock_guard guard(mutex_);
  std::vector<model::Observation> found;
  for (const auto& o : observations_)
    if (o.attempt == attempt) found.push_back(o);
  return found;
}

std::size_t RememberingSink::answers(model::IntentId intent) {
  const std::lock_guard guard(mutex_);
  return answers_[intent].size();
}

std::pair<control::DispatchOutcome, std::string> RememberingSink::lastAnswer(model::IntentId intent) {
  const std::lock_guard guard(mutex_);
  const auto& all = answers_[intent];
  return all.empty() ? std::pair(control::DispatchOutcome::retry, std::string()) : all.back();
}

}  // namespace fairlead::engine::testing
