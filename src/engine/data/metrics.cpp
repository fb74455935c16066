#include "data/metrics.hpp"

#include <fairlead/codec/tree.hpp>
#include <fairlead/engine/errors.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace fairlead::engine::data {
namespace {

constexpr std::size_t kNumberBytes = 64;
constexpr std::size_t kNameBytes = 128;

/// `-12`, `0.5`, `1e-3`: a number of JSON as written. The tree keeps exponents as text, quoted or not, so the form
/// decides.
bool isNumber(const codec::Node& node) {
  if (node.kind == codec::NodeKind::integer || node.kind == codec::NodeKind::decimal)
    return node.text.size() <= kNumberBytes;
  if (node.kind != codec::NodeKind::text || node.text.empty() || node.text.size() > kNumberBytes) return false;
  auto rest = node.text;
  if (rest.front() == '-') rest.remove_prefix(1);
  const auto digits = [&rest] {
    const auto end = std::min(rest.find_first_not_of("0123456789"), rest.size());
    rest.remove_prefix(end);
    return end > 0;
  };
  if (!digits()) return false;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    if (!digits()) return false;
  }
  if (rest.empty() || (rest.front() != 'e' && rest.front() != 'E')) return false;
  rest.remove_prefix(1);
  if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
  return digits() && rest.empty();
}

}  // namespace

Result<std::vector<std::pair<std::string, std::string>>> parseMetrics(std::string_view json) {
  codec::Limits limits;
  limits.textBytes = kMetricsBytes;
  const auto tree = codec::parseJson(json, limits);
  if (!tree) return tl::unexpected(tree.error().front());
  if (tree->root().kind != codec::NodeKind::map) return fail(kFileMalformed, "it is not a JSON object");
  std::vector<std::pair<std::string, std::string>> metrics;
  for (const auto& entry : tree->root().entries) {
    if (!isNumber(entry.value) || entry.key.size() > kNameBytes) continue;
    if (metrics.size() == kMetricsCount)
      return fail(kFileTooLarge, fmt::format("it has more than {} numbers", kMetricsCount));
    metrics.emplace_back(entry.key, entry.value.text);
  }
  std::sort(metrics.begin(), metrics.end());
  return metrics;
}

}  // namespace fairlead::engine::data
