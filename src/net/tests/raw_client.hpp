// A socket that says exactly what a test wants, and servers for tests.
#pragma once

#include <fairlead/net/http_server.hpp>

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace fairlead::net::test {

inline constexpr std::chrono::seconds kLimit{10};

/// Waits until `condition` holds; false when it did not within the limit.
inline bool eventually(const std::function<bool()>& condition) {
  for (const auto until = std::chrono::steady_clock::now() + kLimit; std::chrono::steady_clock::now() < until;) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return condition();
}

struct TempFolder {
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "fairlead-net-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::string path;
};

class RawClient {
 public:
  explicit RawClient(const std::string& address, int receiveBuffer = 0) {
    const bool local = address.starts_with("unix://");
    fd_ = socket(local ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receiveBuffer > 0) setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, sizeof receiveBuffer);
    sockaddr_un un{};
    sockaddr_in in{};
    un.sun_family = AF_UNIX;
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (local)
      address.copy(un.sun_path, sizeof un.sun_path - 1, 7);
    else
      in.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    const auto* to = local ? reinterpret_cast<sockaddr*>(&un) : reinterpret_cast<sockaddr*>(&in);
    connected_ = connect(fd_, to, local ? sizeof un : sizeof in) == 0;
  }
  ~RawClient() { close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }
  bool send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }
  void endOutput() const { shutdown(fd_, SHUT_WR); }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  void reset() {
    const linger hard{1, 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close();
  }
  /// Reads until `text` has come (kept, with what follows, in the buffer), the end, or the limit.
  bool readUntil(std::string_view text) {
    while (buffer.find(text) == std::string::npos)
      if (!readSome()) return false;
    return true;
  }
  /// All up to the end; what was read before included.
  std::string readAll() {
    while (readSome()) {
    }
    return buffer;
  }
  /// One answer with a Content-Length, taken out of the buffer.
  std::string readAnswer() {
    if (!readUntil("\r\n\r\n")) return buffer;
    const auto head = buffer.find("\r\n\r\n") + 4;
    const auto field = buffer.find("Content-Length: ");
    const std::size_t length = field < head ? std::stoul(buffer.substr(field + 16)) : 0;
    while (buffer.size() < head + length && readSome()) {
    }
    const std::string answer = buffer.substr(0, head + length);
    buffer.erase(0, head + length);
    return answer;
  }
  bool readSome() {
    pollfd ready{fd_, POLLIN, 0};
    if (poll(&ready, 1, 10'000) <= 0) {
      timedOut = true;
      return false;
    }
    char bytes[16 << 10];
    const auto n = recv(fd_, bytes, sizeof bytes, 0);
    if (n <= 0) return false;
    buffer.append(bytes, static_cast<std::size_t>(n));
    return true;
  }

  std::string buffer;
  bool timedOut = false;

 private:
  int fd_ = -1;
  bool connected_ = false;
};

inline Response text(std::string body) {
  Response response;
  response.contentType = "text/plain";
  response.body = std::move(body);
  return response;
}

/// Answers with the method, the path and the body it was sent.
inline void echo(Request&& request, Responder responder) {
  responder.reply(text(request.method + " " + request.path + " " + request.body));
}

/// A started server on a free loopback port.
struct TestServer {
  explicit TestServer(Handler handler = echo, ServerOptions options = {})
      : server(
            [&] {
              if (options.listeners.empty()) options.listeners.emplace_back().host = "127.0.0.1";
              return options;
            }(),
            std::move(handler)) {
    const auto started = server.start();
    EXPECT_TRUE(started.has_value()) << (started ? "" : toText(started.error()));
    if (started) address = server.addresses().front();
  }
  HttpServer server;
  std::string address;
};

inline std::string get(const std::string& path, const std::string& fields = {}) {
  return "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n";
}
inline std::string post(const std::string& path, const std::string& body, const std::string& fields = {}) {
  return "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + fields +
         "\r\n" + body;
}
inline bool hasStatus(const std::string& answer, int status) {
  return answer.starts_with("HTTP/1.1 " + std::to_string(status) + " ");
}

}  // namespace fairlead::net::test
