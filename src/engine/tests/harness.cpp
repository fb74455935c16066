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
