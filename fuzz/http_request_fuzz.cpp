// links: base net
// An HTTP/1 request and its target: what is accepted in one piece is accepted in two and means the same, and a decoded
// target encodes to one that decodes to the same.
#include "../src/net/request_parser.hpp"

#include <fairlead/base/assert.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

using namespace fairlead;
using State = net::RequestParser::State;

namespace {

constexpr net::ParserLimits kLimits{1 << 10, 20, 4 << 10};

/// Feeds `bytes` as a connection does: what was not taken comes again with more behind it. Returns how much was taken.
std::size_t feedAll(net::RequestParser& parser, std::string_view bytes, std::size_t cut, State& state) {
  std::size_t used = 0;
  for (const auto end : {cut, bytes.size()}) {
    for (bool moved = true; moved && state == State::needMore;) {
      const auto step = parser.feed(bytes.substr(used, end - used));
      state = step.state;
      used += step.used;
      moved = step.used > 0;
    }
  }
  return used;
}

void checkTarget(std::string_view text) {
  const auto target = net::parseTarget(text);
  if (!target) return;
  std::string again;
  for (std::size_t from = 0; from < target->path.size();) {
    const auto end = std::min(target->path.find('/', from), target->path.size());
    again += net::percentEncode(std::string_view(target->path).substr(from, end - from));
    if (end < target->path.size()) again += '/';
    from = end + 1;
  }
  const auto second = net::parseTarget(again + net::encodeQuery(target->query));
  FL_ASSERT(second && second->path == target->path && second->query == target->query,
            "encoded, it means another thing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  checkTarget(text.substr(0, text.find('\n')));
  const std::size_t cut = (data[0] * 256U + data[1]) % (text.size() + 1);
  net::RequestParser whole(kLimits), pieces(kLimits);
  State one = State::needMore, two = State::needMore;
  const auto usedOne = feedAll(whole, text, text.size(), one);
  const auto usedTwo = feedAll(pieces, text, cut, two);
  // What is bad may be refused sooner in pieces, while the end of the header is still to come.
  FL_ASSERT((one == State::done) == (two == State::done), "two pieces end otherwise than one");
  if (one == State::failed)
    FL_ASSERT(whole.failureStatus() >= 400 && !whole.failureDetail().empty(), "a silent refusal");
  if (one != State::done) return 0;
  FL_ASSERT(usedOne == usedTwo, "two pieces end elsewhere than one");
  const auto first = whole.take(), second = pieces.take();
  FL_ASSERT(first.method == second.method && first.path == second.path && first.query == second.query &&
                first.body == second.body,
            "two pieces make another request than one");
  FL_ASSERT(first.body.size() <= kLimits.maxBody, "a body over its limit");
  return 0;
}
