#include <fairlead/engine/testing/conformance.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace fairlead::engine::testing {
namespace {

/// Puts the members on the first nodes that have what they need, as a plan would.
void place(control::StartOrder& order, const Work& work, const EngineHarness::Device& device,
           const std::vector<model::Node>& nodes) {
  std::size_t at = 0, used = 0;
  for (std::int32_t rank = 0; rank < work.members; ++rank) {
    model::MemberPlacement placed;
    placed.rank = rank;
    std::vector<std::int32_t> free;
    for (; at < nodes.size(); ++at, used = 0) {
      free.clear();
      for (const auto& d : nodes[at].devices)
        if (d.vendor == device.vendor && d.model == device.model) free.push_back(d.index);
      if (nodes[at].state == model::NodeState::ready && free.size() >= used + static_cast<std::size_t>(work.devices))
        break;
    }
    ASSERT_LT(at, nodes.size()) << "no node takes member " << rank;
    placed.node = nodes[at].name;
    for (std::int32_t i = 0; i < work.devices; ++i) placed.devices.push_back({free[used++], {1000}});
    if (work.devices > 0) {
      placed.vendor = device.vendor;
      placed.model = device.model;
    }
    order.attempt.placement.push_back(std::move(placed));
  }
}

}  // namespace

bool eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + limit();
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    ::usleep(1000);
  }
  return true;
}

std::string readFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void EngineUnderTest::forgetEnded() {
  if (!sink_) return;
  std::erase_if(alive_, [&](model::AttemptId attempt) {
    const auto seen = sink_->seen(attempt);
    return std::any_of(seen.begin(), seen.end(), [](const auto& o) {
      return o.kind == model::ObservationKind::ended || o.kind == model::ObservationKind::lost ||
             o.kind == model::ObservationKind::refused;
    });
  });
}

/// Nothing that a failed case left may live on.
EngineUnderTest::~EngineUnderTest() {
  forgetEnded();
  for (const auto attempt : alive_) {
    if (!engine_) continue;
    stopUntilTaken(stop(attempt, 1, 99));
    (void)sink_->awaitEnd(attempt);
  }
}

void EngineUnderTest::drop() {
  engine_.reset();
  forgetEnded();
}

void EngineUnderTest::restart(std::vector<control::KnownAttempt> known) {
  drop();
  sink_ = std::make_unique<RememberingSink>();
  engine_ = harness_->open();
  ASSERT_NE(engine_, nullptr);
  const auto started = engine_->start(*sink_, std::move(known));
  ASSERT_TRUE(started) << toText(started.error());
  (void)sink_->awaitNode();
}

control::StartOrder EngineUnderTest::order(const Work& work) {
  auto document = std::make_shared<model::SpecDocument>();
  model::Role role;
  role.name = "main";
  role.count = role.minimum = work.members;
  role.command = work.command;
  role.script = work.script;
  document->spec.roles.push_back(std::move(role));
  if (work.spec) work.spec(document->spec);
  control::StartOrder order;
  order.attempt.id = {harness_->nextAttempt()};
  order.intent.id = {order.attempt.id, model::IntentKind::start, 0};
  order.workload.id = {order.attempt.id.value};
  order.workload.name = "conformance";
  order.workload.project = "lab";
  order.workload.unixUser = harness_->unixUser();
  order.workload.spec = document;
  place(order, work, harness_->device(), sink_->nodes());
  return order;
}

control::StartOrder EngineUnderTest::shell(const std::string& line) {
  Work work;
  work.command = {"/bin/sh", "-c", line};
  return order(work);
}

void EngineUnderTest::begin(const control::StartOrder& order) {
  const auto end = std::chrono::steady_clock::now() + limit();
  for (;;) {
    const auto before = sink_->answers(order.intent.id);
    engine_->dispatchStart(order);
    const auto answer = sink_->awaitAnswerAfter(order.intent.id, before);
    if (answer.first == control::DispatchOutcome::done) break;
    ASSERT_LT(std::chrono::steady_clock::now(), end) << "not taken: " << answer.second;
    ::usleep(20'000);
  }
  // A repeat of what is over is answered and tells nothing more.
  if (sink_->lastAnswer(order.intent.id).second != "it is over") alive_.push_back(order.attempt.id);
}

model::Observation EngineUnderTest::beginAndRun(const control::StartOrder& order) {
  begin(order);
  return sink_->await(order.attempt.id, [](const model::Observation& o) {
    return o.kind == model::ObservationKind::started || o.kind == model::ObservationKind::refused ||
           o.kind == model::ObservationKind::ended;
  });
}

model::Intent EngineUnderTest::stop(model::AttemptId attempt, std::int64_t graceMs, std::uint32_t ordinal) {
  model::Intent intent;
  intent.id = {attempt, model::IntentKind::stop, ordinal};
  intent.signal = SIGTERM;
  intent.grace = {graceMs};
  intent.reason = "cancelled by a test";
  return intent;
}

void EngineUnderTest::stopUntilTaken(const model::Intent& intent) {
  for (int i = 0; i < 500; ++i) {
    const auto before = sink_->answers(intent.id);
    engine_->dispatchStop(intent);
    if (sink_->awaitAnswerAfter(intent.id, before).first == control::DispatchOutcome::done) return;
    ::usleep(20'000);
  }
  ADD_FAILURE() << "the stop is not taken: " << sink_->lastAnswer(intent.id).second;
}

void EngineUnderTest::signalUntilTaken(const model::Intent& intent) {
  for (int i = 0; i < 500; ++i) {
    const auto before = sink_->answers(intent.id);
    engine_->dispatchSignal(intent);
    if (sink_->awaitAnswerAfter(intent.id, before).first == control::DispatchOutcome::done) return;
    ::usleep(20'000);
  }
  ADD_FAILURE() << "the signal is not taken: " << sink_->lastAnswer(intent.id).second;
}

std::string EngineUnderTest::log(model::AttemptId attempt, std::int32_t rank, control::LogStream stream) {
  control::LogQuery query;
  query.attempt = attempt;
  query.rank = rank;
  query.stream = stream;
  const auto chunk = engine_->readLog(query);
  return chunk ? chunk->bytes : "";
}

void EngineUnderTest::awaitLog(model::AttemptId attempt, const std::string& text, std::int32_t rank) {
  std::string last;
  EXPECT_TRUE(eventually([&] { return (last = log(attempt, rank)) == text; }))
      << "the log holds `" << last << "`, not `" << text << "`";
}

}  // namespace fairlead::engine::testing
