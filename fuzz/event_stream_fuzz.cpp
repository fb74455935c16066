// links: base net
// Server-sent events: pieces cut anywhere give the events of the whole, and what is formatted is read back.
#include <fairlead/base/assert.hpp>
#include <fairlead/net/sse.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace fairlead;

namespace {

constexpr Bytes kMaxEvent{2'000};

std::vector<net::SseEvent> readAll(std::string_view text, std::size_t piece, bool& tooLarge) {
  net::SseParser parser(kMaxEvent);
  std::vector<net::SseEvent> all;
  for (; !text.empty() && !tooLarge; text.remove_prefix(std::min(piece, text.size()))) {
    auto events = parser.feed(text.substr(0, piece));
    if (!events)
      tooLarge = true;
    else
      all.insert(all.end(), events->begin(), events->end());
  }
  return all;
}

bool same(const net::SseEvent& a, const net::SseEvent& b) {
  return a.id == b.id && a.event == b.event && a.data == b.data;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  bool wholeTooLarge = false, piecesTooLarge = false;
  const auto whole = readAll(text, std::max<std::size_t>(text.size(), 1), wholeTooLarge);
  const auto pieces = readAll(text, 1U + data[0] % 7U, piecesTooLarge);
  FL_ASSERT(wholeTooLarge == piecesTooLarge, "pieces break the limit otherwise than the whole");
  if (!wholeTooLarge)
    FL_ASSERT(std::equal(whole.begin(), whole.end(), pieces.begin(), pieces.end(), same),
              "pieces read as other events");
  for (const auto& event : whole) {
    bool tooLarge = false;
    const auto again = readAll(net::formatEvent("7", event.event, event.data), 3, tooLarge);
    FL_ASSERT(tooLarge || (again.size() == 1 && again[0].data == event.data), "what was formatted reads otherwise");
  }
  return 0;
}
