#include <fairlead/net/http_server.hpp>

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

namespace fairlead::net {
namespace {

TEST(HttpServer, answersOneRequest) {
  ServerOptions options;
  options.listeners.emplace_back().host = "127.0.0.1";
  HttpServer server(options, [](Request&& request, Responder responder) {
    responder.reply({.status = 200, .contentType = "text/plain", .headers = {}, .body = "path " + request.path});
  });
  ASSERT_TRUE(server.start().has_value());
  auto const address = server.addresses().at(0);
  int const fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  std::string const request = "GET /a//b?x=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  ASSERT_EQ(write(fd, request.data(), request.size()), static_cast<ssize_t>(request.size()));
  std::string answer(4096, '\0');
  std::size_t got = 0;
  for (ssize_t n = 1; n > 0; got += static_cast<std::size_t>(n)) n = read(fd, answer.data() + got, answer.size() - got);
  close(fd);
  answer.resize(got);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
  EXPECT_TRUE(answer.ends_with("\r\n\r\npath /a/b")) << answer;
  server.stop({1000});
}

}  // namespace
}  // namespace fairlead::net
