#include "listen_socket.hpp"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace fairlead::net {
namespace {

constexpr int kBacklog = 1024;

tl::unexpected<Error> systemFailure(const ErrorCode& code, const std::string& what, std::string remedy = {}) {
  return fail(code, what + ": " + std::strerror(errno), std::move(remedy));
}

std::string hostAndPort(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return fmt::format("{}:{}", text, ntohs(v4.sin_port));
  }
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
  inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
  return fmt::format("[{}]:{}", text, ntohs(v6.sin6_port));
}

bool isLoopback(const sockaddr* address) {
  if (address->sa_family == AF_INET)
    return (ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr) >> 24) == 127;
  return address->sa_family == AF_INET6 &&
         IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
}

/// True when something accepts connections at the socket file.
bool isServed(const sockaddr_un& address) {
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const bool served =
      connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 || errno == EAGAIN;
  ::close(probe);
  return served;
}

}  // namespace

void ListenSocket::swap(ListenSocket& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(lockFd_, other.lockFd_);
  std::swap(family_, other.family_);
  std::swap(inode_, other.inode_);
  address_.swap(other.address_);
  path_.swap(other.path_);
}

ListenSocket::~ListenSocket() {
  struct stat status{};
  if (!path_.empty() && inode_ != 0 && lstat(path_.c_str(), &status) == 0 && status.st_ino == inode_)
    unlink(path_.c_str());
  if (fd_ >= 0) ::close(fd_);
  if (lockFd_ >= 0) ::close(lockFd_);
}

Result<ListenSocket> ListenSocket::open(const Listener& listener) {
  ListenSocket socket;
  if (auto opened = listener.unixPath.empty() ? socket.openTcp(listener) : socket.openUnix(listener); !opened)
    return tl::unexpected<Error>(std::move(opened.error()));
  return socket;
}

Result<void> ListenSocket::openUnix(const Listener& listener) {
  sockaddr_un address{};
  family_ = AF_UNIX;
  address.sun_family = AF_UNIX;
  const std::string& path = listener.unixPath;
  if (path.front() != '/' || path.size() >= sizeof address.sun_path)
    return fail(kBadListener,
                fmt::format("socket path {} must be absolute and at most {} bytes", path, sizeof address.sun_path - 1));
  std::memcpy(address.sun_path, path.data(), path.size());
  const auto inUse = [&] {
    return fail(kAddressInUse, "another server answers at " + path, "stop it, or choose another socket path");
  };
  // Two servers that start at once would both see a dead file and each remove the other's; the lock lets one through.
  lockFd_ = ::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (lockFd_ < 0)
    return systemFailure(kBadListener, "cannot create " + path + ".lock",
                         "create the folder, or choose a socket path you may write to");
  if (flock(lockFd_, LOCK_EX | LOCK_NB) != 0) return inUse();

  struct stat status{};
  if (lstat(path.c_str(), &status) == 0) {
    if (!S_ISSOCK(status.st_mode))
      return fail(kBadListener, path + " exists and is not a socket", "choose another socket path");
    if (isServed(address)) return inUse();
    if (unlink(path.c_str()) != 0) return systemFailure(kBadListener, "cannot replace the dead socket " + path);
  }
  fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0) return systemFailure(kBadListener, "cannot create a unix socket");
  fchmod(fd_, 0600);  // the file is born narrow, whatever the umask, and widened below
  if (bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return systemFailure(kBadListener, "cannot bind " + path);
  if (lstat(path.c_str(), &status) == 0) inode_ = status.st_ino;
  path_ = path;
  if (listen(fd_, kBacklog) != 0 || chmod(path.c_str(), listener.unixMode & 0777) != 0)
    return systemFailure(kBadListener, "cannot listen at " + path);
  address_ = "unix://" + path;
  return {};
}

Result<void> ListenSocket::openTcp(const Listener& listener) {
  const std::string where = fmt::format("{}:{}", listener.host, listener.port);
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const auto port = std::to_string(listener.port);
  if (const int rc = getaddrinfo(listener.host.c_str(), port.c_str(), &hints, &found); listener.host.empty() || rc != 0)
    return fail(kBadListener,
                fmt::format("no address for {}: {}", where, listener.host.empty() ? "empty host" : gai_strerror(rc)));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> address(found, &freeaddrinfo);
  if (!listener.tls && !listener.allowPlainAnywhere && !isLoopback(address->ai_addr))
    return fail(kBadListener, where + " is not a loopback address and has no TLS", "give it a certificate and key");
  family_ = address->ai_family;
  fd_ = ::socket(family_, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd_ < 0) return systemFailure(kBadListener, "cannot create a socket for " + where);
  const int on = 1;
  setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(fd_, address->ai_addr, address->ai_addrlen) != 0 || listen(fd_, kBacklog) != 0)
    return errno == EADDRINUSE ? systemFailure(kAddressInUse, "cannot listen at " + where,
                                               "stop the other server, or choose another port")
                               : systemFailure(kBadListener, "cannot listen at " + where);
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  getsockname(fd_, reinterpret_cast<sockaddr*>(&bound), &size);
  address_ = (listener.tls ? "https://" : "http://") + hostAndPort(bound);
  return {};
}

Peer peerOf(int fd, bool tls) {
  Peer peer;
  peer.tls = tls;
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0 && address.ss_family == AF_UNIX) {
    peer.local = true;
    ucred credentials{0, static_cast<uid_t>(-1), static_cast<gid_t>(-1)};
    socklen_t length = sizeof credentials;
    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length);
    peer.uid = credentials.uid;
    peer.gid = credentials.gid;
    peer.pid = credentials.pid;
    return peer;
  }
  size = sizeof address;
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) == 0) peer.address = hostAndPort(address);
  return peer;
}

}  // namespace fairlead::net
