// Starting a child process from a program with threads.
#pragma once

#include <fairlead/net/subprocess.hpp>

#include <sys/types.h>
#include <unistd.h>
#include <utility>

namespace fairlead::net {

/// Owns a file descriptor. -1 is none, which poll() skips.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { reset(); }
  void reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool open() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

struct Spawned {
  pid_t pid = 0;
  Descriptor output, errors;  ///< our ends of its standard streams, non-blocking
};

/// Starts the program as leader of a process group of its own. Error kSpawnFailed.
[[nodiscard]] Result<Spawned> spawn(const ProcessSpec& spec);

}  // namespace fairlead::net
