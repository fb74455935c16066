// The accelerator table: which models exist, what each vendor calls them, which variable shows a process its devices.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include <fairlead/model/inventory.hpp>

namespace fairlead::model {

/// All rows, ordered by vendor and name. Source: data/accelerators.csv, whose rows name theirs.
[[nodiscard]] std::span<const AcceleratorModel> acceleratorTable();
/// The row of a canonical name, or of a vendor's product text in any case (`NVIDIA H100 80GB HBM3`, `h100`). Never guesses between two.
[[nodiscard]] const AcceleratorModel* findAccelerator(std::string_view nameOrProduct);
/// The process-level visible-devices variable of a vendor, empty where it has none.
[[nodiscard]] std::string_view visibleVariable(std::string_view vendor);

}  // namespace fairlead::model
