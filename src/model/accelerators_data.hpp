// What scripts/accelerator_table.py writes.
#pragma once

#include <fairlead/model/inventory.hpp>

#include <cstddef>
#include <string_view>

namespace fairlead::model {

/// A way to write a row's name: lower-case letters and digits only, without the vendor's name in front. Sorted.
struct AcceleratorAlias {
  std::string_view text;
  std::size_t row;
};

extern const AcceleratorModel kAcceleratorRows[];
extern const std::size_t kAcceleratorRowCount;
extern const AcceleratorAlias kAcceleratorAliases[];
extern const std::size_t kAcceleratorAliasCount;
extern const std::string_view kAcceleratorNames[];  ///< of rows and families, sorted
extern const std::size_t kAcceleratorNameCount;

}  // namespace fairlead::model
