// One accepted socket, plain or with TLS: what differs between them, and nothing else. Included by the few files that
// see Asio.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include <memory>
#include <string>
#include <utility>

namespace fairlead::net {

namespace asio = boost::asio;
using NetError = boost::system::error_code;
using Socket = asio::generic::stream_protocol::socket;

/// Used by one I/O thread. Every pending operation ends with an error after close().
class Transport {
 public:
  Transport(Socket socket, asio::ssl::context* tls) : plain_(std::move(socket)) {
    if (tls != nullptr) tls_ = std::make_unique<asio::ssl::stream<Socket>>(std::move(plain_), *tls);
  }

  [[nodiscard]] bool encrypted() const { return tls_ != nullptr; }

  template <class Done>
  void handshake(Done done) {
    tls_->async_handshake(asio::ssl::stream_base::server, std::move(done));
  }
  template <class Done>
  void read(char* into, std::size_t size, Done done) {
    const auto buffer = asio::buffer(into, size);
    tls_ ? tls_->async_read_some(buffer, std::move(done)) : plain_.async_read_some(buffer, std::move(done));
  }
  /// Plain sockets: what the kernel takes at once. 0 with TLS.
  std::size_t writeNow(const std::string& bytes, NetError& ec) {
    return tls_ ? 0 : plain_.write_some(asio::buffer(bytes), ec);
  }
  template <class Done>
  void write(const char* bytes, std::size_t size, Done done) {
    const auto buffer = asio::buffer(bytes, size);
    tls_ ? asio::async_write(*tls_, buffer, std::move(done)) : asio::async_write(plain_, buffer, std::move(done));
  }
  /// Plain sockets: tells the peer that nothing more comes.
  void endOutput() {
    NetError ignored;
    plain_.shutdown(Socket::shutdown_send, ignored);
  }
  /// TLS: the close alert, and the peer's in return.
  template <class Done>
  void sayGoodbye(Done done) {
    tls_->async_shutdown(std::move(done));
  }
  void close() {
    NetError ignored;
    tls_ ? tls_->next_layer().close(ignored) : plain_.close(ignored);
  }

 private:
  Socket plain_;
  std::unique_ptr<asio::ssl::stream<Socket>> tls_;
};

}  // namespace fairlead::net
