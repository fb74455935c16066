#include <fairlead/store/testing/rows.hpp>

#include <fmt/format.h>

namespace fairlead::store::testing {

model::SpecPtr sampleSpec(std::uint64_t n) {
  model::SpecDocument document;
  document.digest = sampleDigest(n);
  document.spec.priority = static_cast<std::int32_t>(n % 1000);
  document.json = fmt::format("{{\"priority\":{}}}", document.spec.priority);
  return std::make_shared<model::SpecDocument const>(std::move(document));
}

}  // namespace fairlead::store::testing
