// The lines of a batch script that sbatch reads, cut into words.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/codec/tree.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace fairlead::codec {

struct SbatchWord {
  std::string text;
  Place place;
};

struct SbatchLine {
  enum class Kind : std::uint8_t {
    options,    ///< `#SBATCH` before the first command
    component,  ///< `#SBATCH hetjob` or packjob
    late,       ///< `#SBATCH` behind the first command: sbatch does not read it either
    foreign,    ///< `#PBS`
  };
  Kind kind = Kind::options;
  Place place;
  std::string_view text;  ///< for late and foreign: the rest of the line
  std::vector<SbatchWord> words;
};

struct SbatchLines {
  std::vector<SbatchLine> lines;
  Errors errors;
};

[[nodiscard]] SbatchLines readSbatchLines(std::string_view script);

}  // namespace fairlead::codec
