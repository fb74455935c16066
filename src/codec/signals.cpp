#include <fairlead/codec/signals.hpp>

#include <array>
#include <charconv>

namespace fairlead::codec {
namespace {

/// Numbers of Linux on every architecture that we build for.
constexpr std::array<std::string_view, 32> kNames{"",       "HUP",  "INT",    "QUIT", "ILL",   "TRAP", "ABRT", "BUS",
                                                  "FPE",    "KILL", "USR1",   "SEGV", "USR2",  "PIPE", "ALRM", "TERM",
                                                  "STKFLT", "CHLD", "CONT",   "STOP", "TSTP",  "TTIN", "TTOU", "URG",
                                                  "XCPU",   "XFSZ", "VTALRM", "PROF", "WINCH", "IO",   "PWR",  "SYS"};

bool equalAnyCase(std::string_view text, std::string_view upper) {
  if (text.size() != upper.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if ((text[i] >= 'a' && text[i] <= 'z' ? static_cast<char>(text[i] - 32) : text[i]) != upper[i]) return false;
  return true;
}

}  // namespace

std::optional<int> parseSignal(std::string_view text) {
  int number = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  if (result.ec == std::errc{} && result.ptr == text.data() + text.size())
    return number >= 1 && number <= 64 ? std::optional(number) : std::nullopt;
  if (text.size() > 3 && equalAnyCase(text.substr(0, 3), "SIG")) text.remove_prefix(3);
  for (std::size_t i = 1; i < kNames.size(); ++i)
    if (equalAnyCase(text, kNames[i])) return static_cast<int>(i);
  return {};
}

std::string signalName(int signal) {
  if (signal > 0 && signal < static_cast<int>(kNames.size()))
    return std::string(kNames[static_cast<std::size_t>(signal)]);
  return std::to_string(signal);
}

}  // namespace fairlead::codec
