#include "figures.hpp"

#include "process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <unistd.h>

namespace fairlead::bench {
namespace {

std::string cpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "unknown CPU";
}

std::string describeMachine() {
  const auto memory = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGE_SIZE));
  return fmt::format("{}, {} cores, {:.0f} GiB", cpuModel(), ::sysconf(_SC_NPROCESSORS_ONLN), memory / (1 << 30));
}

std::string jsonText(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) out += c;
  }
  return out + '"';
}

std::string number(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return "null";
  return fmt::format("{:.6g}", *value);
}

std::optional<double> ratioOf(const Figure& figure) {
  if (!figure.peer || *figure.peer == 0) return {};
  return figure.value / *figure.peer;
}

std::string verdict(const Figure& figure) {
  if (!figure.goal) return {};
  const bool higher = figure.better == Better::higher;
  const bool met = higher ? figure.value >= *figure.goal : figure.value <= *figure.goal;
  return fmt::format("{} {}: {}", higher ? "at least" : "at most", number(figure.goal), met ? "met" : "MISSED");
}

}  // namespace

Report::Report(bool json)
    : json_(json),
      machine_(describeMachine()),
      commit_(outputOf({"git", "-C", FAIRLEAD_SOURCE_DIR, "rev-parse", "--short=12", "HEAD"})) {
  if (commit_.empty()) commit_ = "unknown";
  if (!json_) fmt::print("{}; commit {}\n", machine_, commit_);
}

void Report::add(const Figure& figure) {
  const auto bench = figure.name.substr(0, figure.name.find('.'));
  if (json_)
    fmt::print(
        R"({{"bench":{},"name":{},"value":{},"unit":{},"goal":{},"peer":{},"ratio":{},"machine":{},"commit":{}}})"
        "\n",
        jsonText(bench), jsonText(figure.name), number(figure.value), jsonText(figure.unit), number(figure.goal),
        number(figure.peer), number(ratioOf(figure)), jsonText(machine_), jsonText(commit_));
  else
    fmt::print("{:<28} {:>12} {:<8} {:<26} {}\n", figure.name, number(figure.value), figure.unit, verdict(figure),
               figure.peer ? fmt::format("peer {} (ratio {:.2f})", number(figure.peer), ratioOf(figure).value_or(0))
                           : std::string());
  std::fflush(stdout);
}

void Report::note(std::string_view text) const {
  if (json_) return;
  fmt::print("  {}\n", text);
  std::fflush(stdout);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto upTo = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));  // 1-based
  const auto rank = std::clamp<std::size_t>(upTo, 1, values.size()) - 1;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank), values.end());
  return values[rank];
}

}  // namespace fairlead::bench
