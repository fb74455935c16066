// The measurements. Each takes minutes at most, cleans up, and throws Failed where the daemon does not do its part.
#pragma once

#include "figures.hpp"

#include <filesystem>

namespace fairlead::bench {

struct Setting {
  std::filesystem::path binary;   ///< of the daemon
  std::filesystem::path helpers;  ///< folder of the trial server and the stamp program
  double scale = 1;               ///< of counts and durations; figures of another scale say nothing about the goals
};

void benchSubmit(const Setting& setting, Report& report);
void benchStart(const Setting& setting, Report& report);
void benchStreams(const Setting& setting, Report& report);
void benchQueue(const Setting& setting, Report& report);
void benchMicro(const Setting& setting, Report& report);
void benchSlurmWire(const Setting& setting, Report& report);

}  // namespace fairlead::bench
