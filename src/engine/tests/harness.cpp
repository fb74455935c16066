#include "tests/harness.hpp"

#include "local/attempt_folder.hpp"
#include "local/journal.hpp"
#include "local/posix.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace fairlead::engine::test {

void RememberingSink::observe(std::vector<model::Observation> observations) {
  const std::lock_guard guard(mutex_);
  for (auto& o : observations) observations_.push_back(std::move(o));
  changed_.notify_all();
}

void RememberingSink::inventory(std::string, std::vector<model::Node> nodes) {
  const std::lock_guard guard(mutex_);
  nodes_ = std::move(nodes);
  changed_.notify_all();
}

void RememberingSink::dispatched(model::IntentId intent, control::DispatchOutcome outcome, std::string reason) {
  const std::lock_guard guard(mutex_);
  answers_.emplace(intent, std::pair(outcome, std::move(reason)));
  changed_.notify_all();
}

model::Observation RememberingSink::await(model::AttemptId attempt,
                                          const std::function<bool(const model::Observation&)>& wanted) {
  std::unique_lock guard(mutex_);
  model::Observation found;
  const bool came = changed_.wait_for(guard, kLimit, [&] {
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
  return await(attempt, [&](const model::Observation& o) { return local::isFinal(o.kind); });
}

std::pair<control::DispatchOutcome, std::string> RememberingSink::awaitAnswer(model::IntentId intent) {
  std::unique_lock guard(mutex_);
  EXPECT_TRUE(changed_.wait_for(guard, kLimit, [&] { return answers_.contains(intent); })) << "no answer";
  const auto found = answers_.find(intent);
  return found == answers_.end() ? std::pair(control::DispatchOutcome::retry, std::string("none")) : found->second;
}

model::Node RememberingSink::awaitNode() {
  std::unique_lock guard(mutex_);
  EXPECT_TRUE(changed_.wait_for(guard, kLimit, [&] { return !nodes_.empty(); })) << "no inventory";
  return nodes_.empty() ? model::Node{} : nodes_.front();
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
  return answers_.count(intent);
}

void LocalEngineTest::SetUp() {
  std::string pattern = "/tmp/fairlead-engine-XXXXXX";
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  root_ = pattern;
  ::chmod(root_.c_str(), 0711);
  options_.stateDir = root_ + "/state";
  options_.nodeName = "host";
  options_.supervisor = {"/proc/self/exe", "supervise"};
  options_.findDevices = false;
}

void LocalEngineTest::TearDown() {
  engine_.reset();
  for (const auto attempt : used_) {  // nothing that a failed test left may live on
    const pid_t supervisor = supervisorOf(attempt);
    if (supervisor > 1 && alive(supervisor)) ::kill(supervisor, SIGKILL);
  }
  if (auto parent = local::openFolder("/tmp")) local::removeTreeAt(parent->get(), root_.substr(5));
}

void LocalEngineTest::startEngine(std::vector<control::KnownAttempt> known) {
  sink_ = std::make_unique<RememberingSink>();
  engine_ = makeLocalEngine(options_);
  const auto started = engine_->start(*sink_, std::move(known));
  ASSERT_TRUE(started) << toText(started.error());
  (void)sink_->awaitNode();
}

void LocalEngineTest::dropEngine() { engine_.reset(); }

control::StartOrder LocalEngineTest::order(std::uint64_t attempt, const Wanted& wanted) {
  auto document = std::make_shared<model::SpecDocument>();
  model::Role role;
  role.name = "main";
  role.count = role.minimum = wanted.members;
  role.command = wanted.command;
  role.script = wanted.script;
  document->spec.roles.push_back(std::move(role));
  if (wanted.spec) wanted.spec(document->spec);
  control::StartOrder order;
  order.attempt.id = {attempt};
  order.intent.id = {{attempt}, model::IntentKind::start, 0};
  order.workload.id = {attempt + 1000};
  order.workload.name = "job";
  order.workload.project = "lab";
  order.workload.unixUser = wanted.unixUser.empty() ? ::getpwuid(::geteuid())->pw_name : wanted.unixUser;
  order.workload.spec = document;
  for (std::int32_t rank = 0; rank < wanted.members; ++rank) {
    model::MemberPlacement placed;
    placed.rank = rank;
    placed.node = options_.nodeName;
    order.attempt.placement.push_back(std::move(placed));
  }
  if (wanted.attempt) wanted.attempt(order.attempt);
  used_.push_back(order.attempt.id);
  return order;
}

control::StartOrder LocalEngineTest::shell(std::uint64_t attempt, const std::string& line) {
  Wanted wanted;
  wanted.command = {"/bin/sh", "-c", line};
  return order(attempt, wanted);
}

model::Intent LocalEngineTest::stopIntent(model::AttemptId attempt, std::uint32_t ordinal, std::int64_t graceMs) {
  model::Intent intent;
  intent.id = {attempt, model::IntentKind::stop, ordinal};
  intent.signal = SIGTERM;
  intent.grace = {graceMs};
  intent.reason = "cancelled by a test";
  return intent;
}

std::string LocalEngineTest::folderOf(model::AttemptId attempt) const {
  return options_.stateDir + "/attempts/" + local::folderName(attempt);
}

std::string LocalEngineTest::readAll(model::AttemptId attempt, control::LogStream stream, std::int32_t rank) {
  control::LogQuery query;
  query.attempt = attempt;
  query.stream = stream;
  query.rank = rank;
  const auto chunk = engine_->readLog(query);
  EXPECT_TRUE(chunk) << toText(chunk.error());
  return chunk ? chunk->bytes : "";
}

bool LocalEngineTest::eventually(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + kLimit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
    ::usleep(1000);
  }
  return true;
}

std::string LocalEngineTest::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool LocalEngineTest::alive(pid_t pid) {
  const auto stat = read("/proc/" + std::to_string(pid) + "/stat");
  return !stat.empty() && stat.find(") Z ") == std::string::npos;
}

pid_t LocalEngineTest::supervisorOf(model::AttemptId attempt) {
  auto folder = local::openFolder(folderOf(attempt));
  if (!folder) return 0;
  const auto journal = local::readJournal(folder->get(), attempt);
  if (!journal || journal->launched() == nullptr) return 0;
  return static_cast<pid_t>(journal->launched()->launch.supervisor);
}

}  // namespace fairlead::engine::test
