// links: base codec
// Any bytes: what the JSON parser accepts can be written again, and is then read equal; rows never crash.
#include <fairlead/base/assert.hpp>
#include <fairlead/codec/json.hpp>
#include <fairlead/codec/tree.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using namespace fairlead;

namespace {

void write(codec::JsonWriter& json, const codec::Node& node) {
  switch (node.kind) {
    case codec::NodeKind::null:
      json.null();
      return;
    case codec::NodeKind::boolean:
      json.value(node.boolean);
      return;
    case codec::NodeKind::integer:
      json.value(node.integer);
      return;
    case codec::NodeKind::decimal:
      json.raw(node.text);
      return;
    case codec::NodeKind::text:
      json.value(node.text);
      return;
    case codec::NodeKind::list:
      json.beginArray();
      for (const auto& item : node.items) write(json, item);
      json.endArray();
      return;
    case codec::NodeKind::map:
      json.beginObject();
      for (const auto& entry : node.entries) write(json.key(entry.key), entry.value);
      json.endObject();
      return;
  }
}

std::string written(const codec::Tree& tree) {
  std::string out;
  codec::JsonWriter json(out);
  write(json, tree.root());
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)codec::placementFromJson(text);
  (void)codec::endsFromJson(text);
  (void)codec::labelsFromJson(text);
  const auto tree = codec::parseJson(text);
  if (!tree) return 0;
  const auto first = written(*tree);
  const auto again = codec::parseJson(first);
  FL_ASSERT(again.has_value(), "what was written cannot be read");
  FL_ASSERT(written(*again) == first, "what was read differs");
  return 0;
}
