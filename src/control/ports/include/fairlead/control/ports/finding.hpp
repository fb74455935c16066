// What a look at a cluster has found, for the people who connect it.
#pragma once

#include <fairlead/base/enum_text.hpp>

#include <cstdint>
#include <string>

namespace fairlead::control {

enum class FindingKind : std::uint8_t {
  fine,
  note,     ///< works, and people should know
  missing,  ///< something that is needed for reading, or for governing, is not there
};

/// One line of `clusters check`.
struct Finding {
  FindingKind kind = FindingKind::fine;
  std::string topic;   ///< `connection`, `accounting`
  std::string text;    ///< what was seen
  std::string remedy;  ///< the line that changes it; empty: none is needed
};

}  // namespace fairlead::control

namespace fairlead {
template <>
inline constexpr auto kEnumNames<control::FindingKind> =
    std::to_array<std::pair<control::FindingKind, std::string_view>>({{control::FindingKind::fine, "fine"},
                                                                      {control::FindingKind::note, "note"},
                                                                      {control::FindingKind::missing, "missing"}});
}  // namespace fairlead
