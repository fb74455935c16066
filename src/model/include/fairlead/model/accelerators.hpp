// The accelerator table: which models exist, what each vendor calls them, which variable shows a process its devices.
// A family names several rows: `h100` is h100-sxm5-80gb, h100-pcie-80gb and h100-nvl-94gb; never a slice of one, whose
// name begins with the way it is cut (mig-h100-80gb-1g.10gb). Pure look-ups in constant data; any thread.
#pragma once

#include <fairlead/model/inventory.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace fairlead::model {

/// All rows, ordered by vendor and name. Source: data/accelerators.csv, whose rows name theirs.
[[nodiscard]] std::span<const AcceleratorModel> acceleratorTable();
/// The row of a canonical name, of a family with one row, or of a vendor's product text in any case (`NVIDIA H100 80GB
/// HBM3`). Never guesses between two: `h100` alone gives nothing.
[[nodiscard]] const AcceleratorModel* findAccelerator(std::string_view nameOrProduct);
/// The process-level visible-devices variable of a vendor, empty where it has none.
[[nodiscard]] std::string_view visibleVariable(std::string_view vendor);

/// True when a request for `wanted` is satisfied by a device of model `model`: the same name, or `wanted` is its family
/// (`h100` and h100-pcie-80gb, `ascend-910b` and ascend-910b3). An empty `wanted` takes any. Models outside the table
/// follow the same rule of names.
[[nodiscard]] bool modelMatches(std::string_view wanted, std::string_view model);
/// True when `device` is of the vendor, model and memory that `request` asks for. Health and what is free are the
/// caller's.
[[nodiscard]] bool deviceMatches(const DeviceRequest& request, const Device& device);
/// The canonical name or family that `text` means in any spelling (`H100`, `ascend910b`, `a100_3g.20gb`, a product
/// text); empty when nothing is known by it.
[[nodiscard]] std::string_view canonicalModelOrFamily(std::string_view text);
/// True when some row of the table would satisfy a request for `name`: for messages about names nobody knows.
[[nodiscard]] bool knownModelOrFamily(std::string_view name);

}  // namespace fairlead::model
