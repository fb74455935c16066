// links: base model codec
// A workload document in YAML or JSON: what is accepted has a canonical form, which is read back equal.
#include <fairlead/base/assert.hpp>
#include <fairlead/codec/spec_codec.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace fairlead;

namespace {

void check(const Checked<codec::WorkloadDocument>& document) {
  if (!document) {
    for (const auto& error : document.error())
      FL_ASSERT(error.code != nullptr && !error.message.empty(), "an error that says nothing");
    return;
  }
  const auto json = codec::workloadJson(*document);
  const auto again = codec::decodeWorkloadJson(json);
  FL_ASSERT(again.has_value(), "the canonical form is refused");
  FL_ASSERT(*again == *document, "the canonical form means something else");
  FL_ASSERT(codec::workloadJson(*again) == json, "the canonical form is not stable");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const codec::SpecContext context{"/base"};
  check(codec::decodeWorkloadJson(text, context));
  if (const auto tree = codec::parseYaml(text)) check(codec::decodeWorkload(*tree, context));
  (void)codec::parseDevices(text);
  return 0;
}
