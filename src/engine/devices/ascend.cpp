// Huawei Ascend: the device files say which dies there are, npu-smi says what they are.
#include "devices/vendors.hpp"
#include "local/fields.hpp"
#include "local/posix.hpp"

#include <fairlead/model/accelerators.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fcntl.h>
#include <map>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace fairlead::engine::devices {
namespace {

using local::Fd;

constexpr std::size_t kOutputBytes = 1 << 20;
constexpr std::int64_t kToolMs = 5'000;

/// Numbers of `davinciN` files; davinci_manager is none.
std::vector<std::int32_t> diesIn(const std::string& dev) {
  std::vector<std::int32_t> dies;
  auto folder = local::openFolder(dev);
  if (!folder) return dies;
  auto names = local::listFolder(folder->get(), 100'000);
  if (!names) return dies;
  for (const auto& name : *names) {
    if (!name.starts_with("davinci")) continue;
    if (const auto number = local::parseNumber(name.substr(7)); number && *number >= 0 && *number < 4096)
      dies.push_back(static_cast<std::int32_t>(*number));
  }
  std::sort(dies.begin(), dies.end());
  return dies;
}

/// What the program prints, empty when it is missing, fails or takes too long.
std::string outputOf(const std::string& program, const std::string& argument) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {};
  Fd read(ends[0]), write(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, write.get(), 1);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  char* const argv[] = {const_cast<char*>(program.c_str()), const_cast<char*>(argument.c_str()), nullptr};
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, program.c_str(), &actions, nullptr, argv, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  write.reset();
  if (error != 0) return {};
  std::string text;
  const auto end = local::monotonicNow() + Milliseconds{kToolMs};
  for (;;) {
    pollfd wait{read.get(), POLLIN, 0};
    const auto left = (end - local::monotonicNow()).count;
    if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) <= 0) break;
    char buffer[16384];
    const ssize_t n = ::read(read.get(), buffer, sizeof buffer);
    if (n <= 0 || text.size() > kOutputBytes) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  ::kill(pid, SIGKILL);  // harmless when it has ended
  ::waitpid(pid, nullptr, 0);
  return text;
}

std::vector<std::string> cells(std::string_view line) {
  std::vector<std::string> found;
  while (!line.empty()) {
    auto cell = line.substr(0, line.find('|'));
    line.remove_prefix(std::min(line.size(), cell.size() + 1));
    while (!cell.empty() && cell.front() == ' ') cell.remove_prefix(1);
    while (!cell.empty() && cell.back() == ' ') cell.remove_suffix(1);
    if (!cell.empty()) found.emplace_back(cell);
  }
  return found;
}

struct Chip {
  std::string name, health;
  std::int64_t memoryMb = 0;
};

/// The largest total of the `used / total` pairs of a cell: HBM where there is HBM, DDR else. In MB.
std::int64_t largestTotal(std::string_view cell) {
  std::int64_t largest = 0;
  for (auto slash = cell.find('/'); slash != std::string_view::npos; slash = cell.find('/', slash + 1)) {
    auto rest = cell.substr(slash + 1);
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    const auto digits = rest.substr(0, std::min(rest.find_first_not_of("0123456789"), rest.size()));
    largest = std::max(largest, local::parseNumber(digits).value_or(0));
  }
  return largest;
}

/// `npu-smi info` prints two rows a chip: `| 0  910B3 | OK | power, temperature ... |` and `| 0 | 0000:C1:00.0 | ...
/// 3161 / 65536 |`.
std::vector<Chip> parseInfo(std::string_view text) {
  std::vector<Chip> chips;
  Chip current;
  while (!text.empty()) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto row = cells(line);
    if (row.size() < 3 || row[0].empty() || std::isdigit(static_cast<unsigned char>(row[0][0])) == 0) continue;
    const bool second = row[1].find(':') != std::string::npos;
    const auto space = row[0].find(' ');
    if (!second && space != std::string::npos) {
      const auto name = row[0].find_first_not_of(' ', space);
      current = {row[0].substr(name), row[1], 0};
    } else if (second && !current.name.empty()) {
      current.memoryMb = largestTotal(row.back());
      chips.push_back(current);
    }
  }
  return chips;
}

}  // namespace

void findAscend(const DeviceRoots& roots, DeviceReport& report) {
  const auto dies = diesIn(roots.dev);
  if (dies.empty()) return;
  const auto chips = roots.npuSmi.empty() ? std::vector<Chip>{} : parseInfo(outputOf(roots.npuSmi, "info"));
  const bool told = chips.size() == dies.size();
  if (!told)
    report.problems.push_back(fmt::format(
        "{} Ascend device files, but npu-smi tells of {}: models and memory are unknown", dies.size(), chips.size()));
  for (std::size_t i = 0; i < dies.size(); ++i) {
    model::Device device;
    device.index = dies[i];
    device.vendor = "huawei";
    device.model = "unknown";
    if (told) {
      device.model =
          canonicalModel(model::findAccelerator(chips[i].name) != nullptr ? chips[i].name : "Ascend " + chips[i].name);
      device.memory.count = chips[i].memoryMb << 20;
      device.healthy = chips[i].health == "OK";
      if (!device.healthy) device.healthReason = "npu-smi says " + chips[i].health;
    }
    report.devices.push_back(std::move(device));
  }
}

}  // namespace fairlead::engine::devices
