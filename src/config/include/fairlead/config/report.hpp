// What `fairlead config check`, `docs` and `explain` print.
#pragma once

#include <fairlead/config/resolve.hpp>

#include <span>
#include <string>

namespace fairlead::config {

/// One line an error: `fairlead.yaml:4:3: store.kind: ... (remedy)`.
[[nodiscard]] std::string renderErrors(const Errors& errors, std::string_view fileName);
/// A table of every option: value, where it came from. Secrets as ***.
[[nodiscard]] std::string explain(const Settings& settings);
/// The reference page in Markdown.
[[nodiscard]] std::string docs(std::span<const OptionDef> options);

}  // namespace fairlead::config
