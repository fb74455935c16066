// links: base codec config
// A configuration file and a flag: either errors that say something, or a value in range for every option.
#include <fairlead/base/assert.hpp>
#include <fairlead/config/daemon_config.hpp>
#include <fairlead/config/resolve.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace fairlead;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto kOptions = config::daemonOptions();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto line = text.find('\n');
  config::Inputs inputs;
  inputs.fileName = "fairlead.yaml";
  if (text.starts_with("--")) {
    inputs.flags.emplace_back(text.substr(0, line));
    inputs.fileText = line == std::string_view::npos ? "" : text.substr(line + 1);
  } else {
    inputs.fileText = text;
  }
  const auto settings = config::resolve(kOptions, inputs);
  if (settings) {
    FL_ASSERT(settings->all.size() == kOptions.size(), "an option without a value");
    return 0;
  }
  FL_ASSERT(!settings.error().empty(), "refused without an error");
  for (const auto& error : settings.error())
    FL_ASSERT(error.code != nullptr && !error.message.empty(), "an error that says nothing");
  return 0;
}
