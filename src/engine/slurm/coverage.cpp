#include "slurm/coverage.hpp"

#include "local/fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::engine::slurm {
namespace {

/// More gaps than this come from no history of restarts; the oldest part is then read again.
constexpr std::size_t kMostParts = 64;

}  // namespace

void Coverage::add(Window window) {
  if (window.from >= window.to) return;
  std::erase_if(parts_, [&](const Window& part) {
    if (part.to < window.from || part.from > window.to) return false;
    window.from = std::min(window.from, part.from);
    window.to = std::max(window.to, part.to);
    return true;
  });
  const auto at = std::find_if(parts_.begin(), parts_.end(), [&](const auto& part) { return part.from > window.from; });
  parts_.insert(at, window);
  if (parts_.size() > kMostParts) parts_.erase(parts_.begin());
}

void Coverage::cut(TimePoint from) {
  for (auto& part : parts_) part.to = std::min(part.to, from);
  std::erase_if(parts_, [](const auto& part) { return part.from >= part.to; });
}

std::optional<Window> Coverage::next(TimePoint floor, TimePoint top, Milliseconds span) const {
  TimePoint bottom = floor;
  for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) {
    if (part->from >= top) continue;
    if (part->to < top) {
      bottom = std::max(floor, part->to);
      break;
    }
    top = part->from;
  }
  if (top <= floor) return {};
  return Window{std::max(bottom, top - span), top};
}

std::string encodeCoverage(const Coverage& coverage) {
  std::string text;
  for (const auto& part : coverage.parts())
    text += fmt::format("{} {}\n", part.from.msSinceEpoch, part.to.msSinceEpoch);
  return text + local::checksum(text) + "\n";
}

std::optional<Coverage> decodeCoverage(std::string_view text) {
  if (!text.ends_with('\n')) return {};
  text.remove_suffix(1);
  const auto body = text.substr(0, text.rfind('\n') + 1);  // nothing before the checksum: no parts
  if (text.substr(body.size()) != local::checksum(body)) return {};
  Coverage coverage;
  for (auto rest = body; !rest.empty();) {
    const auto line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() + 1);
    const auto space = line.find(' ');
    if (space == std::string_view::npos) return {};
    const auto from = local::parseNumber(line.substr(0, space)), to = local::parseNumber(line.substr(space + 1));
    if (!from || !to) return {};
    coverage.add({{*from}, {*to}});
  }
  return coverage;
}

}  // namespace fairlead::engine::slurm
