#include "data/checkpoint.hpp"

#include "data/file_tree.hpp"
#include "local/spawn.hpp"

#include <fairlead/codec/digest.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace fairlead::engine::data {
using local::listFolder;
using local::openFolder;
using local::openPid;
using local::readFileAt;

namespace {

using Kind = model::CheckpointValidity::Kind;

constexpr std::size_t kEntries = 100'000;
constexpr std::size_t kManifestBytes = 16 << 20;
constexpr std::int64_t kContentBytes = 1LL << 42;
constexpr std::size_t kCommandTries = 100;
constexpr int kCommandMs = 60'000;

struct Candidate {
  std::string name;
  std::int64_t nanoseconds = 0;  ///< since the epoch
};

std::int64_t nanosecondsOf(const struct stat& info) {
  return info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec;
}

/// When a plain file in the entry's folder was written; nothing where there is none.
std::optional<std::int64_t> fileTime(int entry, const std::string& file) {
  struct stat info{};
  if (::fstatat(entry, file.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode)) return {};
  return nanosecondsOf(info);
}

std::int64_t newestInside(const Fd& entry, const struct stat& own) {
  auto newest = nanosecondsOf(own);
  if (!S_ISDIR(own.st_mode)) return newest;
  if (auto names = listFolder(entry.get(), kEntries))
    for (const auto& name : *names)
      if (const auto time = fileTime(entry.get(), name)) newest = std::max(newest, *time);
  return newest;
}

std::optional<Candidate> candidateOf(int folder, const std::string& name, const model::CheckpointValidity& valid) {
  auto entry = openBelow(folder, name);
  struct stat info{};
  if (!entry || ::fstat(entry->get(), &info) != 0) return {};
  if (valid.kind == Kind::command) {
    if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) return {};
    return Candidate{name, newestInside(*entry, info)};
  }
  if (!S_ISDIR(info.st_mode)) return {};
  const auto time = fileTime(entry->get(), valid.file);
  return time ? std::optional(Candidate{name, *time}) : std::nullopt;
}

/// One line of sha256sum: digest, a space, a space or an asterisk, a path below the folder.
bool lineHolds(int entry, std::string_view line, TreeBudget& budget) {
  if (line.size() < 67 || line[64] != ' ' || (line[65] != ' ' && line[65] != '*')) return false;
  const auto wanted = codec::digestFromHex(line.substr(0, 64));
  auto file = openBelow(entry, std::string(line.substr(66)));
  struct stat info{};
  if (!wanted || !file || ::fstat(file->get(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  const auto found = digestTree(*file, budget);
  return found && found->digest == *wanted;
}

bool manifestHolds(int entry, const std::string& file) {
  const auto text = readFileAt(entry, file, kManifestBytes);
  if (!text) return false;
  TreeBudget budget{kContentBytes, 1'000'000, "the checkpoint"};
  std::size_t lines = 0;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.empty()) continue;
    if (!lineHolds(entry, line, budget)) return false;
    ++lines;
  }
  return lines > 0;
}

bool commandAccepts(std::vector<std::string> words, const std::string& path, const std::string& workingDirectory) {
  words.push_back(path);
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addchdir_np(&actions, workingDirectory.c_str());
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return false;
  const Fd watch = openPid(pid);
  pollfd wait{watch.get(), POLLIN, 0};
  if (!watch || ::poll(&wait, 1, kCommandMs) <= 0) ::kill(pid, SIGKILL);
  int status = 0;
  return ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool isValid(int folder, const Candidate& candidate, const model::CheckpointRule& rule, const std::string& path,
             const std::string& workingDirectory) {
  if (rule.valid.kind == Kind::marker) return true;  // it was found by its marker
  if (rule.valid.kind == Kind::command) return commandAccepts(rule.valid.command, path, workingDirectory);
  auto entry = openBelow(folder, candidate.name);
  return entry && manifestHolds(entry->get(), rule.valid.file);
}

}  // namespace

FoundCheckpoint newestCheckpoint(const model::CheckpointRule& rule, const std::string& workingDirectory) {
  if (rule.path.empty()) return {};  // the rule only names a signal
  const auto base = rule.path.starts_with('/') ? rule.path : workingDirectory + "/" + rule.path;
  auto folder = openFolder(base);
  if (!folder) return {};
  auto names = listFolder(folder->get(), kEntries);
  if (!names) return {};
  std::vector<Candidate> candidates;
  for (const auto& name : *names)
    if (auto candidate = candidateOf(folder->get(), name, rule.valid)) candidates.push_back(std::move(*candidate));
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.nanoseconds != b.nanoseconds ? a.nanoseconds > b.nanoseconds
                                          : ::strverscmp(a.name.c_str(), b.name.c_str()) > 0;
  });
  std::size_t tries = 0;
  for (const auto& candidate : candidates) {
    if (rule.valid.kind == Kind::command && ++tries > kCommandTries) break;
    const auto path = base + "/" + candidate.name;
    if (isValid(folder->get(), candidate, rule, path, workingDirectory))
      return {path, {candidate.nanoseconds / 1'000'000}};
  }
  return {};
}

}  // namespace fairlead::engine::data
