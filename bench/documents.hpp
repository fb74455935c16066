// Workload documents for load: every one has a name of its own, as real submissions do.
#pragma once

#include "http_load.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fairlead::bench {

/// One workload in compact JSON for a device that is never free. `variant` makes the spec differ.
[[nodiscard]] std::string workloadDocument(std::uint32_t project, std::uint32_t variant);

/// Requests that are made once and then only numbered, so that the client costs little. Each connection has its own.
class NumberedRequest {
 public:
  /// `documents` go as they are when there is one, else as an array.
  NumberedRequest(const Endpoint& where, std::string_view path, const std::vector<std::string>& documents);
  /// Names every document by the numbers from `first` on.
  std::string_view number(std::uint64_t first);
  [[nodiscard]] std::size_t documents() const { return places_.size(); }

 private:
  std::string bytes_;
  std::vector<std::size_t> places_;  // of the digits of each name
};

}  // namespace fairlead::bench
