#include "local/kernel_log.hpp"

#include <fmt/format.h>

#include <string_view>
#include <unistd.h>

namespace fairlead::engine::local {

bool kernelKilled(const Fd& kernelLog, pid_t pid) {
  const auto wanted = fmt::format("Killed process {} ", pid);
  bool found = false;
  char record[8192];
  for (int i = 0; i < 10'000; ++i) {  // each read is one record; a flood of them is not waited for
    const ssize_t n = ::read(kernelLog.get(), record, sizeof record);
    if (n <= 0) break;
    const std::string_view line(record, static_cast<std::size_t>(n));
    found =
        found || (line.find(wanted) != std::string_view::npos && line.find("ut of memory") != std::string_view::npos);
  }
  return found;
}

}  // namespace fairlead::engine::local
