#include "daemon.hpp"

#include <fairlead/codec/digest.hpp>

#include <fmt/format.h>

#include <fstream>
#include <pwd.h>
#include <random>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace fairlead::bench {
namespace {

constexpr std::size_t kLogTail = 2'000;

std::string userName() {
  const auto* user = ::getpwuid(::getuid());
  if (user == nullptr) throw Failed("the user of this process has no name");
  return user->pw_name;
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw Failed("cannot write " + path.string());
}

std::string projectFile(int count) {
  std::string text;
  for (int i = 0; i < count; ++i)
    text += fmt::format(
        "---\napiVersion: fairlead.io/v1\nkind: Project\nmetadata: {{name: p{}}}\nspec:\n  members:\n    - {{user: {}, "
        "role: admin}}\n",
        i, userName());
  return text;
}

std::string newToken() {
  std::random_device device;
  std::string token = "flt_";
  for (int i = 0; i < 8; ++i) token += fmt::format("{:08x}", device());
  return token;
}

std::string tokenFile(const std::string& token) {
  return fmt::format(
      "apiVersion: fairlead.io/v1\nkind: TokenList\nspec:\n  tokens:\n    - {{name: bench, sha256: \"{}\", principal: "
      "{}, unixUser: {}}}\n",
      codec::toHex(codec::sha256(token)), userName(), userName());
}

}  // namespace

Daemon::Daemon(DaemonSetup setup) : setup_(std::move(setup)) {
  unix_.unixPath = folder() / "fairlead.sock";
  if (setup_.tcp) tcp_ = {.unixPath = {}, .port = freePort(), .token = newToken()};
  writeConfig();
}

Daemon::~Daemon() = default;

void Daemon::writeConfig() const {
  auto text = fmt::format(
      "stateDirectory: state\nstore: {{kind: sqlite, path: state/fairlead.db}}\nprojects: projects.yaml\n"
      "listen:\n  unix: fairlead.sock\n");
  if (setup_.tcp) text += fmt::format("  tcp: 127.0.0.1:{}\n  tokens: tokens.yaml\n", tcp_.port);
  text += "engine:\n  local:\n    discover: false\n";
  if (setup_.devices > 0)
    text += fmt::format("    devices:\n      - {{vendor: nvidia, model: h100, count: {}, memory: 80GiB}}\n",
                        setup_.devices);
  write(folder() / "fairlead.yaml", text);
  write(folder() / "projects.yaml", projectFile(setup_.projects));
  if (!setup_.tcp) return;
  write(folder() / "tokens.yaml", tokenFile(tcp_.token));
  ::chmod((folder() / "tokens.yaml").c_str(), 0600);
}

std::chrono::duration<double> Daemon::start(std::chrono::seconds limit) {
  const auto begin = std::chrono::steady_clock::now();
  child_ =
      std::make_unique<Child>(std::vector<std::string>{setup_.binary, "serve", "--config", folder() / "fairlead.yaml"},
                              folder() / "daemon.log");
  while (ask(unix_, "GET", "/readyz", {}, std::chrono::seconds(2)).status != 200) {
    if (!child_->running()) throw Failed("the daemon ended while starting:\n" + logTail());
    if (std::chrono::steady_clock::now() - begin > limit)
      throw Failed(fmt::format("the daemon is not ready within {} s:\n{}", limit.count(), logTail()));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return std::chrono::steady_clock::now() - begin;
}

void Daemon::stop() {
  if (child_ && !child_->end(std::chrono::seconds(60))) throw Failed("the daemon needed SIGKILL to end:\n" + logTail());
}

std::string Daemon::logTail() const {
  std::ifstream file(folder() / "daemon.log");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  return text.size() > kLogTail ? text.substr(text.size() - kLogTail) : text;
}

Blocker::Blocker(const Endpoint& where, int devices) : where_(where) {
  const auto body = fmt::format(
      R"({{"apiVersion":"fairlead.io/v1","kind":"Workload","metadata":{{"name":"blocker","project":"p0"}},"spec":{{"class":"training",)"
      R"("priority":"high","timeLimit":"1h","roles":[{{"name":"sleeper","count":1,"devices":{{"model":"h100","count":{}}},"command":["/bin/sleep","3600"]}}]}}}})",
      devices);
  const auto answer = ask(where_, "POST", "/api/v1/workloads", body);
  if (answer.status != 201) throw Failed(fmt::format("submitting the blocker: {} {}", answer.status, answer.body));
  id_ = textMember(answer.body, "id");
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (textMember(ask(where_, "GET", "/api/v1/workloads/" + id_).body, "state") != "running") {
    if (std::chrono::steady_clock::now() > until) throw Failed("the blocker does not run within 20 s");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

Blocker::~Blocker() {
  (void)ask(where_, "POST", fmt::format("/api/v1/workloads/{}:cancel", id_), "{}", std::chrono::seconds(10));
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < until) {
    const auto state = std::string(
        textMember(ask(where_, "GET", "/api/v1/workloads/" + id_, {}, std::chrono::seconds(5)).body, "state"));
    if (state == "cancelled" || state.empty()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

std::string_view textMember(std::string_view json, std::string_view name) {
  const auto key = fmt::format("\"{}\":\"", name);
  const auto at = json.find(key);
  if (at == std::string_view::npos) return {};
  const auto begin = at + key.size();
  return json.substr(begin, json.find('"', begin) - begin);
}

}  // namespace fairlead::bench
