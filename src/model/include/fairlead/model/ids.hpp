// The typed ids of the vocabulary. Names are never keys.
#pragma once

#include <fairlead/base/enum_text.hpp>
#include <fairlead/base/ids.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fairlead::model {

struct WorkloadTag {
  static constexpr std::string_view prefix = "w";
};
struct AttemptTag {
  static constexpr std::string_view prefix = "a";
};
using WorkloadId = Id<WorkloadTag>;
using AttemptId = Id<AttemptTag>;

/// What an intent tells an engine to do.
enum class IntentKind : std::uint8_t { start, stop, signal };

/// Deterministic: the same decision about the same attempt has the same id, so an engine that sees it twice does it
/// once.
struct IntentId {
  AttemptId attempt;
  IntentKind kind = IntentKind::start;
  std::uint32_t ordinal = 0;  ///< counts the intents of one kind of one attempt; `start` has only 0

  auto operator<=>(const IntentId&) const = default;
};

/// `a-7k3f9.start`, `a-7k3f9.stop.1`: safe as a file name, a Slurm comment and a Kubernetes label value.
[[nodiscard]] std::string toText(const IntentId& id);
[[nodiscard]] std::optional<IntentId> parseIntentId(std::string_view text);

}  // namespace fairlead::model

template <>
inline constexpr auto fairlead::kEnumNames<fairlead::model::IntentKind> =
    std::to_array<std::pair<fairlead::model::IntentKind, std::string_view>>({
        {fairlead::model::IntentKind::start, "start"},
        {fairlead::model::IntentKind::stop, "stop"},
        {fairlead::model::IntentKind::signal, "signal"},
    });
