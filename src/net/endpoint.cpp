#include "endpoint.hpp"

#include <fairlead/base/text.hpp>

#include <algorithm>
#include <cctype>

namespace fairlead::net {
namespace {

constexpr std::string_view kForms = "use unix:///path/to/socket, http://host:port or https://host:port";
constexpr std::size_t kMaxUnixPath = 107;

tl::unexpected<Error> bad(const std::string& why) { return fail(kBadEndpoint, why, std::string(kForms)); }

bool isPort(std::string_view text) {
  return !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string_view::npos &&
         std::stoi(std::string(text)) <= 65535;
}

bool isLoopbackHost(std::string_view host) {
  if (host == "localhost" || host == "[::1]") return true;
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
}

Result<Endpoint> parseUnix(std::string_view path) {
  if (!path.starts_with('/') || path.size() > kMaxUnixPath)
    return bad("a socket path must be absolute and at most 107 bytes long");
  return Endpoint{std::string(path), "http://localhost", false, true};
}

}  // namespace

Result<Endpoint> parseEndpoint(const std::string& text) {
  const bool plain =
      std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7f; });
  if (!plain) return bad("the endpoint holds blanks or control characters");
  if (text.starts_with("unix://")) return parseUnix(std::string_view(text).substr(7));
  Endpoint endpoint;
  endpoint.tls = text.starts_with("https://");
  if (!endpoint.tls && !text.starts_with("http://")) return bad("not an endpoint: " + printable(text));
  const auto authority = std::string_view(text).substr(endpoint.tls ? 8 : 7);
  if (authority.find('@') != std::string_view::npos) return bad("an endpoint carries no user name or password");
  if (authority.find_first_of("?#") != std::string_view::npos) return bad("an endpoint carries no query");
  const auto hostPort = authority.substr(0, authority.find('/'));
  const auto hostEnd = hostPort.starts_with('[') ? std::min(hostPort.find(']'), hostPort.size() - 1) + 1
                                                 : std::min(hostPort.find(':'), hostPort.size());
  const auto host = hostPort.substr(0, hostEnd);
  const auto rest = hostPort.substr(hostEnd);
  const bool openBracket = host.starts_with('[') && !host.ends_with(']');
  if (host.empty() || openBracket || (!rest.empty() && (rest[0] != ':' || !isPort(rest.substr(1)))))
    return bad("no valid host and port in " + printable(text));
  endpoint.loopback = isLoopbackHost(host);
  endpoint.base = text;
  while (endpoint.base.ends_with('/')) endpoint.base.pop_back();
  return endpoint;
}

}  // namespace fairlead::net
