// The YAML file of a configuration, read into values.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/config/option.hpp>

#include <map>
#include <span>
#include <string>

namespace fairlead::config {

struct FileValue {
  Value value;
  int line = 0;
  int column = 0;
};

/// By option name. Errors are added to `errors`; what is right is still read.
[[nodiscard]] std::map<std::string, FileValue, std::less<>> readFile(std::span<const OptionDef> options,
                                                                     const std::string& text, Errors& errors);

}  // namespace fairlead::config
