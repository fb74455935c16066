// links: base codec
// Any bytes: the YAML parser answers with trees or errors that have a place, and never with more values or levels than
// allowed.
#include <fairlead/base/assert.hpp>
#include <fairlead/codec/tree.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace fairlead;

namespace {

constexpr codec::Limits kLimits{64 * 1024, 2'000, 16, 10};

std::size_t countValues(const codec::Node& node, int depth) {
  FL_ASSERT(depth <= kLimits.depth, "deeper than the limit");
  std::size_t count = 1;
  for (const auto& item : node.items) count += countValues(item, depth + 1);
  for (const auto& entry : node.entries) count += 1 + countValues(entry.value, depth + 1);
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto trees = codec::parseYamlDocuments(text, kLimits);
  if (!trees) {
    FL_ASSERT(!trees.error().empty(), "a failure without an error");
    return 0;
  }
  for (const auto& tree : *trees)
    FL_ASSERT(countValues(tree.root(), 0) <= kLimits.values, "more values than the limit");
  return 0;
}
