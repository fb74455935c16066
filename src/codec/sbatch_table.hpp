// Every option of sbatch(1) up to Slurm 26.05, and what becomes of it here.
#pragma once

#include "sbatch_request.hpp"

#include <span>
#include <string_view>

namespace fairlead::codec {

enum class SbatchArgument : std::uint8_t { none, required, optional };

struct SbatchDirective {
  std::string_view name;  ///< without dashes
  char letter = '\0';
  SbatchArgument argument = SbatchArgument::required;
  /// Takes the value into the request. Null: not mapped, for the reason in `why`.
  void (*take)(SbatchWork& work, const SbatchGiven& given) = nullptr;
  std::string_view why;
};

[[nodiscard]] std::span<const SbatchDirective> sbatchDirectives();

}  // namespace fairlead::codec
