#include <fairlead/base/assert.hpp>

#include <cstdio>
#include <cstdlib>

namespace fairlead {

void assertionFailed(char const* expression, char const* file, int line, std::string_view what) {
  std::fprintf(stderr, "%s:%d: broken invariant: %.*s (%s)\n", file, line, static_cast<int>(what.size()), what.data(),
               expression);
  std::abort();
}

}  // namespace fairlead
