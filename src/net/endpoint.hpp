// Where a client connects to, taken apart.
#pragma once

#include <fairlead/net/errors.hpp>

#include <string>

namespace fairlead::net {

struct Endpoint {
  std::string unixPath;  ///< empty: TCP
  std::string base;      ///< scheme, host, port and path prefix, without a slash at the end
  bool tls = false;
  bool loopback = false;  ///< stays on this machine
};

/// Error kBadEndpoint.
[[nodiscard]] Result<Endpoint> parseEndpoint(const std::string& text);

}  // namespace fairlead::net
