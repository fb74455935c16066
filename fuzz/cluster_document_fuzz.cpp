// links: clusters codec
// Documents of clusters: what is read can be written, and reads back as the same.
#include <fairlead/clusters/document.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace fairlead;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = clusters::decodeCluster({reinterpret_cast<const char*>(data), size});
  if (!document) return 0;
  const auto json = clusters::encodeCluster(*document);
  const auto again = clusters::decodeCluster(json);
  if (!again || clusters::encodeCluster(*again) != json) std::abort();
  return 0;
}
