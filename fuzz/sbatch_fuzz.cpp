// links: base model codec
// A batch script: what is accepted becomes a workload whose canonical form is read back equal.
#include <fairlead/base/assert.hpp>
#include <fairlead/codec/sbatch.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace fairlead;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view script(reinterpret_cast<const char*>(data), size);
  codec::SbatchContext context;
  context.submitDirectory = "/home/li";
  context.env = {{"HOME", "/home/li"}};
  context.now = TimePoint{1'796'000'000'000};
  (void)codec::looksLikeSbatch(script);
  const auto result = codec::decodeSbatch(script, context);
  if (!result) {
    FL_ASSERT(!result.error().empty(), "a failure without an error");
    return 0;
  }
  const auto again = codec::decodeWorkloadJson(codec::workloadJson(result->document));
  FL_ASSERT(again.has_value(), "the canonical form is refused");
  FL_ASSERT(*again == result->document, "the canonical form means something else");
  return 0;
}
