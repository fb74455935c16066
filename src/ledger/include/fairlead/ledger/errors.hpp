// What can go wrong in ledger.
#pragma once

#include <fairlead/base/result.hpp>

namespace fairlead::ledger {

inline constexpr ErrorCode kPriceInvalid{"ledger/price-invalid", ErrorKind::invalid, "The price is not valid."};
inline constexpr ErrorCode kPriceOverlap{"ledger/price-overlap", ErrorKind::invalid,
                                         "Two prices of one device model are valid at the same time."};
inline constexpr ErrorCode kPriceCurrencyMix{"ledger/price-currency-mix", ErrorKind::invalid,
                                             "The prices of one device model are in different currencies."};
inline constexpr ErrorCode kUsageQueryInvalid{"ledger/usage-query-invalid", ErrorKind::invalid,
                                              "The usage query is not valid."};

}  // namespace fairlead::ledger
