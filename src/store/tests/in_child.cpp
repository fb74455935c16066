#include "in_child.hpp"

#include <array>
#include <cerrno>
#include <sys/wait.h>
#include <unistd.h>

namespace fairlead::store {

std::string inChild(const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(ends[0]);
    const std::string answer = work();
    const bool written = ::write(ends[1], answer.data(), answer.size()) == static_cast<ssize_t>(answer.size());
    ::_exit(written ? 0 : 1);
  }
  ::close(ends[1]);
  std::string answer;
  std::array<char, 4096> buffer{};
  for (ssize_t size = 0; (size = ::read(ends[0], buffer.data(), buffer.size())) != 0;) {
    if (size < 0 && errno != EINTR) break;
    if (size > 0) answer.append(buffer.data(), static_cast<std::size_t>(size));
  }
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status == 0 ? answer : "child died";
}

}  // namespace fairlead::store
