// From method and path to a route.
#pragma once

#include <fairlead/api/route.hpp>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fairlead::api {

/// Immutable after construction; any thread.
class Router {
 public:
  explicit Router(std::span<const Route> routes);

  struct Match {
    const Route* route = nullptr;
    std::vector<std::string_view> variables;  ///< in order; views into the path
    std::string allowed;  ///< methods of this path when the method is not one of them; empty: no such path
  };
  [[nodiscard]] Match match(std::string_view method, std::string_view path) const;

 private:
  struct Pattern {
    const Route* route;
    std::vector<std::string_view> segments;
  };
  std::unordered_map<std::string_view, std::vector<const Route*>> literal_;  ///< templates without variables
  std::unordered_map<std::size_t, std::vector<Pattern>> bySegments_;
};

}  // namespace fairlead::api
