// Exact quantities: integers in base units. Arithmetic that would overflow ends the process (FL_ASSERT): limits on
// input keep every quantity far from it. No doubles.
#pragma once

#include <fairlead/base/assert.hpp>

#include <compare>
#include <cstdint>

namespace fairlead {

/// For products that do not fit 64 bits on the way to a result that does.
__extension__ using Int128 = __int128;

template <class Unit>
struct Quantity {
  std::int64_t count = 0;

  auto operator<=>(const Quantity&) const = default;
  Quantity& operator+=(Quantity other) {
    FL_ASSERT(!__builtin_add_overflow(count, other.count, &count), "quantity overflow");
    return *this;
  }
  Quantity& operator-=(Quantity other) {
    FL_ASSERT(!__builtin_sub_overflow(count, other.count, &count), "quantity overflow");
    return *this;
  }
  friend Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend Quantity operator*(Quantity a, std::int64_t factor) {
    FL_ASSERT(!__builtin_mul_overflow(a.count, factor, &a.count), "quantity overflow");
    return a;
  }
};

/// 1/1000 of an accelerator: a whole device is 1000, half a shared one 500.
using MilliDevices = Quantity<struct MilliDevicesUnit>;
/// 1/1000 of a CPU core.
using MilliCpus = Quantity<struct MilliCpusUnit>;
using Bytes = Quantity<struct BytesUnit>;
/// A span of time in milliseconds.
using Milliseconds = Quantity<struct MillisecondsUnit>;
/// Milli-devices x milliseconds = 1e-6 device-seconds. A device-hour is 3.6e9.
using MicroDeviceSeconds = Quantity<struct MicroDeviceSecondsUnit>;
/// 1e-6 of a currency unit; the currency stands beside it.
using MicroCurrency = Quantity<struct MicroCurrencyUnit>;

inline constexpr std::int64_t kMicroDeviceSecondsPerDeviceHour = 3'600'000'000;

/// A moment: milliseconds since 1970-01-01T00:00:00Z. 0 is "never" where a row says so.
struct TimePoint {
  std::int64_t msSinceEpoch = 0;

  [[nodiscard]] explicit operator bool() const { return msSinceEpoch != 0; }
  auto operator<=>(const TimePoint&) const = default;
  friend TimePoint operator+(TimePoint t, Milliseconds d) { return {(Milliseconds{t.msSinceEpoch} + d).count}; }
  friend TimePoint operator-(TimePoint t, Milliseconds d) { return {(Milliseconds{t.msSinceEpoch} - d).count}; }
  friend Milliseconds operator-(TimePoint a, TimePoint b) {
    return Milliseconds{a.msSinceEpoch} - Milliseconds{b.msSinceEpoch};
  }
};

[[nodiscard]] inline MicroDeviceSeconds operator*(MilliDevices devices, Milliseconds span) {
  MicroDeviceSeconds product;
  FL_ASSERT(!__builtin_mul_overflow(devices.count, span.count, &product.count), "quantity overflow");
  return product;
}

}  // namespace fairlead
