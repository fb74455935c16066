#include <fairlead/base/clock.hpp>

#include <chrono>

namespace fairlead {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

TimePoint SystemClock::now() const {
  return {duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count()};
}

Milliseconds SystemClock::monotonic() const {
  return {duration_cast<milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count()};
}

}  // namespace fairlead
