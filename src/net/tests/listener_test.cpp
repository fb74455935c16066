#include "certificates.hpp"
#include "raw_client.hpp"

#include <fairlead/net/http_client.hpp>

#include <fstream>
#include <sys/stat.h>

namespace fairlead::net {
namespace {

using namespace test;

void tellPeer(Request&& request, Responder responder) {
  const Peer& peer = request.peer;
  responder.reply(text(peer.local ? "local " + std::to_string(peer.uid) + " " + std::to_string(peer.gid) + " " +
                                        std::to_string(peer.pid)
                                  : (peer.tls ? "tls " : "plain ") + peer.address));
}

ServerOptions unixAt(const std::string& path, unsigned mode = 0600) {
  ServerOptions options;
  options.listeners.emplace_back().unixPath = path;
  options.listeners.back().unixMode = mode;
  return options;
}

std::string startError(const ServerOptions& options) {
  HttpServer server(options, echo);
  const auto started = server.start();
  return started ? "" : std::string(started.error().token()) + " " + toText(started.error());
}

TEST(UnixListener, knowsWhoConnects) {
  TempFolder folder;
  const TestServer server(tellPeer, unixAt(folder.path + "/s"));
  EXPECT_EQ(server.address, "unix://" + folder.path + "/s");
  RawClient client(server.address);
  client.send(get("/"));
  EXPECT_TRUE(client.readAnswer().ends_with("local " + std::to_string(geteuid()) + " " + std::to_string(getegid()) +
                                            " " + std::to_string(getpid())));
}

TEST(UnixListener, hasTheModeAskedForAndGoesAway) {
  TempFolder folder;
  const std::string path = folder.path + "/s";
  for (const unsigned mode : {0600U, 0666U}) {
    {
      const TestServer server(echo, unixAt(path, mode));
      struct stat status{};
      ASSERT_EQ(stat(path.c_str(), &status), 0);
      EXPECT_EQ(status.st_mode & 0777, mode);
    }
    EXPECT_FALSE(std::filesystem::exists(path));
  }
}

TEST(UnixListener, replacesADeadSocketAndRefusesALiveOne) {
  TempFolder folder;
  const std::string path = folder.path + "/s";
  const int dead = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(dead, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ::close(dead);
  const TestServer server(echo, unixAt(path));
  EXPECT_TRUE(startError(unixAt(path)).starts_with("net/address-in-use")) << startError(unixAt(path));
  RawClient client(server.address);
  client.send(get("/still"));
  EXPECT_TRUE(client.readAnswer().ends_with("GET /still "));
}

TEST(UnixListener, refusesASocketThatAnotherProgramServes) {
  TempFolder folder;
  const std::string path = folder.path + "/s";
  const int other = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(other, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(other, 1), 0);
  EXPECT_TRUE(startError(unixAt(path)).starts_with("net/address-in-use"));
  ::close(other);
}

TEST(UnixListener, refusesPathsItMustNotTake) {
  TempFolder folder;
  std::ofstream(folder.path + "/file") << "precious";
  EXPECT_NE(startError(unixAt(folder.path + "/file")).find("is not a socket"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder.path + "/file"));
  EXPECT_NE(startError(unixAt("relative")).find("absolute"), std::string::npos);
  EXPECT_NE(startError(unixAt("/" + std::string(200, 'x'))).find("107"), std::string::npos);
  EXPECT_NE(startError(unixAt(folder.path + "/none/s")), "");
}

TEST(TcpListener, isPlainOnLoopbackOnly) {
  ServerOptions options;
  options.listeners.emplace_back().host = "0.0.0.0";
  EXPECT_NE(startError(options).find("no TLS"), std::string::npos);
  options.listeners.back().allowPlainAnywhere = true;
  EXPECT_EQ(startError(options), "");
  options.listeners.back().host = "256.0.0.1";
  EXPECT_TRUE(startError(options).starts_with("net/bad-listener"));
  options.listeners.back().host = "";
  EXPECT_TRUE(startError(options).starts_with("net/bad-listener"));
}

TEST(TcpListener, refusesAPortInUse) {
  const TestServer server;
  ServerOptions options;
  options.listeners.emplace_back().host = "127.0.0.1";
  options.listeners.back().port =
      static_cast<std::uint16_t>(std::stoi(server.address.substr(server.address.rfind(':') + 1)));
  EXPECT_TRUE(startError(options).starts_with("net/address-in-use"));
}

TEST(Listeners, serveSideBySideOnSeveralThreads) {
  TempFolder folder;
  auto options = unixAt(folder.path + "/s");
  options.listeners.emplace_back().host = "127.0.0.1";
  options.listeners.emplace_back().host = "::1";
  options.ioThreads = 3;
  const TestServer server(tellPeer, options);
  const auto addresses = server.server.addresses();
  ASSERT_EQ(addresses.size(), 3U);
  EXPECT_TRUE(addresses[2].starts_with("http://[::1]:")) << addresses[2];
  for (int round = 0; round < 4; ++round)
    for (const auto& address : addresses) {
      ClientOptions clientOptions;
      clientOptions.endpoint = address;
      auto client = HttpClient::open(clientOptions);
      ASSERT_TRUE(client.has_value());
      const auto answer = client->send({});
      ASSERT_TRUE(answer.has_value()) << toText(answer.error());
      EXPECT_EQ(answer->status, 200);
    }
}

struct TlsServer {
  TlsServer() {
    writeCertificate(folder.path, "a");
    options.listeners.emplace_back().host = "127.0.0.1";
    options.listeners.back().tls = TlsFiles{folder.path + "/a.crt", folder.path + "/a.key"};
  }
  TempFolder folder;
  ServerOptions options;
};

TEST(TlsListener, servesTrustedClientsAndNoOthers) {
  TlsServer tls;
  tls.options.headerTimeout = {1000};
  const TestServer server(tellPeer, tls.options);
  ClientOptions options;
  options.endpoint = server.address;
  options.caFile = tls.folder.path + "/a.crt";
  auto client = HttpClient::open(options);
  ASSERT_TRUE(client.has_value());
  for (int i = 0; i < 3; ++i) {
    const auto answer = client->send({});
    ASSERT_TRUE(answer.has_value()) << toText(answer.error());
    EXPECT_TRUE(answer->body.starts_with("tls 127.0.0.1:"));
  }
  EXPECT_EQ(server.server.stats().connectionsTotal, 1U);

  writeCertificate(tls.folder.path, "other");
  options.caFile = tls.folder.path + "/other.crt";
  const auto refused = HttpClient::open(options)->send({});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, &kTlsFailed) << toText(refused.error());

  RawClient plain(server.address);
  plain.send(get("/"));
  plain.readAll();
  RawClient silent(server.address);
  EXPECT_EQ(silent.readAll(), "");
  EXPECT_FALSE(silent.timedOut);
  EXPECT_TRUE(eventually([&] { return server.server.stats().tlsFailed >= 2; }));
}

TEST(TlsListener, movesLargeBodiesAndStreams) {
  TlsServer tls;
  const TestServer server(
      [](Request&& request, Responder responder) {
        if (request.method == "POST") return responder.reply(text(request.body));
        const auto stream = responder.stream({});
        for (int i = 0; i < 100; ++i) stream->send(std::string(1000, 'e'));
      },
      tls.options);
  ClientOptions options;
  options.endpoint = server.address;
  options.caFile = tls.folder.path + "/a.crt";
  auto client = HttpClient::open(options);
  ClientRequest request;
  request.method = "POST";
  request.body.assign(4 << 20, 'b');
  const auto answer = client->send(request);
  ASSERT_TRUE(answer.has_value()) << toText(answer.error());
  EXPECT_EQ(answer->body, request.body);
  std::size_t got = 0;
  const auto streamed = client->stream({}, [&](std::string_view chunk) {
    got += chunk.size();
    return true;
  });
  ASSERT_TRUE(streamed.has_value()) << toText(streamed.error());
  EXPECT_EQ(got, 100'000U);
  request.body.assign(10 << 20, 'b');
  const auto tooLarge = client->send(request);
  ASSERT_TRUE(tooLarge.has_value()) << toText(tooLarge.error());
  EXPECT_EQ(tooLarge->status, 413);
}

TEST(TlsListener, saysWhatIsWrongWithItsFiles) {
  TlsServer tls;
  auto& files = *tls.options.listeners.back().tls;
  writeCertificate(tls.folder.path, "b");
  const auto good = files;
  files.key = tls.folder.path + "/b.key";
  EXPECT_NE(startError(tls.options).find("does not belong to the certificate"), std::string::npos)
      << startError(tls.options);
  files = good;
  chmod(files.key.c_str(), 0644);
  EXPECT_NE(startError(tls.options).find("chmod 0600"), std::string::npos);
  files.key = tls.folder.path + "/none";
  EXPECT_NE(startError(tls.options).find("cannot read the key file"), std::string::npos);
  chmod(good.key.c_str(), 0600);
  files = good;
  std::ofstream(files.certificate) << "nonsense";
  EXPECT_TRUE(startError(tls.options).starts_with("net/tls-files"));
}

}  // namespace
}  // namespace fairlead::net
