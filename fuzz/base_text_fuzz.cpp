// links: base
// Whatever a text parser of base accepts must print, and the print must parse to the same value.
#include <fairlead/base/assert.hpp>
#include <fairlead/base/ids.hpp>
#include <fairlead/base/text.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

using namespace fairlead;

struct WorkloadTag {
  static constexpr std::string_view prefix = "w";
};

void check(std::string_view text) {
  if (const auto span = parseDuration(text)) FL_ASSERT(parseDuration(toText(*span)) == span, "duration round trip");
  if (const auto bytes = parseBytes(text)) FL_ASSERT(parseBytes(toText(*bytes)) == bytes, "bytes round trip");
  if (const auto value = parseThousandths(text))
    FL_ASSERT(parseThousandths(thousandthsToText(*value)) == value, "thousandths round trip");
  if (const auto moment = parseTime(text)) FL_ASSERT(parseTime(toText(*moment)) == moment, "time round trip");
  if (const auto id = parseId<WorkloadTag>(text)) FL_ASSERT(toText(*id) == text, "one text per id");
  const auto shown = printable(text);
  FL_ASSERT(isUtf8(shown) && shown.size() <= 203, "printable is short, valid UTF-8");
  for (const char c : shown)
    FL_ASSERT(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F, "printable has no control characters");
  const auto half = text.size() / 2;
  FL_ASSERT(
      editDistance(text.substr(0, half), text.substr(half)) == editDistance(text.substr(half), text.substr(0, half)),
      "edit distance is symmetric");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({reinterpret_cast<const char*>(data), size});
  return 0;
}
