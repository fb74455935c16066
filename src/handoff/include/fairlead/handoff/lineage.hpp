// What a workload is to a model version: for the one screen that shows the thread from request to model.
#pragma once

#include <fairlead/base/enum_text.hpp>
#include <fairlead/model/records.hpp>
#include <fairlead/model/workload.hpp>

#include <cstdint>
#include <optional>

namespace fairlead::handoff {

enum class VersionUse : std::uint8_t {
  none,
  made,       ///< its attempt left the version
  serves,     ///< runs, in a class that serves, with exactly these bytes
  willServe,  ///< the same, and does not run yet or at present
  buildsOn,   ///< takes it as input of other work: fine-tuning, evaluation
  served,     ///< took it and has ended
};

/// How `workload` uses `version`. Two models of one name in two projects are different; an input without a number is
/// not resolved yet and uses nothing.
[[nodiscard]] VersionUse useOf(const model::Workload& workload, const model::ModelVersion& version);

/// The version that the maker of `version` built on; nothing when it started from no model. `maker` is the workload
/// `version.workload`.
[[nodiscard]] std::optional<model::ModelInput> parentOf(const model::ModelVersion& version,
                                                        const model::Workload& maker);

}  // namespace fairlead::handoff

template <>
inline constexpr auto fairlead::kEnumNames<fairlead::handoff::VersionUse> =
    std::to_array<std::pair<fairlead::handoff::VersionUse, std::string_view>>({
        {fairlead::handoff::VersionUse::none, "none"},
        {fairlead::handoff::VersionUse::made, "made"},
        {fairlead::handoff::VersionUse::serves, "serves"},
        {fairlead::handoff::VersionUse::willServe, "will-serve"},
        {fairlead::handoff::VersionUse::buildsOn, "builds-on"},
        {fairlead::handoff::VersionUse::served, "served"},
    });
