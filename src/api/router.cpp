#include "router.hpp"

namespace fairlead::api {
namespace {

std::vector<std::string_view> split(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const auto slash = path.find('/');
    segments.push_back(path.substr(0, slash));
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash);
  }
  return segments;
}

/// `{id}` and `{id}:cancel` match a segment; the variable is never empty and holds no colon.
bool matches(std::string_view pattern, std::string_view segment, std::vector<std::string_view>& variables) {
  if (!pattern.starts_with('{')) return pattern == segment;
  const auto suffix = pattern.substr(pattern.find('}') + 1);
  if (segment.size() <= suffix.size() || !segment.ends_with(suffix)) return false;
  const auto value = segment.substr(0, segment.size() - suffix.size());
  if (value.find(':') != std::string_view::npos) return false;
  variables.push_back(value);
  return true;
}

bool matches(const std::vector<std::string_view>& pattern, const std::vector<std::string_view>& path,
             std::vector<std::string_view>& variables) {
  for (std::size_t i = 0; i < path.size(); ++i)
    if (!matches(pattern[i], path[i], variables)) return false;
  return true;
}

void allow(std::string& allowed, std::string_view method) {
  if (!allowed.empty()) allowed += ", ";
  allowed += method;
}

}  // namespace

Router::Router(std::span<const Route> routes) {
  for (const auto& route : routes) {
    if (route.path.find('{') == std::string_view::npos)
      literal_[route.path].push_back(&route);
    else {
      auto segments = split(route.path);
      const auto count = segments.size();
      bySegments_[count].push_back({&route, std::move(segments)});
    }
  }
}

Router::Match Router::match(std::string_view method, std::string_view path) const {
  Match result;
  if (const auto found = literal_.find(path); found != literal_.end()) {
    for (const auto* route : found->second) {
      if (route->method == method) {
        result.route = route;
        return result;
      }
      allow(result.allowed, route->method);
    }
  }
  const auto segments = split(path);
  const auto candidates = bySegments_.find(segments.size());
  if (candidates == bySegments_.end()) return result;
  for (const auto& pattern : candidates->second) {
    result.variables.clear();
    if (!matches(pattern.segments, segments, result.variables)) continue;
    if (pattern.route->method == method) {
      result.route = pattern.route;
      return result;
    }
    allow(result.allowed, pattern.route->method);
  }
  return result;
}

}  // namespace fairlead::api
