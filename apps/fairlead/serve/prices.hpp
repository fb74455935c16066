// The price list file: `kind: PriceList` documents.
#pragma once

#include <fairlead/base/result.hpp>
#include <fairlead/ledger/rating.hpp>

#include <string_view>
#include <vector>

namespace fairlead::serve {

/// All prices of all documents of the text, checked together. `perHour` is a decimal of at most six places; `until` is
/// not included.
[[nodiscard]] Checked<std::vector<model::Price>> decodePrices(std::string_view text);

}  // namespace fairlead::serve
