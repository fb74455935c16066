#include "local/attempt_folder.hpp"

#include "local/fields.hpp"

#include <fairlead/engine/errors.hpp>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <unistd.h>

namespace fairlead::engine::local {
namespace {

const std::string kLockFile = "lock";
const std::string kIntentFolder = "in";
constexpr std::size_t kIntentLimit = 64 << 10;
constexpr std::size_t kIntentCount = 100'000;

struct flock wholeFile(short type) {
  struct flock range{};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  return range;
}

std::optional<ControlIntent> readIntent(int folder, const std::string& name) {
  const auto attemptless = model::parseIntentId(name);
  auto text = readFileAt(folder, name, kIntentLimit);
  if (!attemptless || !text) return {};
  const auto fields = decodeFields(*text, '\n');
  if (!fields) return {};
  ControlIntent intent;
  intent.id = *attemptless;
  intent.signal = static_cast<int>(numberField(*fields, "signal"));
  intent.firstSignal = static_cast<int>(numberField(*fields, "firstSignal"));
  intent.firstGrace.count = std::max<std::int64_t>(0, numberField(*fields, "firstGrace"));
  intent.grace.count = std::max<std::int64_t>(0, numberField(*fields, "grace"));
  intent.reason = textField(*fields, "reason");
  return intent;
}

}  // namespace

std::string folderName(model::AttemptId attempt) { return model::toText({attempt, model::IntentKind::start, 0}); }

Result<std::optional<AttemptLock>> AttemptLock::tryTake(int attemptFolder) {
  AttemptLock lock;
  auto fd = openAt(attemptFolder, kLockFile, O_RDWR | O_CREAT, 0600);
  if (!fd) return tl::unexpected(fd.error());
  lock.fd_ = std::move(*fd);
  auto range = wholeFile(F_WRLCK);
  if (::fcntl(lock.fd_.get(), F_OFD_SETLK, &range) == 0) return std::optional(std::move(lock));
  if (errno == EAGAIN || errno == EACCES) return std::optional<AttemptLock>{};
  return failErrno("cannot lock the attempt");
}

bool AttemptLock::held(int attemptFolder) {
  auto fd = openAt(attemptFolder, kLockFile, O_RDWR);
  if (!fd) return false;
  auto range = wholeFile(F_WRLCK);
  return ::fcntl(fd->get(), F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

Result<void> writeControlIntent(int attemptFolder, const model::Intent& intent) {
  if (auto made = makeFolderAt(attemptFolder, kIntentFolder, 0700); !made) return made;
  auto folder = openAt(attemptFolder, kIntentFolder, O_RDONLY | O_DIRECTORY);
  if (!folder) return tl::unexpected(folder.error());
  const auto name = model::toText(intent.id);
  if (existsAt(folder->get(), name)) return {};
  const Fields fields{{"signal", std::to_string(intent.signal)},
                      {"firstSignal", std::to_string(intent.firstSignal)},
                      {"firstGrace", std::to_string(intent.firstGrace.count)},
                      {"grace", std::to_string(intent.grace.count)},
                      {"reason", intent.reason}};
  if (auto written = replaceFileAt(folder->get(), name, encodeFields(fields, '\n'), true); !written) return written;
  return syncFd(attemptFolder, "the attempt's folder");
}

std::vector<ControlIntent> readControlIntents(int attemptFolder) {
  std::vector<ControlIntent> intents;
  auto folder = openAt(attemptFolder, kIntentFolder, O_RDONLY | O_DIRECTORY);
  if (!folder) return intents;
  auto names = listFolder(folder->get(), kIntentCount);
  if (!names) return intents;
  for (const auto& name : *names)
    if (auto intent = readIntent(folder->get(), name)) intents.push_back(std::move(*intent));
  std::sort(intents.begin(), intents.end(), [](const ControlIntent& a, const ControlIntent& b) { return a.id < b.id; });
  return intents;
}

}  // namespace fairlead::engine::local
