// A workload's whole command: appends the moment it began, in nanoseconds of the monotonic clock, to the file it is
// given.
#include <cstdio>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

int main(int count, char** words) {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  if (count != 2) return 2;
  const int file = ::open(words[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return 1;
  char line[64];
  const int size =
      std::snprintf(line, sizeof line, "%lld\n", static_cast<long long>(now.tv_sec) * 1'000'000'000 + now.tv_nsec);
  return ::write(file, line, static_cast<std::size_t>(size)) == size ? 0 : 1;
}
