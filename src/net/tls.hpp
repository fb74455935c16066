// TLS settings of a listener.
#pragma once

#include <fairlead/net/http_server.hpp>

struct ssl_ctx_st;

namespace fairlead::net {

/// TLS 1.2 and 1.3 with the certificate and key of `files`. The caller owns the context. Error kTlsFiles.
[[nodiscard]] Result<ssl_ctx_st*> makeServerTls(const TlsFiles& files);

}  // namespace fairlead::net
