// Listening sockets by the system's calls: opening, stale socket files, who connected.
#pragma once

#include <fairlead/net/http_server.hpp>

#include <string>

namespace fairlead::net {

/// An open, listening, non-blocking socket. Owns the descriptors; removes its socket file at the end if that is still
/// its own.
class ListenSocket {
 public:
  /// Errors kBadListener, kAddressInUse.
  [[nodiscard]] static Result<ListenSocket> open(const Listener& listener);
  ListenSocket() = default;
  ListenSocket(ListenSocket&& other) noexcept { swap(other); }
  ListenSocket& operator=(ListenSocket&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ListenSocket();

  /// Hands the descriptor out; the socket file stays ours.
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  [[nodiscard]] int family() const { return family_; }
  /// As clients take it: `unix:///...`, `http://...`, `https://...`.
  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  void swap(ListenSocket& other) noexcept;
  Result<void> openUnix(const Listener& listener);
  Result<void> openTcp(const Listener& listener);

  int fd_ = -1;
  int lockFd_ = -1;  // held while the socket file is served
  int family_ = 0;
  std::string address_;
  std::string path_;
  std::uint64_t inode_ = 0;
};

/// The kernel's word on who is at the other end of an accepted socket.
[[nodiscard]] Peer peerOf(int fd, bool tls);

}  // namespace fairlead::net
