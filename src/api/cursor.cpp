#include "cursor.hpp"

#include <fairlead/api/errors.hpp>
#include <fairlead/codec/digest.hpp>

#include <fmt/format.h>

#include <charconv>

namespace fairlead::api {
namespace {

constexpr std::size_t kPositionDigits = 16;
constexpr std::size_t kCheckDigits = 16;

/// Of everything that decides what the list holds, and the position.
std::string checkOf(const Call& call, std::uint64_t position) {
  auto text = fmt::format("{}\n{}\n", call.route->operation, position);
  for (const auto& value : call.params) {
    if (value.param->name == "cursor" || value.param->name == "limit") continue;
    text += fmt::format("{}={}:{}\n", value.param->name, value.text.size(), value.text);
  }
  return codec::toHex(codec::sha256(text)).substr(0, kCheckDigits);
}

}  // namespace

std::string makeCursor(const Call& call, std::uint64_t position) {
  return fmt::format("{:016x}{}", position, checkOf(call, position));
}

Result<std::uint64_t> takeCursor(const Call& call) {
  const auto text = call.text("cursor");
  if (text.empty() && call.find("cursor") == nullptr) return std::uint64_t{0};
  std::uint64_t position = 0;
  const auto digits = text.substr(0, kPositionDigits);
  const auto [stop, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), position, 16);
  if (text.size() != kPositionDigits + kCheckDigits || failed != std::errc() || stop != digits.data() + digits.size() ||
      text.substr(kPositionDigits) != checkOf(call, position))
    return tl::unexpected(Error{&kBadCursor, "the cursor is not one of this list with these filters", "query.cursor",
                                printable(text),
                                "take nextCursor of the page before and leave the filters as they were"});
  return position;
}

}  // namespace fairlead::api
