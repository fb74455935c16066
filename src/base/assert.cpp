#include <fairlead/base/assert.hpp>

#include <cstdio>
#include <cstdlib>

namespace fairlead {

void assertionFailed(const char* expression, const char* file, int line, std::string_view what) {
  std::fprintf(stderr,  // tidy: allow printf: a broken process must not allocate
               "%s:%d: broken invariant: %.*s (%s)\n", file, line, static_cast<int>(what.size()), what.data(),
               expression);
  std::abort();
}

}  // namespace fairlead
