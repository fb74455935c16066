#include "slurm/attempt_memory.hpp"

#include "local/fields.hpp"

#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace fairlead::engine::slurm {
namespace {

constexpr std::size_t kMemoryBytes = 16 << 20;
constexpr std::size_t kFolderLimit = 10'000'000;

/// `role:members:tasksPerNode:devices`, joined by commas.
std::string rolesText(const std::vector<RoleShape>& roles) {
  std::string text;
  for (const auto& role : roles)
    text +=
        fmt::format("{}{}:{}:{}:{}", text.empty() ? "" : ",", role.role, role.members, role.tasksPerNode, role.devices);
  return text;
}

std::vector<RoleShape> readRoles(std::string_view text) {
  std::vector<RoleShape> roles;
  while (!text.empty()) {
    auto part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    std::int64_t numbers[4] = {};
    for (auto& number : numbers) {
      const auto word = part.substr(0, part.find(':'));
      part.remove_prefix(std::min(part.size(), word.size() + 1));
      const auto read = local::parseNumber(word);
      if (!read) return {};
      number = *read;
    }
    roles.push_back({static_cast<std::int32_t>(numbers[0]), numbers[1], numbers[2], numbers[3]});
  }
  return roles;
}

std::string fileName(model::AttemptId attempt) {
  return model::toText(model::IntentId{attempt, model::IntentKind::start, 0});
}

}  // namespace

std::string encodeMemory(const AttemptMemory& m) {
  const auto number = [](std::int64_t n) { return std::to_string(n); };
  const local::Fields fields{
      {"attempt", toText(m.attempt)},
      {"user", m.user},
      {"job-name", m.jobName},
      {"folder", m.folder},
      {"batch-style", number(m.batchStyle ? 1 : 0)},
      {"members", number(m.members)},
      {"roles", rolesText(m.roles)},
      {"first-try", number(m.firstTry.msSinceEpoch)},
      {"last-try", number(m.lastTry.msSinceEpoch)},
      {"job", number(m.job)},
      {"submitted", number(m.submitted.msSinceEpoch)},
      {"output", m.outputPattern},
      {"error", m.errorPattern},
      {"resumed-from", m.resumedFrom},
      {"files", m.files.atEnd() ? data::encodeFiles(m.files) : std::string()},
      {"stop", number(m.stop.asked ? 1 : 0)},
      {"stop-at", number(m.stop.at.msSinceEpoch)},
      {"stop-signal", number(m.stop.signal)},
      {"stop-first-signal", number(m.stop.firstSignal)},
      {"stop-first-grace", number(m.stop.firstGrace.count)},
      {"stop-grace", number(m.stop.grace.count)},
      {"stop-reason", m.stop.reason},
      {"over", number(m.over ? 1 : 0)},
      {"settled", number(m.settled ? 1 : 0)},
  };
  const auto text = local::encodeFields(fields, '\n');
  return text + "\n" + local::checksum(text) + "\n";
}

std::optional<AttemptMemory> decodeMemory(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const auto last = text.rfind('\n');
  if (last == std::string_view::npos || text.substr(last + 1) != local::checksum(text.substr(0, last))) return {};
  const auto fields = local::decodeFields(text.substr(0, last), '\n');
  if (!fields) return {};
  const auto words = [&](std::string_view key) { return local::textField(*fields, key); };
  const auto number = [&](std::string_view key) { return local::numberField(*fields, key); };
  const auto id = parseId<model::AttemptTag>(words("attempt"));
  if (!id) return {};
  AttemptMemory m;
  m.attempt = *id;
  m.user = words("user");
  m.jobName = words("job-name");
  m.folder = words("folder");
  m.batchStyle = number("batch-style") != 0;
  m.members = static_cast<std::int32_t>(number("members"));
  m.roles = readRoles(words("roles"));
  m.firstTry = {number("first-try")};
  m.lastTry = {number("last-try")};
  m.job = static_cast<std::uint32_t>(number("job"));
  m.submitted = {number("submitted")};
  m.outputPattern = words("output");
  m.errorPattern = words("error");
  m.resumedFrom = words("resumed-from");
  m.files = data::decodeFiles(words("files")).value_or(data::AttemptFiles{});
  m.stop = {number("stop") != 0,
            {number("stop-at")},
            static_cast<int>(number("stop-signal")),
            static_cast<int>(number("stop-first-signal")),
            {number("stop-first-grace")},
            {number("stop-grace")},
            words("stop-reason")};
  m.over = number("over") != 0;
  m.settled = number("settled") != 0;
  return m;
}

Result<MemoryFolder> MemoryFolder::open(const std::string& stateDir) {
  if (!stateDir.starts_with('/')) return fail(kFolderUnusable, "the state folder must be an absolute path");
  const auto path = stateDir + "/attempts";
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) return fail(kFolderUnusable, "cannot make " + path + ": " + failed.message());
  if (::chmod(path.c_str(), 0700) != 0) return fail(kFolderUnusable, local::errnoText("cannot close " + path, errno));
  auto folder = local::openFolder(path);
  if (!folder) return fail(kFolderUnusable, folder.error().message);
  return MemoryFolder(std::move(*folder));
}

Result<void> MemoryFolder::save(const AttemptMemory& memory, Keep keep) const {
  return local::replaceFileAt(folder_.get(), fileName(memory.attempt), encodeMemory(memory), keep == Keep::durably);
}

Result<std::optional<AttemptMemory>> MemoryFolder::load(model::AttemptId attempt) const {
  const auto name = fileName(attempt);
  if (!local::existsAt(folder_.get(), name)) return std::optional<AttemptMemory>();
  const auto text = local::readFileAt(folder_.get(), name, kMemoryBytes);
  if (!text) return tl::unexpected(text.error());
  auto memory = decodeMemory(*text);
  if (!memory || memory->attempt != attempt) return fail(kFileMalformed, "the file " + name + " is damaged");
  return memory;
}

void MemoryFolder::forgetOld(Milliseconds retention) const {
  const auto names = local::listFolder(folder_.get(), kFolderLimit);
  if (!names) return;
  for (const auto& name : *names) {
    struct stat info{};
    if (::fstatat(folder_.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (local::wallNow() - TimePoint{info.st_mtim.tv_sec * 1000} <= retention) continue;
    const auto id = model::parseIntentId(name);
    const auto memory = id ? load(id->attempt) : Result<std::optional<AttemptMemory>>();
    if (memory && *memory && ((*memory)->settled || (*memory)->over)) ::unlinkat(folder_.get(), name.c_str(), 0);
  }
}

}  // namespace fairlead::engine::slurm
