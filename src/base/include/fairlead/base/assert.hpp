// Assertions that stay on in release builds: a broken invariant ends the process before it can write a wrong row.
#pragma once

#include <string_view>

namespace fairlead {

/// Prints file, line and what was broken to stderr and aborts. Never returns.
[[noreturn]] void assertionFailed(const char* expression, const char* file, int line, std::string_view what);

}  // namespace fairlead

/// Use for what only a bug of ours can break; input of users and engines is answered with an Error instead.
#define FL_ASSERT(expression, what) \
  (static_cast<bool>(expression) ? void(0) : ::fairlead::assertionFailed(#expression, __FILE__, __LINE__, what))
